package dev.sharding.internal.sharder.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.sharder.diagnosis.Finding;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw.Shard;
import dev.sharding.internal.sharder.diagnosis.RightsLaw;
import dev.sharding.internal.sharder.diagnosis.RightsLaw.Right;
import dev.sharding.internal.sharder.ring.ControllerRing;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Asks the API server whether the sharder and the shards of a ring have the rights that
 * they need.
 */
final class RightsCheck {

	private static final String CHECK = "rights";

	private static final String OWN_RIGHTS = "Apply config/rbac of the installed version; with config/narrow, bind"
			+ " 'sharding:sharder-leases' in each namespace of shards; in an application, the roles of its sharder";

	private static final String POLICY_BINDING = "/apis/admissionregistration.k8s.io/v1"
			+ "/validatingadmissionpolicybindings/sharding-leases";

	private static final int FORBIDDEN = 403;

	private static final String ACCOUNT = "system:serviceaccount:";

	private final Cluster cluster;

	private final String sharder;

	private final @Nullable String shards;

	RightsCheck(Cluster cluster, String sharder, @Nullable String shards) {
		this.cluster = cluster;
		this.sharder = user(sharder);
		this.shards = (shards != null) ? user(shards) : null;
	}

	List<Finding> of(ControllerRing ring, List<Shard> members, boolean webhook) {
		List<Finding> findings = new ArrayList<>();
		String remedy = "Apply what 'kubectl sharding roles %s' prints, and bind it"
			.formatted(ring.getMetadata().getName());
		try {
			List<Right> joining = isAsked(findings) ? List.of(RightsLaw.join(ring)) : List.of();
			if (exists(this.sharder)) {
				findings.addAll(missing(this.sharder, RightsLaw.ofSharderOn(ring),
						(right) -> isAllowed(this.sharder, right, ""), remedy));
				findings.addAll(missing(this.sharder, with(RightsLaw.ofSharder(webhook), joining),
						(right) -> isAllowed(this.sharder, right, "") || isAllowedWithShards(right, members),
						OWN_RIGHTS));
			}
			else {
				findings.add(Finding.note(CHECK, this.sharder,
						"is not there, so its rights were not checked: say whom the sharder acts as by --sharder-account"));
			}
			SortedMap<String, SortedSet<String>> accounts = accounts(members);
			accounts.forEach((account, namespaces) -> {
				// Its rights on objects may be bound where its Lease is only.
				findings.addAll(missing(account, RightsLaw.ofShard(ring),
						(right) -> isAllowed(account, right, "") || (!RightsLaw.isOfCluster(right)
								&& namespaces.stream().allMatch((namespace) -> isAllowed(account, right, namespace))),
						remedy));
				findings.addAll(missing(account, with(RightsLaw.ofShardLease(ring), joining),
						(right) -> namespaces.stream().allMatch((namespace) -> isAllowed(account, right, namespace)),
						remedy));
			});
			if (accounts.isEmpty()) {
				findings.add(Finding.note(CHECK, "shards",
						"were not checked, as none has a pod of its name: say whom they act as by --shard-account"));
			}
		}
		catch (ApiException ex) {
			findings.add(Finding.note(CHECK, "SubjectAccessReview",
					"was refused, so rights were not checked: " + ex.getMessage()));
		}
		return findings;
	}

	private static List<Right> with(List<Right> rights, List<Right> further) {
		return Stream.concat(rights.stream(), further.stream()).toList();
	}

	/*
	 * Whoever writes a Lease must be allowed to join its ring where the policy is bound.
	 */
	private boolean isAsked(List<Finding> findings) {
		try {
			return this.cluster.get(POLICY_BINDING, GenericKubernetesResource.class) != null;
		}
		catch (ApiException ex) {
			if (ex.status() != FORBIDDEN) {
				throw ex;
			}
			findings.add(Finding.note(CHECK, "ValidatingAdmissionPolicyBinding sharding-leases",
					"may not be read, so it was not checked who may join: " + ex.getMessage()));
			return false;
		}
	}

	/* Where only Leases of named namespaces count, it may write no others. */
	private boolean isAllowedWithShards(Right right, List<Shard> members) {
		return RightsLaw.isOfNamespaces(right) && !members.isEmpty()
				&& members.stream()
					.map(Shard::namespace)
					.distinct()
					.allMatch((namespace) -> isAllowed(this.sharder, right, namespace));
	}

	private SortedMap<String, SortedSet<String>> accounts(List<Shard> members) {
		SortedMap<String, SortedSet<String>> accounts = new TreeMap<>();
		for (Shard shard : members) {
			String account = (shard.pod() != null) ? ACCOUNT + shard.namespace() + ":" + shard.pod().serviceAccount()
					: null;
			String asked = (this.shards != null) ? this.shards : account;
			if (asked != null) {
				accounts.computeIfAbsent(asked, (same) -> new TreeSet<>()).add(shard.namespace());
			}
		}
		return accounts;
	}

	/* A sharder in an application has the account of that. */
	private boolean exists(String user) {
		String[] parts = user.substring(ACCOUNT.length()).split(":", 2);
		try {
			return this.cluster.get("/api/v1/namespaces/" + parts[0] + "/serviceaccounts/" + parts[1],
					ServiceAccount.class) != null;
		}
		catch (ApiException ex) {
			if (ex.status() == FORBIDDEN) {
				return true;
			}
			throw ex;
		}
	}

	private static String user(String account) {
		if (account.indexOf('/') < 1) {
			throw new CommandFailure("'%s' is no NAMESPACE/NAME of a ServiceAccount".formatted(account));
		}
		return ACCOUNT + account.replace('/', ':');
	}

	private static List<Finding> missing(String user, List<Right> rights, Predicate<Right> allowed, String remedy) {
		Map<String, List<String>> missing = new TreeMap<>();
		rights.stream()
			.filter((right) -> !allowed.test(right))
			.forEach((right) -> missing.computeIfAbsent(right.target(), (same) -> new ArrayList<>()).add(right.verb()));
		return missing.entrySet()
			.stream()
			.map((entry) -> Finding.problem(CHECK, user,
					"may not %s %s".formatted(String.join(", ", entry.getValue()), entry.getKey()), remedy))
			.toList();
	}

	private boolean isAllowed(String user, Right right, String namespace) {
		String[] parts = user.substring(ACCOUNT.length()).split(":", 2);
		SubjectAccessReview review = new SubjectAccessReviewBuilder().withNewSpec()
			.withUser(user)
			.withGroups("system:serviceaccounts", "system:serviceaccounts:" + parts[0], "system:authenticated")
			.withNewResourceAttributes()
			.withGroup(right.group())
			.withResource(right.resource())
			.withSubresource(right.subresource())
			.withVerb(right.verb())
			.withName(right.name())
			.withNamespace(namespace)
			.endResourceAttributes()
			.endSpec()
			.build();
		SubjectAccessReview answer = this.cluster.serialization()
			.unmarshal(this.cluster.requests()
				.call(ApiRequest.of("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", MediaTypes.JSON,
						this.cluster.serialization().asJson(review)))
				.stream(), SubjectAccessReview.class);
		return Objects.requireNonNull(answer).getStatus().getAllowed();
	}

}

package dev.sharding.test;

import java.time.Duration;
import java.util.List;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewSpecBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Creates users at run time. They are ServiceAccounts with a requested token: that needs
 * no restart of the API server, no certificates, and is how controllers log in for real.
 */
final class Users {

	static final String ALL_NAMESPACES = "";

	private static final String HOME = "default";

	private static final long TOKEN_SECONDS = Duration.ofHours(24).toSeconds();

	private static final Duration ALLOWED_TIMEOUT = Duration.ofSeconds(30);

	private Users() {
	}

	static String userName(String name) {
		return "system:serviceaccount:" + HOME + ":" + name;
	}

	/**
	 * Creates a user.
	 * @return the user's token
	 */
	static String create(KubernetesClient admin, String name, String namespace, List<PolicyRule> rules) {
		ObjectMeta account = new ObjectMetaBuilder().withName(name).withNamespace(HOME).build();
		admin.resource(new ServiceAccountBuilder().withMetadata(account).build()).create();
		String role = "sharding-test-" + name;
		admin.resource(new ClusterRoleBuilder().withMetadata(meta(role, "")).withRules(rules).build()).create();
		if (namespace.equals(ALL_NAMESPACES)) {
			admin
				.resource(new ClusterRoleBindingBuilder().withMetadata(meta(role, ""))
					.withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
					.addNewSubject(null, "ServiceAccount", name, HOME)
					.build())
				.create();
		}
		else {
			admin
				.resource(new RoleBindingBuilder().withMetadata(meta(role, namespace))
					.withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
					.addNewSubject(null, "ServiceAccount", name, HOME)
					.build())
				.create();
		}
		if (!rules.isEmpty()) {
			awaitRule(admin, name, namespace, rules.get(0));
		}
		TokenRequest request = new TokenRequestBuilder().withNewSpec()
			.withExpirationSeconds(TOKEN_SECONDS)
			.endSpec()
			.build();
		return admin.serviceAccounts().inNamespace(HOME).withName(name).tokenRequest(request).getStatus().getToken();
	}

	/*
	 * The API server learns of a binding through a watch of its own, thus a moment later.
	 */
	private static void awaitRule(KubernetesClient admin, String name, String namespace, PolicyRule rule) {
		SubjectAccessReviewSpecBuilder spec = new SubjectAccessReviewSpecBuilder().withUser(userName(name));
		if (rule.getNonResourceURLs().isEmpty()) {
			spec.withNewResourceAttributes()
				.withNamespace(namespace)
				.withVerb(first(rule.getVerbs()))
				.withGroup(first(rule.getApiGroups()))
				.withResource(first(rule.getResources()))
				.withName(first(rule.getResourceNames()))
				.endResourceAttributes();
		}
		else {
			spec.withNewNonResourceAttributes()
				.withVerb(first(rule.getVerbs()))
				.withPath(first(rule.getNonResourceURLs()))
				.endNonResourceAttributes();
		}
		SubjectAccessReview review = new SubjectAccessReviewBuilder().withSpec(spec.build()).build();
		Waits.until(ALLOWED_TIMEOUT, "permissions of user " + name,
				() -> admin.resource(review).create().getStatus().getAllowed());
	}

	private static String first(List<String> values) {
		return values.isEmpty() ? "" : values.get(0);
	}

	private static ObjectMeta meta(String name, String namespace) {
		return new ObjectMetaBuilder().withName(name).withNamespace(namespace.isEmpty() ? null : namespace).build();
	}

}

package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.FlowSchemaBuilder;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.PriorityLevelConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.TcpProxy;

/**
 * Has the API server answer all that a user asks about a resource by 429 and a time to
 * come again. The user gets a priority level without a seat, which lets a request pass
 * when there is no other; so one is there all the time, held by webhooks that do not
 * answer.
 */
public final class Jail implements AutoCloseable {

	private static final int SECONDS_A_WEBHOOK = 30;

	private static final int TOO_MANY_REQUESTS = 429;

	private final KubernetesClient admin;

	private final String name;

	private final String path;

	private final TcpProxy silent;

	private final ApiRequests requests;

	private final List<HasMetadata> made = new ArrayList<>();

	private final CompletableFuture<Void> holding;

	private volatile boolean open;

	/**
	 * Waits until it is closed.
	 * @param resource such as {@code secrets}
	 * @param held an object to hold a request about, which is made here
	 * @param webhooks how many times half a minute it may last
	 */
	public Jail(ControlPlane cluster, KubernetesClient admin, Access user, String resource, HasMetadata held,
			int webhooks) {
		this.admin = admin;
		String namespace = held.getMetadata().getNamespace();
		this.name = "jail-" + namespace;
		this.path = "/api/v1/namespaces/%s/%s".formatted(namespace, resource);
		this.requests = new ApiRequests(user.client());
		this.silent = TcpProxy.to(cluster.apiServer());
		this.silent.blackHole();
		held.getMetadata().setLabels(Map.of("jail", "yes"));
		make(held);
		HasMetadata level = make(level());
		make(flow(user.user(), namespace, resource));
		soon().ignoreExceptions().until(() -> isAnsweredBy(level));
		make(new MutatingWebhookConfigurationBuilder().withNewMetadata()
			.withName(this.name)
			.endMetadata()
			.withWebhooks(webhooks(namespace, resource, webhooks))
			.build());
		this.holding = CompletableFuture.runAsync(() -> hold(held.getMetadata().getName()));
		soon().until(() -> this.silent.connections() > 0);
		soon().until(this::isRefused);
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
	}

	private HasMetadata make(HasMetadata object) {
		HasMetadata created = this.admin.resource(object).create();
		this.made.add(created);
		return created;
	}

	private boolean isAnsweredBy(HasMetadata level) {
		return this.requests.call(ApiRequest.of("GET", this.path))
			.headers()
			.entrySet()
			.stream()
			.anyMatch((header) -> header.getKey().equalsIgnoreCase("X-Kubernetes-PF-PriorityLevel-UID")
					&& header.getValue().contains(level.getMetadata().getUid()));
	}

	private boolean isRefused() {
		try {
			this.requests.call(ApiRequest.of("GET", this.path));
			return false;
		}
		catch (ApiException ex) {
			return ex.status() == TOO_MANY_REQUESTS;
		}
	}

	private void hold(String object) {
		while (!this.open) {
			try {
				this.requests.call(ApiRequest
					.of("PATCH", this.path + "/" + object, "application/merge-patch+json",
							"{\"metadata\":{\"annotations\":{\"time\":\"%d\"}}}".formatted(System.nanoTime()))
					.timeout(Duration.ofMinutes(10)));
			}
			catch (ApiException ex) {
				// Once more.
			}
		}
	}

	private HasMetadata level() {
		return new PriorityLevelConfigurationBuilder().withNewMetadata()
			.withName(this.name)
			.endMetadata()
			.withNewSpec()
			.withType("Limited")
			.withNewLimited()
			.withNominalConcurrencyShares(0)
			.withLendablePercent(0)
			.withBorrowingLimitPercent(0)
			.withNewLimitResponse()
			.withType("Reject")
			.endLimitResponse()
			.endLimited()
			.endSpec()
			.build();
	}

	private HasMetadata flow(String user, String namespace, String resource) {
		return new FlowSchemaBuilder().withNewMetadata()
			.withName(this.name)
			.endMetadata()
			.withNewSpec()
			.withMatchingPrecedence(2)
			.withNewPriorityLevelConfiguration(this.name)
			.addNewRule()
			.addNewSubject()
			.withKind("User")
			.withNewUser(user)
			.endSubject()
			.addNewResourceRule()
			.withVerbs("*")
			.withApiGroups("")
			.withResources(resource)
			.withNamespaces(namespace)
			.endResourceRule()
			.endRule()
			.endSpec()
			.build();
	}

	/** One after the other. */
	private List<MutatingWebhook> webhooks(String namespace, String resource, int number) {
		List<MutatingWebhook> all = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			all.add(new MutatingWebhookBuilder().withName("silent-%d.sharding.dev".formatted(i))
				.withAdmissionReviewVersions("v1")
				.withSideEffects("None")
				.withFailurePolicy("Ignore")
				.withTimeoutSeconds(SECONDS_A_WEBHOOK)
				.withNewClientConfig()
				.withUrl("https://127.0.0.1:%d/".formatted(this.silent.port()))
				.endClientConfig()
				.withNewNamespaceSelector()
				.addToMatchLabels("kubernetes.io/metadata.name", namespace)
				.endNamespaceSelector()
				.withNewObjectSelector()
				.addToMatchLabels("jail", "yes")
				.endObjectSelector()
				.addNewRule()
				.withApiGroups("")
				.withApiVersions("v1")
				.withResources(resource)
				.withOperations("UPDATE")
				.endRule()
				.build());
		}
		return all;
	}

	@Override
	public void close() {
		this.open = true;
		for (int i = this.made.size() - 1; i >= 0; i--) {
			this.admin.resource(this.made.get(i)).delete();
		}
		this.silent.close();
		this.holding.join();
	}

}

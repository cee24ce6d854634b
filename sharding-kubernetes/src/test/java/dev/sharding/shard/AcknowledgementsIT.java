package dev.sharding.shard;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.client.ApiException;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.handover.PatchingDrainHandler;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;
import dev.sharding.test.ThrottledUser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Acknowledgements that the API server does not answer, or does not want now.
 */
@ControlPlaneTest
class AcknowledgementsIT {

	private static final List<String> HELD = List.of("held-1", "held-2", "held-3");

	private final ControlPlane cluster;

	private final ShardWorld world;

	private final List<String> reconciled = new CopyOnWriteArrayList<>();

	/** Whether the API server knows of the webhook. */
	private final AtomicBoolean effective = new AtomicBoolean();

	AcknowledgementsIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.world = new ShardWorld(client, namespace).patient();
	}

	@AfterEach
	void close() throws Exception {
		this.world.client.resource(webhook(1)).delete();
		this.world.close();
	}

	/* A webhook that does not answer holds the patch of an object for half a minute. */
	@Test
	void oneThatHangsHoldsUpNobody() {
		this.world.running("s1", this::note, (spec) -> spec.concurrency(1));
		try (TcpProxy silent = TcpProxy.to(this.cluster.apiServer())) {
			silent.blackHole();
			this.world.client.resource(webhook(silent.port())).create();
			this.world.secret("probe", Map.of("hold", "yes"), (metadata) -> {
			});
			CompletableFuture<Void> probe = CompletableFuture.runAsync(() -> patchUntil("probe", this.effective::get));
			ShardWorld.soon().until(() -> silent.connections() > 0);
			this.effective.set(true);
			HELD.forEach(this::heldAndDrained);
			withinTheHold().until(() -> silent.connections() > HELD.size());
			this.world.secret("drained", this.world.drained("s1"), (metadata) -> {
			});
			this.world.secretOf("s1", "assigned");
			withinTheHold().until(() -> !this.world.hasShardingLabels("drained"));
			withinTheHold().until(() -> this.reconciled.contains("assigned"));
			assertThat(HELD).allMatch(this.world::hasShardingLabels);
			this.world.client.resource(webhook(1)).delete();
			silent.close();
			ShardWorld.soon().until(() -> HELD.stream().noneMatch(this.world::hasShardingLabels));
			assertThat(probe).succeedsWithin(Duration.ofMinutes(2));
		}
		assertThat(this.reconciled).containsExactly("assigned");
	}

	@Test
	void noneIsSentBeforeTheApiServerWantsToBeAskedAgainAboutWhateverObject() {
		Access user = this.cluster.userIn("drainer-" + this.world.ring, this.world.namespace,
				new PolicyRuleBuilder().withApiGroups("").withResources("secrets").withVerbs("*").build());
		PatchingDrainHandler handler = new PatchingDrainHandler(new ApiRequests(user.client()), this.world.ring);
		Secret one = this.world.secret("one", this.world.drained("s1"), (metadata) -> {
		});
		Secret other = this.world.secret("other", this.world.drained("s1"), (metadata) -> {
		});
		try (ThrottledUser refusals = ThrottledUser.of(this.cluster, user, "", "secrets")) {
			ShardWorld.soon().untilAsserted(() -> {
				ApiException refused = catchThrowableOfType(ApiException.class,
						() -> handler.acknowledge(ShardWorld.SECRETS, one));
				// The seat is free for a moment now and then.
				assertThat(refused).isNotNull();
				assertThat(refused.status()).isEqualTo(429);
				ApiException kept = catchThrowableOfType(ApiException.class,
						() -> handler.acknowledge(ShardWorld.SECRETS, other));
				assertThat(kept).hasMessageStartingWith("Did not send");
				assertThat(kept.retryAfter()).isPositive().isLessThanOrEqualTo(refused.retryAfter());
				assertThat(handler.begin(ShardWorld.SECRETS, other)).failsWithin(Duration.ZERO)
					.withThrowableThat()
					.withMessageContaining("Did not send");
			});
			assertThat(this.world.hasShardingLabels("one")).isTrue();
			assertThat(this.world.hasShardingLabels("other")).isTrue();
		}
		ShardWorld.soon()
			.ignoreExceptions()
			.until(() -> handler.begin(ShardWorld.SECRETS, other).get() && !this.world.hasShardingLabels("other"));
	}

	private static ConditionFactory withinTheHold() {
		return Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(20));
	}

	private void heldAndDrained(String name) {
		Map<String, String> labels = new HashMap<>(this.world.drained("s1"));
		labels.put("hold", "yes");
		this.world.secret(name, labels, (metadata) -> {
		});
	}

	private void patchUntil(String name, BooleanSupplier end) {
		while (!end.getAsBoolean()) {
			try {
				this.world.merge(name,
						"{\"metadata\":{\"annotations\":{\"time\":\"%d\"}}}".formatted(System.nanoTime()));
			}
			catch (KubernetesClientException ex) {
				assertThat(ex).hasMessageContaining("webhook");
			}
		}
	}

	private Result note(Secret secret) {
		this.reconciled.add(secret.getMetadata().getName());
		return Result.done();
	}

	private ValidatingWebhookConfiguration webhook(int port) {
		return new ValidatingWebhookConfigurationBuilder().withNewMetadata()
			.withName("silent-" + this.world.ring)
			.endMetadata()
			.addNewWebhook()
			.withName("silent.sharding.dev")
			.withAdmissionReviewVersions("v1")
			.withSideEffects("None")
			.withFailurePolicy("Fail")
			.withTimeoutSeconds(30)
			.withNewClientConfig()
			.withUrl("https://127.0.0.1:%d/".formatted(port))
			.endClientConfig()
			.withNewNamespaceSelector()
			.addToMatchLabels("kubernetes.io/metadata.name", this.world.namespace)
			.endNamespaceSelector()
			.withNewObjectSelector()
			.addToMatchLabels("hold", "yes")
			.endObjectSelector()
			.addNewRule()
			.withApiGroups("")
			.withApiVersions("v1")
			.withResources("secrets")
			.withOperations("UPDATE")
			.endRule()
			.endWebhook()
			.build();
	}

}

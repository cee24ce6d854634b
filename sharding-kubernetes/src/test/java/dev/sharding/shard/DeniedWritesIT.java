package dev.sharding.shard;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.assignment.LabelPatch;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.DenyingWebhook;
import dev.sharding.test.DenyingWebhook.Question;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Writes that a webhook denies for now, saying when to come back: that is no failure of
 * the object, says nothing of other objects, and nobody comes back sooner.
 */
@ControlPlaneTest
class DeniedWritesIT {

	private static final Duration WAIT = Duration.ofSeconds(2);

	private final ShardWorld world;

	/* Name of an object, and with what it is denied. */
	private final Map<String, String> denied = new HashMap<>();

	DeniedWritesIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new ShardWorld(client, namespace).patient();
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void theApiServerSaysWhenToComeBackWhateverTheStatus() {
		ApiRequests requests = new ApiRequests(this.world.client);
		try (DenyingWebhook webhook = denying()) {
			for (int code : List.of(400, 403, 404, 409, 422, 429, 503)) {
				String name = "denied-" + code;
				Secret secret = this.world.secret(name, Map.of(), (metadata) -> {
				});
				deny(name, code, WAIT);
				ApiRequest request = ApiRequest.of("PATCH", ShardWorld.SECRETS.path(ObjectKey.of(secret)),
						LabelPatch.CONTENT_TYPE, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
				ApiException refused = catchThrowableOfType(ApiException.class, () -> requests.call(request));
				assertThat(refused.status()).isEqualTo(code);
				assertThat(refused.retryAfter()).as("%d", code).isEqualTo(WAIT);
				assertThat(refused.isWithoutEffect()).as("%d", code).isTrue();
				assertThat(refused.isOverload()).as("of the API server, by %d", code).isFalse();
				assertThat(refused.isNotFound(name)).as("%d", code).isFalse();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 403, 409, 422, 429 })
	void aReconcileComesBackThenAndHasNotFailed(int code) {
		try (DenyingWebhook webhook = denying()) {
			deny("denied", code, WAIT);
			Shard shard = this.world.shard("s1");
			ResourceCache<Secret> secrets = shard.caches().of(Secret.class);
			shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
				if (ShardWorld.annotation(secret, "done").isEmpty()) {
					secrets.update(ShardWorld.annotated(secret, "done", "yes"));
				}
				return Result.done();
			}).build());
			runs(shard, webhook);
		}
	}

	@Test
	void theSameGoesForWritesOfAnyClient() {
		try (DenyingWebhook webhook = denying()) {
			deny("denied", 403, WAIT);
			Shard shard = this.world.shard("s1");
			shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
				if (ShardWorld.annotation(secret, "done").isEmpty()) {
					this.world.merge(secret.getMetadata().getName(),
							"{\"metadata\":{\"annotations\":{\"done\":\"yes\"}}}");
				}
				return Result.done();
			}).build());
			runs(shard, webhook);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 403, 409, 429, 503 })
	void anAcknowledgementComesBackThenAndHoldsUpNoOther(int code) {
		try (DenyingWebhook webhook = denying()) {
			deny("denied", code, Duration.ofMinutes(5));
			deny("denied-shortly", code, WAIT);
			Shard shard = this.world.running("s1", (secret) -> Result.done());
			this.world.secret("denied", this.world.drained("s1"), (metadata) -> {
			});
			this.world.secret("denied-shortly", this.world.drained("s1"), (metadata) -> {
			});
			ShardWorld.soon().until(() -> webhook.questions("denied").size() == 1);
			this.world.secret("other", this.world.drained("s1"), (metadata) -> {
			});
			ShardWorld.soon().until(() -> !this.world.hasShardingLabels("other"));
			ShardWorld.soon().until(() -> webhook.questions("denied-shortly").size() >= 3);
			assertNoneIsEarly(webhook.questions("denied-shortly"));
			assertNoFailure(shard);
			allow("denied-shortly");
			ShardWorld.soon().until(() -> !this.world.hasShardingLabels("denied-shortly"));
			assertThat(webhook.questions("denied")).hasSize(1);
			assertThat(this.world.hasShardingLabels("denied")).isTrue();
		}
	}

	/* Else it would be tried again at once, for ever, and nobody would be told. */
	@Test
	void anAcknowledgementThatAWebhookDeniesAsAConflictFails() {
		try (DenyingWebhook webhook = denying()) {
			synchronized (this.denied) {
				this.denied.put("denied", "{\"code\":409,\"reason\":\"Conflict\",\"message\":\"never\"}");
			}
			Shard shard = this.world.running("s1", (secret) -> Result.done());
			Secret secret = this.world.secret("denied", this.world.drained("s1"), (metadata) -> {
			});
			ApiException refused = catchThrowableOfType(ApiException.class,
					() -> shard.drains().acknowledge(ShardWorld.SECRETS, secret));
			assertThat(refused.status()).isEqualTo(409);
			assertThat(this.world.hasShardingLabels("denied")).isTrue();
		}
	}

	private void runs(Shard shard, DenyingWebhook webhook) {
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "denied");
		ShardWorld.soon().until(() -> webhook.questions("denied").size() >= 3);
		assertNoneIsEarly(webhook.questions("denied"));
		assertNoFailure(shard);
		assertThat(meters().get("controller.runtime.reconcile").tag("result", "limited").counter().count())
			.isGreaterThanOrEqualTo(2);
		allow("denied");
		ShardWorld.soon()
			.until(() -> ShardWorld
				.annotation(this.world.client.secrets().inNamespace(this.world.namespace).withName("denied").get(),
						"done")
				.equals("yes"));
		assertNoFailure(shard);
	}

	private void assertNoFailure(Shard shard) {
		assertThat(shard.controllers()).allSatisfy((each) -> assertThat(each.status().failing()).isZero());
		assertThat(meters().get("controller.runtime.reconcile.errors").counter().count()).isZero();
		assertThat(meters().get("workqueue.retries").counter().count()).isZero();
	}

	private MeterRegistry meters() {
		return this.world.options.meters();
	}

	private static void assertNoneIsEarly(List<Question> questions) {
		for (int i = 1; i < questions.size(); i++) {
			if (questions.get(i - 1).denied()) {
				assertThat(Duration.ofNanos(questions.get(i).nanos() - questions.get(i - 1).nanos()))
					.isGreaterThanOrEqualTo(WAIT);
			}
		}
	}

	private DenyingWebhook denying() {
		return DenyingWebhook.in(this.world.client, this.world.namespace, (name) -> {
			synchronized (this.denied) {
				return this.denied.get(name);
			}
		});
	}

	private void deny(String name, int code, Duration wait) {
		synchronized (this.denied) {
			this.denied.put(name,
					"{\"code\":%d,\"reason\":\"%s\",\"message\":\"not now\",\"details\":{%s\"retryAfterSeconds\":%d}}"
						.formatted(code, (code == 404) ? "NotFound" : "",
								(code == 404) ? "\"name\":\"%s\",".formatted(name) : "", wait.toSeconds()));
		}
	}

	private void allow(String name) {
		synchronized (this.denied) {
			this.denied.remove(name);
		}
	}

}

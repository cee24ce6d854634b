package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.DenyingWebhook.Question;
import dev.sharding.test.DenyingWebhook;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Gauge;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Moves that a webhook denies for now, saying when to come back.
 */
@ControlPlaneTest
class DeniedMovesIT {

	private static final Duration SOON = Duration.ofSeconds(1);

	private static final Duration LATER = Duration.ofSeconds(4);

	private static final Duration AGES = Duration.ofMinutes(5);

	private final World world;

	/* Name of an object, and with what it is denied. */
	private final Map<String, String> denied = new ConcurrentHashMap<>();

	DeniedMovesIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "denied");
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 403, 409, 429, 503 })
	@DisplayName("An object whose move is denied for now is asked about again then, and holds up no other")
	void comesBackThenAndHoldsUpNoOther(int code) {
		deny("ages", code, AGES);
		deny("soon", code, SOON);
		deny("later", code, LATER);
		deny("c-later", code, LATER);
		try (DenyingWebhook webhook = DenyingWebhook.in(this.world.client, this.world.namespace, this.denied::get)) {
			List.of("ages", "soon", "later").forEach(this.world::secret);
			Secret owner = this.world.secret("owner");
			this.world.configMap("c-later", owner, Map.of());
			this.world.withRing().start();
			this.world.shard("shard-a");
			World.await().until(() -> webhook.questions("ages").size() == 1);
			this.world.secret("other");
			World.await().until(() -> "shard-a".equals(this.world.secretShard("other")));
			World.await().until(() -> "shard-a".equals(this.world.secretShard("owner")));
			World.await()
				.until(() -> webhook.questions("soon").size() >= 3 && webhook.questions("later").size() >= 2
						&& webhook.questions("c-later").size() >= 2);
			assertNoneIsEarly(webhook.questions("soon"), SOON);
			assertNoneIsEarly(webhook.questions("later"), LATER);
			assertNoneIsEarly(webhook.questions("c-later"), LATER);
			assertThat(failing()).isZero();
			List.of("soon", "later", "c-later").forEach(this.denied::remove);
			World.await().untilAsserted(() -> {
				assertThat(this.world.secretShard("soon")).isEqualTo("shard-a");
				assertThat(this.world.secretShard("later")).isEqualTo("shard-a");
				assertThat(this.world.configMapShard("c-later")).isEqualTo("shard-a");
			});
			assertThat(webhook.questions("ages")).hasSize(1);
			assertThat(this.world.secretShard("ages")).isNull();
			assertThat(failing()).isZero();
		}
	}

	@Test
	@DisplayName("An object whose move is denied as a conflict, which nobody else's write is, is asked about a few times, and is said to fail")
	void isNotTakenForAConflict() {
		this.denied.put("one", "{\"code\":409,\"reason\":\"Conflict\",\"message\":\"locked by a backup\"}");
		try (DenyingWebhook webhook = DenyingWebhook.in(this.world.client, this.world.namespace, this.denied::get)) {
			this.world.secret("one");
			this.world.withRing().start();
			this.world.shard("shard-a");
			World.await().untilAsserted(() -> assertThat(failing()).isEqualTo(1));
			assertThat(webhook.questions("one")).hasSizeBetween(1, 10);
			this.denied.clear();
			World.await().until(() -> "shard-a".equals(this.world.secretShard("one")));
			World.await().until(() -> failing() == 0);
		}
	}

	@Test
	@DisplayName("An object whose move is denied as something else is not found is asked about again, and is said to fail")
	void isNotTakenToBeGone() {
		this.denied.put("one", "{\"code\":404,\"reason\":\"NotFound\",\"message\":\"its profile is not found\","
				+ "\"details\":{\"name\":\"profile\",\"kind\":\"profiles\"}}");
		try (DenyingWebhook webhook = DenyingWebhook.in(this.world.client, this.world.namespace, this.denied::get)) {
			this.world.secret("one");
			this.world.withRing().start();
			this.world.shard("shard-a");
			World.await().untilAsserted(() -> assertThat(failing()).isEqualTo(1));
			this.denied.clear();
			World.await().until(() -> "shard-a".equals(this.world.secretShard("one")));
			World.await().until(() -> failing() == 0);
			assertThat(webhook.questions("one")).isNotEmpty();
		}
	}

	private double failing() {
		Gauge gauge = this.world.metrics.find("controller.sharding.objects.failing").gauge();
		return (gauge != null) ? gauge.value() : 0;
	}

	private static void assertNoneIsEarly(List<Question> questions, Duration wait) {
		for (int i = 1; i < questions.size(); i++) {
			if (questions.get(i - 1).denied()) {
				assertThat(Duration.ofNanos(questions.get(i).nanos() - questions.get(i - 1).nanos()))
					.isGreaterThanOrEqualTo(wait);
			}
		}
	}

	private void deny(String name, int code, Duration wait) {
		this.denied.put(name, "{\"code\":%d,\"message\":\"not now\",\"details\":{\"retryAfterSeconds\":%d}}"
			.formatted(code, wait.toSeconds()));
	}

}

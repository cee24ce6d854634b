package dev.sharding.josdk;

import java.time.Duration;
import java.util.Map;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.fence.ClaimScope;
import dev.sharding.internal.core.slot.SlotNames;
import dev.sharding.internal.kubernetes.slot.SlotOptions;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.Shard;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.javaoperatorsdk.operator.processing.retry.RetryExecution;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A shard that has no slot, so that its caches answer nothing.
 */
class ShardObjectsTests {

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	@Test
	void aReconcileThatCannotBeginAsTheSlotIsLostIsSkippedAndLeavesItsObjectToWhoeverLetsGoOfIt() {
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1").build())
			.build();
				Shard shard = Shard.ofSlots(client, client,
						new SlotOptions("default", "ring", new SlotNames("slot", 1), RenewalTimings.DEFAULTS, "me",
								Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofSeconds(30), "pod", null,
								"default", "no-election"),
						RuntimeOptions.DEFAULTS, null)) {
			ObjectTurns turns = new ObjectTurns();
			ShardObjects objects = new ShardObjects(shard, turns);
			objects.begin();
			objects.follow(SECRETS);
			Secret secret = new SecretBuilder().withNewMetadata()
				.withNamespace("default")
				.withName("a")
				.endMetadata()
				.build();
			Runnable task = () -> {
			};
			try (ShardObjects.Reconcile skipped = objects.begin(secret)) {
				assertThat(skipped.mayAct()).isFalse();
				assertThat(ClaimScope.carry(task)).as("what the SDK writes by itself").isNotSameAs(task);
			}
			assertThat(ClaimScope.carry(task)).isSameAs(task);
			OtherSecret other = new OtherSecret();
			other.setMetadata(secret.getMetadata());
			try (ShardObjects.Reconcile skipped = objects.begin(other)) {
				assertThat(ClaimScope.carry(task)).as("read as another class").isNotSameAs(task);
			}
			SdkMetrics metrics = new SdkMetrics(Metrics.NOOP, objects);
			RetryExecution retries = new UncountedRetry(new GenericRetry().setMaxAttempts(1), metrics::isHeldBack)
				.initExecution();
			metrics.reconciliationStarted(secret, Map.of());
			for (int attempt = 0; attempt < 5; attempt++) {
				assertThat(retries.nextDelay()).hasValue(1_000L);
			}
			metrics.reconciliationFinished(secret, null, Map.of());
			assertThat(retries.nextDelay()).as("the one that counts").isPresent();
			assertThat(retries.nextDelay()).isEmpty();
			objects.end();
			assertThat(turns.want(new ObjectTurns.Id(SECRETS.groupResource(), new ObjectKey("default", "a")))).isTrue();
		}
	}

	/** The same resource in another version. */
	@Group("")
	@Version("v2")
	@Kind("Secret")
	@Plural("secrets")
	private static final class OtherSecret extends CustomResource<String, String> {

		private static final long serialVersionUID = 1L;

	}

}

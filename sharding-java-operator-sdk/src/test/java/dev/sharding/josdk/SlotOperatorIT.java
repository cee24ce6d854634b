package dev.sharding.josdk;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.javaoperatorsdk.operator.api.monitoring.AggregatedMetrics;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetrics;
import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetricsV2;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator that gets another slot: what its reconciler keeps, and what the SDK
 * measures, goes on in the name of that.
 */
@ShardingTest(main = Secret.class, controlled = ConfigMap.class, classes = SlotOperatorIT.KeepingOperator.class,
		properties = { "sharding.shard-name=", "sharding.slots=2", "sharding.slot-wait=0s" })
class SlotOperatorIT {

	private final TestRing ring;

	SlotOperatorIT(TestRing ring) {
		this.ring = ring;
	}

	@Test
	void seesWhatItOwnsAndMeasuresItInTheSlotThatItHas() {
		TestShard shard = this.ring.shard();
		Keeping reconciler = shard.context().getBean(Keeping.class);
		MeterRegistry meters = shard.context().getBean(MeterRegistry.class);
		soon().untilAsserted(() -> assertThat(shard).isRunning());
		String first = shard.name();
		this.ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.ring.name())
				.withName("a")
				.endMetadata()
				.build())
			.create();
		soon().untilAsserted(() -> assertThat(reconciler.seen).containsEntry("a", "made-a"));
		assertMeasured(meters, reconciler, first);
		shard.loseLease();
		reconciler.seen.clear();
		soon().untilAsserted(() -> assertThat(shard).isRunning());
		assertThat(shard.name()).isNotEqualTo(first);
		soon().untilAsserted(() -> assertThat(reconciler.seen).containsEntry("a", "made-a"));
		soon().untilAsserted(() -> assertMeasured(meters, reconciler, shard.name()));
	}

	private static void assertMeasured(MeterRegistry meters, Keeping reconciler, String shard) {
		List<Meter.Id> found = meters.getMeters()
			.stream()
			.map(Meter::getId)
			.filter((meter) -> meter.getName().startsWith("operator.sdk.")
					|| meter.getName().startsWith("reconciliations."))
			.toList();
		assertThat(found).hasSizeGreaterThan(4)
			.allSatisfy((meter) -> assertThat(meter.getTag("shard")).isEqualTo(shard));
		assertThat(reconciler.running).containsOnlyKeys("operator.sdk.reconciliations.executions.keeping",
				"reconciliations.active");
		assertThat(reconciler.running.values()).containsOnly(1.0);
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(50));
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class KeepingOperator {

		@Bean
		Keeping keeping(MeterRegistry meters) {
			return new Keeping(meters);
		}

		@Bean
		OperatorCustomizer measured(MeterRegistry meters) {
			return (configuration) -> configuration
				.withMetrics(new AggregatedMetrics(List.of(MicrometerMetrics.withoutPerResourceMetrics(meters),
						MicrometerMetricsV2.newBuilder(meters).build())));
		}

		@Bean
		MeterRegistry meters(ObjectProvider<MeterFilter> filters) {
			SimpleMeterRegistry meters = new SimpleMeterRegistry();
			filters.orderedStream().forEach((filter) -> meters.config().meterFilter(filter));
			return meters;
		}

	}

	@ControllerConfiguration(name = "keeping")
	static class Keeping implements Reconciler<Secret> {

		final Map<String, String> seen = new ConcurrentHashMap<>();

		final Map<String, Double> running = new ConcurrentHashMap<>();

		private final Made made = new Made();

		private final MeterRegistry meters;

		Keeping(MeterRegistry meters) {
			this.meters = meters;
		}

		@Override
		public List<EventSource<?, Secret>> prepareEventSources(EventSourceContext<Secret> context) {
			return List.of(this.made.initEventSource(context));
		}

		@Override
		public UpdateControl<Secret> reconcile(Secret secret, Context<Secret> context) {
			for (String gauge : Set.of("operator.sdk.reconciliations.executions.keeping", "reconciliations.active")) {
				this.running.put(gauge, this.meters.get(gauge).gauge().value());
			}
			context.getSecondaryResource(ConfigMap.class)
				.ifPresent((found) -> this.seen.put(secret.getMetadata().getName(), found.getMetadata().getName()));
			this.made.reconcile(secret, context);
			// What it has made itself is no event.
			return UpdateControl.<Secret>noUpdate().rescheduleAfter(Duration.ofMillis(200));
		}

	}

	/** Makes the ConfigMap "made-NAME". */
	static class Made extends CRUDKubernetesDependentResource<ConfigMap, Secret> {

		@Override
		protected ConfigMap desired(Secret secret, Context<Secret> context) {
			return new ConfigMapBuilder().withNewMetadata()
				.withName("made-" + secret.getMetadata().getName())
				.withNamespace(secret.getMetadata().getNamespace())
				.endMetadata()
				.build();
		}

	}

}

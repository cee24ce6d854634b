package dev.sharding.autoconfigure;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.sharding.internal.autoconfigure.runtime.PartLifecycle;
import dev.sharding.internal.autoconfigure.runtime.SharderPart;
import dev.sharding.internal.autoconfigure.settings.SharderProperties;
import dev.sharding.internal.sharder.ElectionOptions;
import dev.sharding.internal.sharder.Sharder;
import dev.sharding.shard.Shard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sharder in an application.
 */
class EmbeddedSharderAutoConfigurationTests {

	private final ApplicationContextRunner runner = Apps.application();

	@Test
	void runsASharderIfToldTo() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(SharderPart.class));
		this.runner.withPropertyValues("sharding.sharder.enabled=true").run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(Shard.class);
			SharderPart sharder = context.getBean(SharderPart.class);
			assertThat(context.getBean("sharderLifecycle", PartLifecycle.class).isRunning()).isTrue();
			assertThat(sharder.sharder().status().isElected()).isFalse();
			assertThat(context.getBean(SharderProperties.class).leaderElection().toOptions())
				.isEqualTo(ElectionOptions.DEFAULT);
			HealthIndicator health = context.getBean("sharderHealthIndicator", HealthIndicator.class);
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(health.health()).isNotNull()
					.satisfies((unreachable) -> assertThat(unreachable.getStatus()).isEqualTo(Status.DOWN)));
		});
	}

	/* An alert asks for it. */
	@Test
	void theLeaseOfTheLeaderHasAMeterAlsoWithoutRings() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.runner.withPropertyValues("sharding.sharder.enabled=true")
			.withBean(MeterRegistry.class, () -> meters)
			.run((context) -> assertThat(meters.get("sharding.lease.held").tag("lease", "sharder").gauge().value())
				.isZero());
	}

	@Test
	void saysThatTheSharderIsNotOnTheClassPath() {
		this.runner.withPropertyValues("sharding.sharder.enabled=true")
			.withClassLoader(new FilteredClassLoader(Sharder.class))
			.run((context) -> assertThat(Apps.analysis(context.getStartupFailure()).getAction())
				.contains("dev.sharding:sharding-sharder"));
	}

}

package dev.sharding.internal.sharder.assignment.metadata;

import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.sharder.ring.RingReport.Progress;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.Secret;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AssignmentMetricsTests {

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void tellsOfEachTenThousandthObjectThatLostItsLabels() {
		AssignmentMetrics metrics = new AssignmentMetrics(this.registry, "my-ring");
		AtomicInteger told = new AtomicInteger();
		metrics.onProgress(told::incrementAndGet);
		for (int i = 0; i < 29_999; i++) {
			metrics.freed(SECRETS);
		}
		assertThat(told).hasValue(2);
		assertThat(metrics.progress()).isEqualTo(new Progress(0, 20_000));
		assertThat(this.registry.get("controller.sharding.cleanups").tag("resource", "secrets").counter().count())
			.isEqualTo(29_999);
		metrics.freed(SECRETS);
		assertThat(told).hasValue(3);
		assertThat(metrics.progress()).isEqualTo(new Progress(0, 30_000));
	}

	@Test
	void beginsAnewWithTheSharderThatServesTheRing() {
		AssignmentMetrics before = new AssignmentMetrics(this.registry, "my-ring");
		for (int i = 0; i < 10_000; i++) {
			before.freed(SECRETS);
		}
		assertThat(new AssignmentMetrics(this.registry, "my-ring").progress()).isEqualTo(new Progress(0, 0));
	}

}

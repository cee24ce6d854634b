package dev.sharding.internal.kubernetes.cache.check;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReadMetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	/* The objective is that 99 % of the waits are below 200 ms. */
	@Test
	void aHistogramTellsWhatIsBelowTheObjective() {
		ReadMeters meters = new ReadMeters(this.registry, "configmaps");
		meters.read("validated", "probe", TimeUnit.MILLISECONDS.toNanos(150));
		meters.read("validated", "list", TimeUnit.MILLISECONDS.toNanos(190));
		meters.read("validated", "deadline", TimeUnit.MILLISECONDS.toNanos(250));
		Timer waits = this.registry.get("sharding.cache.read.wait")
			.tags("resource", "configmaps", "strategy", "validated")
			.timer();
		assertThat(waits.count()).isEqualTo(3);
		assertThat(Arrays.stream(waits.takeSnapshot().histogramCounts())
			.filter((bucket) -> bucket.bucket(TimeUnit.MILLISECONDS) == 200)).singleElement()
			.satisfies((bucket) -> assertThat(bucket.count()).isEqualTo(2));
		assertThat(this.registry.get("sharding.cache.reads").tag("outcome", "deadline").counter().count()).isOne();
	}

}

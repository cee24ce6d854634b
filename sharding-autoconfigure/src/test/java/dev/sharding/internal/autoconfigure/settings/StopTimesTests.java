package dev.sharding.internal.autoconfigure.settings;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.shard.RuntimeOptions;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class StopTimesTests {

	private final MockEnvironment environment = new MockEnvironment();

	private final RuntimeOptions options = RuntimeOptions.DEFAULTS.withStopTimeout(Duration.ofSeconds(15));

	@Test
	void theDefaultsFit(CapturedOutput output) {
		StopTimes times = StopTimes.of(this.environment, this.options, RenewalTimings.DEFAULTS);
		assertThat(times)
			.isEqualTo(new StopTimes(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(30)));
		times.warnIfTooShort();
		assertThat(output).doesNotContain("stop-timeout");
	}

	@Test
	void warnsIfSpringDoesNotWaitLongEnough(CapturedOutput output) {
		this.environment.setProperty("spring.lifecycle.timeout-per-shutdown-phase", "20s");
		StopTimes.of(this.environment, this.options, RenewalTimings.DEFAULTS).warnIfTooShort();
		assertThat(output).contains("'sharding.reconcile.stop-timeout'")
			.contains("(are 15000 ms and 10000 ms, not within 20000 ms)");
	}

}

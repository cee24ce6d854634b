package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseClockTests {

	private static final Moment START = new Moment(Instant.parse("2026-01-01T00:00:00Z"), Long.MAX_VALUE);

	@Property
	void stoppingInTimeNeverCountsLessThanBeginningLateEnough(@ForAll @LongRange(min = -100, max = 100) long wall,
			@ForAll @LongRange(min = -100, max = 100) long nanos) {
		Moment now = new Moment(START.wall().plusNanos(wall), START.nanos() + nanos);
		assertThat(now.since(START)).isGreaterThanOrEqualTo(now.observedSince(START));
		assertThat(now.since(START)).isEqualTo(Duration.ofNanos(Math.max(0, Math.max(wall, nanos))));
		assertThat(now.observedSince(START)).isEqualTo(Duration.ofNanos(Math.max(0, nanos)));
	}

	@Test
	void monotonicTimeMayOverflow() {
		assertThat(new Moment(START.wall(), START.nanos() + 5).observedSince(START)).isEqualTo(Duration.ofNanos(5));
	}

}

package dev.sharding.internal.core.qos;

import java.util.ArrayList;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

import dev.sharding.qos.spi.QosClass;

import static org.assertj.core.api.Assertions.assertThat;

class LeakyBucketTests {

	private static final long START = Long.MAX_VALUE - 500_000_000L;

	@Property(tries = 500)
	void isNeverIdleWhenThereIsDemand(@ForAll @DoubleRange(min = 0.5, max = 5_000) double qps,
			@ForAll @Size(min = 1, max = 80) List<@LongRange(min = 0, max = 1_000_000_000) Long> pauses) {
		QosClass.TokenBucket law = new QosClass.LeakyBucket(qps, 1_000).asTokenBucket();
		long interval = (long) Math.ceil(1e9 / qps);
		TokenBucketState state = TokenBucketState.full(START);
		long now = START;
		long free = START;
		for (long pause : pauses) {
			now += pause;
			Admission.Granted<TokenBucketState> granted = granted(state, law, now);
			// At once, or one interval after the one before: not a nanosecond later.
			assertThat(granted.waitNanos()).isEqualTo(Math.max(0, free - now));
			free = now + granted.waitNanos() + interval;
			state = granted.next();
		}
	}

	/*
	 * Those behind a place that was given up keep their times: it is for the next to ask.
	 */
	@Property(tries = 500)
	void placeThatWasGivenUpIsTheNextOnes(@ForAll @DoubleRange(min = 0.5, max = 5_000) double qps,
			@ForAll @IntRange(min = 2, max = 40) int waiting,
			@ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 39) Integer> givers) {
		QosClass.TokenBucket law = new QosClass.LeakyBucket(qps, 1_000).asTokenBucket();
		TokenBucketState state = TokenBucketState.full(START);
		List<Long> waits = new ArrayList<>();
		for (int i = 0; i <= waiting; i++) {
			Admission.Granted<TokenBucketState> granted = granted(state, law, START);
			waits.add(granted.waitNanos());
			state = granted.next();
		}
		List<Long> free = givers.stream()
			.filter((giver) -> giver <= waiting)
			.distinct()
			.map(waits::get)
			.sorted()
			.toList();
		for (long wait : free) {
			state = state.giveBack(law, 1, START + wait);
		}
		for (long wait : free) {
			Admission.Granted<TokenBucketState> granted = granted(state, law, START);
			assertThat(granted.waitNanos()).isEqualTo(wait);
			state = granted.next();
		}
	}

	private static Admission.Granted<TokenBucketState> granted(TokenBucketState state, QosClass.TokenBucket law,
			long now) {
		return (Admission.Granted<TokenBucketState>) state.reserve(law, 1, now, Long.MAX_VALUE);
	}

}

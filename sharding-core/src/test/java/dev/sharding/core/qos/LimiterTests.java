package dev.sharding.core.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LimiterTests {

	private static final long START = near(Long.MAX_VALUE);

	@Property(tries = 1_000)
	void bucketNeverExceedsRateByMoreThanBurst(@ForAll @DoubleRange(min = 0.5, max = 5_000) double qps,
			@ForAll @LongRange(min = 1, max = 50) long burst,
			@ForAll @Size(min = 1, max = 60) List<@LongRange(min = 0, max = 900_000_000) Long> pauses,
			@ForAll @LongRange(min = 0, max = 2_000_000_000) long longestWait) {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(qps, burst);
		TokenBucketState state = TokenBucketState.full(START);
		List<Long> admitted = new ArrayList<>();
		long now = START;
		for (long pause : pauses) {
			now += pause;
			Admission<TokenBucketState> answer = state.reserve(limit, 1, now, longestWait);
			if (answer instanceof Admission.Granted<TokenBucketState> granted) {
				assertThat(granted.waitNanos()).isBetween(0L, longestWait);
				admitted.add(now + granted.waitNanos());
				state = granted.next();
			}
			else {
				assertThat(((Admission.Refused<TokenBucketState>) answer).retryAfterNanos()).isGreaterThan(longestWait);
			}
		}
		assertThat(admitted).isNotEmpty();
		for (int i = 0; i < admitted.size(); i++) {
			for (int j = i; j < admitted.size(); j++) {
				double allowed = burst + qps * (admitted.get(j) - admitted.get(i)) / 1e9;
				assertThat(j - i + 1.0).isLessThanOrEqualTo(allowed + 1e-6);
			}
		}
	}

	@Property(tries = 300)
	void bucketIsNeverIdleWhenThereIsDemand(@ForAll @DoubleRange(min = 0.5, max = 5_000) double qps,
			@ForAll @LongRange(min = 1, max = 50) long burst, @ForAll @IntRange(min = 60, max = 400) int requests) {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(qps, burst);
		TokenBucketState state = TokenBucketState.full(START);
		long last = 0;
		for (int i = 0; i < requests; i++) {
			Admission.Granted<TokenBucketState> granted = granted(state.reserve(limit, 1, START, Long.MAX_VALUE));
			state = granted.next();
			last = granted.waitNanos();
		}
		double ideal = (requests - burst) * 1e9 / qps;
		assertThat((double) last).isBetween(ideal - 1, ideal + requests + 1);
	}

	@Test
	void bucketGivesBackWhatWasNotUsedAndHoldsWhenTold() {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(1, 1);
		TokenBucketState empty = granted(TokenBucketState.full(START).reserve(limit, 1, START, 0)).next();
		assertThat(empty.reserve(limit, 1, START, 0)).isEqualTo(new Admission.Refused<>(1_000_000_000));
		assertThat(empty.giveBack(limit, 1).reserve(limit, 1, START, 0)).isInstanceOf(Admission.Granted.class);
		TokenBucketState held = TokenBucketState.full(START).holdUntil(limit, START + 5_000_000_000L);
		assertThat(held.reserve(limit, 1, START, 0)).isEqualTo(new Admission.Refused<>(5_000_000_000L));
	}

	@Test
	void bucketGrantsCostAboveBurstAfterALongerWait() {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(1_000, 100);
		assertThat(granted(TokenBucketState.full(START).reserve(limit, 600, START, Long.MAX_VALUE)).waitNanos())
			.isEqualTo(500_000_000);
		assertThat(TokenBucketState.full(START).reserve(limit, Long.MAX_VALUE, START, 1_000_000_000L))
			.isInstanceOf(Admission.Refused.class);
	}

	@Property(tries = 1_000)
	void windowNeverHoldsMoreThanItsUnits(@ForAll @IntRange(min = 5, max = 40) int units,
			@ForAll @Size(min = 1, max = 80) List<@LongRange(min = 0, max = 100_000_000) Long> pauses,
			@ForAll @LongRange(min = 0, max = 3_000_000_000L) long longestWait,
			@ForAll @IntRange(min = 1, max = 5) int cost) {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(units, Duration.ofSeconds(1));
		RunningWindowState state = RunningWindowState.empty(START);
		List<Long> admitted = new ArrayList<>();
		long now = START;
		for (long pause : pauses) {
			now += pause;
			Admission<RunningWindowState> answer = state.reserve(limit, cost, now, longestWait);
			if (answer instanceof Admission.Granted<RunningWindowState> granted) {
				assertThat(granted.waitNanos()).isBetween(0L, longestWait);
				admitted.add(now + granted.waitNanos());
				state = granted.next();
			}
		}
		assertThat(admitted).isNotEmpty().isSortedAccordingTo((left, right) -> Long.signum(left - right));
		for (int i = 0; i < admitted.size(); i++) {
			long start = admitted.get(i);
			long inside = admitted.stream()
				.filter((time) -> time - start >= 0 && time - start < Duration.ofSeconds(1).toNanos())
				.count();
			assertThat(inside * cost).isLessThanOrEqualTo(units);
		}
	}

	@Property(tries = 200)
	void windowIsNeverIdleWhenThereIsDemand(@ForAll @IntRange(min = 5, max = 40) int units,
			@ForAll @IntRange(min = 1, max = 200) int requests) {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(units, Duration.ofSeconds(1));
		RunningWindowState state = RunningWindowState.empty(START);
		long last = 0;
		for (int i = 0; i < requests; i++) {
			Admission.Granted<RunningWindowState> granted = granted(state.reserve(limit, 1, START, Long.MAX_VALUE));
			state = granted.next();
			last = granted.waitNanos();
		}
		// A window and the slice in which its first unit may have come.
		double perBatch = 1e9 * 33 / 32;
		assertThat((double) last).isLessThanOrEqualTo(perBatch * ((requests - 1) / units) + 1);
	}

	@Test
	void windowGrantsCostAboveItsUnitsWhenEmpty() {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(10, Duration.ofSeconds(1));
		RunningWindowState used = granted(RunningWindowState.empty(START).reserve(limit, 11, START, 0)).next();
		assertThat(used.reserve(limit, 1, START, 0)).isInstanceOf(Admission.Refused.class);
		assertThat(used.reserve(limit, 11, START + 1_100_000_000, 0)).isInstanceOf(Admission.Granted.class);
	}

	/* No constant, so that the clock may overflow as that of the machine may. */
	private static long near(long end) {
		return end - 1_000_000;
	}

	private static <S> Admission.Granted<S> granted(Admission<S> admission) {
		assertThat(admission).isInstanceOf(Admission.Granted.class);
		return (Admission.Granted<S>) admission;
	}

}

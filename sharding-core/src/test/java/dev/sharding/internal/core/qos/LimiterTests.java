package dev.sharding.internal.core.qos;

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

import dev.sharding.qos.spi.QosClass;

import static org.assertj.core.api.Assertions.assertThat;

class LimiterTests {

	private static final long START = near(Long.MAX_VALUE);

	@Property
	void burstIsThereAtOnceWhateverTheRate(@ForAll @DoubleRange(min = 0.01, max = 10_000) double qps,
			@ForAll @IntRange(min = 1, max = 200) int burst) {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(qps, burst);
		TokenBucketState state = TokenBucketState.full(START);
		for (int i = 0; i < burst; i++) {
			state = granted(state.reserve(limit, 1, START, 0)).next();
		}
		assertThat(state.reserve(limit, 1, START, 0)).isInstanceOf(Admission.Refused.class);
	}

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

	@Property(tries = 1_000)
	void bucketNeverExceedsRateByMoreThanBurstOrOneLargeCostThoughSomeGiveUp(
			@ForAll @DoubleRange(min = 0.5, max = 50) double qps, @ForAll @LongRange(min = 1, max = 10) long burst,
			@ForAll @Size(min = 1, max = 80) List<@LongRange(min = 0, max = 300_000_000) Long> pauses,
			@ForAll @Size(min = 80, max = 80) List<@IntRange(min = 0, max = 5) Integer> choices) {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(qps, burst);
		TokenBucketState state = TokenBucketState.full(START);
		List<long[]> admitted = new ArrayList<>();
		long now = START;
		for (int i = 0; i < pauses.size(); i++) {
			now += pauses.get(i);
			long time = now;
			int choice = choices.get(i);
			List<long[]> waiting = admitted.stream().filter((one) -> one[0] - time > 0).toList();
			if (choice == 0 && !waiting.isEmpty()) {
				long[] gone = waiting.get(i % waiting.size());
				admitted.remove(gone);
				state = state.giveBack(limit, gone[1], gone[0]);
			}
			else {
				long cost = Math.max(1, 3L * choice);
				Admission.Granted<TokenBucketState> granted = granted(state.reserve(limit, cost, now, Long.MAX_VALUE));
				admitted.add(new long[] { now + granted.waitNanos(), cost });
				state = granted.next();
			}
		}
		admitted.sort((a, b) -> Long.compare(a[0] - START, b[0] - START));
		for (int i = 0; i < admitted.size(); i++) {
			long sum = 0;
			double allowed = burst;
			for (int j = i; j < admitted.size(); j++) {
				sum += admitted.get(j)[1];
				double rate = qps * (admitted.get(j)[0] - admitted.get(i)[0]) / 1e9;
				// A cost above the burst is paid for after it went.
				allowed = Math.max(allowed, rate + Math.max(burst, admitted.get(j)[1]));
				assertThat((double) sum).isLessThanOrEqualTo(allowed + 1e-5);
			}
		}
	}

	@Test
	void aPlaceThatWasGivenUpIsTakenByTheNextWhoCanStillUseIt() {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(1, 1);
		long second = 1_000_000_000;
		TokenBucketState three = granted(TokenBucketState.full(START).reserve(limit, 1, START, 0)).next();
		for (int i = 1; i <= 2; i++) {
			Admission.Granted<TokenBucketState> next = granted(three.reserve(limit, 1, START, 9 * second));
			assertThat(next.waitNanos()).isEqualTo(i * second);
			three = next.next();
		}
		TokenBucketState free = three.giveBack(limit, 1, START + second);
		assertThat(granted(free.reserve(limit, 1, START, 9 * second)).waitNanos()).isEqualTo(second);
		assertThat(granted(free.reserve(limit, 1, START + second / 2 * 3, 9 * second)).waitNanos())
			.isEqualTo(second / 2 * 3);
		assertThat(three.giveBack(limit, 1, START + 2 * second).given()).isEmpty();
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
		TokenBucketState booked = granted(empty.reserve(limit, 1, START, 1_000_000_000)).next();
		assertThat(booked.giveBack(limit, 1, START + 1_000_000_000)).isEqualTo(empty);
		TokenBucketState held = TokenBucketState.full(START).holdUntil(limit, START + 5_000_000_000L);
		assertThat(held.reserve(limit, 1, START, 0)).isEqualTo(new Admission.Refused<>(5_000_000_000L));
	}

	@Test
	void aPlaceThatIsGivenUpWhileHeldIsNotTakenBeforeTheHoldEnds() {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(1, 1);
		long second = 1_000_000_000;
		TokenBucketState sent = granted(TokenBucketState.full(START).reserve(limit, 1, START, 0)).next();
		TokenBucketState waits = granted(sent.reserve(limit, 1, START, second)).next();
		TokenBucketState free = waits.holdUntil(limit, START + 5 * second).giveBack(limit, 1, START + second);
		assertThat(free.reserve(limit, 1, START, 0)).isEqualTo(new Admission.Refused<>(5 * second));
		assertThat(free.reserve(limit, 1, START + 5 * second, 0)).isInstanceOf(Admission.Granted.class);
		for (double qps : new double[] { 0.1, 1_000 }) {
			QosClass.TokenBucket other = new QosClass.TokenBucket(qps, 1);
			assertThat(free.changed(limit, other, START).reserve(other, 1, START, 0))
				.isEqualTo(new Admission.Refused<>(5 * second));
		}
	}

	@Property(tries = 1_000)
	void bucketKeepsHoldsAndItsRateThoughSomeGiveUp(@ForAll @DoubleRange(min = 0.5, max = 50) double qps,
			@ForAll @LongRange(min = 1, max = 10) long burst,
			@ForAll @Size(min = 1, max = 80) List<@LongRange(min = 0, max = 300_000_000) Long> pauses,
			@ForAll @Size(min = 80, max = 80) List<@IntRange(min = 0, max = 5) Integer> choices) {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(qps, burst);
		TokenBucketState state = TokenBucketState.full(START);
		List<Long> admitted = new ArrayList<>();
		long now = START;
		long held = START;
		for (int i = 0; i < pauses.size(); i++) {
			now += pauses.get(i);
			long time = now;
			List<Long> waiting = admitted.stream().filter((one) -> one - time > 0).toList();
			if (choices.get(i) == 0) {
				long until = now + 3 * pauses.get(i);
				held = (until - held > 0) ? until : held;
				state = state.holdUntil(limit, until);
			}
			else if (choices.get(i) <= 2 && !waiting.isEmpty()) {
				Long gone = waiting.get(i % waiting.size());
				admitted.remove(gone);
				state = state.giveBack(limit, 1, gone);
			}
			else {
				Admission.Granted<TokenBucketState> granted = granted(state.reserve(limit, 1, now, Long.MAX_VALUE));
				long due = now + granted.waitNanos();
				assertThat(due - held).isGreaterThanOrEqualTo(0);
				admitted.add(due);
				state = granted.next();
			}
		}
		admitted.sort((a, b) -> Long.compare(a - START, b - START));
		for (int i = 0; i < admitted.size(); i++) {
			for (int j = i; j < admitted.size(); j++) {
				double allowed = burst + qps * (admitted.get(j) - admitted.get(i)) / 1e9;
				assertThat(j - i + 1.0).isLessThanOrEqualTo(allowed + 1e-5);
			}
		}
	}

	@Test
	void bucketGrantsCostAboveBurstWhenFullAndLaterOnesPayForIt() {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(1_000, 100);
		TokenBucketState full = TokenBucketState.full(START);
		TokenBucketState owing = granted(full.reserve(limit, 600, START, 0)).next();
		assertThat(owing.reserve(limit, 1, START, 0)).isEqualTo(new Admission.Refused<>(501_000_000));
		assertThat(owing.reserve(limit, 600, START, 0)).isEqualTo(new Admission.Refused<>(600_000_000));
		TokenBucketState both = granted(owing.reserve(limit, 600, START, 600_000_000)).next();
		assertThat(both.giveBack(limit, 600, START + 600_000_000)).isEqualTo(owing);
		TokenBucketState tapped = granted(full.reserve(limit, 1, START, 0)).next();
		assertThat(tapped.reserve(limit, 600, START, 0)).isEqualTo(new Admission.Refused<>(1_000_000));
		assertThat(full.reserve(limit, Long.MAX_VALUE, START, 0)).isInstanceOf(Admission.Granted.class);
	}

	@Property(tries = 500)
	void whoComesBackWhenTheBucketSaidGoesAtOnce(@ForAll @DoubleRange(min = 0.5, max = 50) double qps,
			@ForAll @LongRange(min = 1, max = 10) long burst,
			@ForAll @Size(min = 1, max = 60) List<@LongRange(min = 0, max = 300_000_000) Long> pauses,
			@ForAll @Size(min = 60, max = 60) List<@IntRange(min = 1, max = 20) Integer> costs,
			@ForAll @LongRange(min = 0, max = 2_000_000_000) long longestWait) {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(qps, burst);
		TokenBucketState state = TokenBucketState.full(START);
		long now = START;
		for (int i = 0; i < pauses.size(); i++) {
			now += pauses.get(i);
			Admission<TokenBucketState> answer = state.reserve(limit, costs.get(i), now, longestWait);
			if (answer instanceof Admission.Refused<TokenBucketState> refused) {
				long later = now + refused.retryAfterNanos();
				assertThat(granted(state.reserve(limit, costs.get(i), later, 0)).waitNanos()).isZero();
				assertThat(state.reserve(limit, costs.get(i), later - 1, 0)).isInstanceOf(Admission.Refused.class);
			}
			else {
				Admission.Granted<TokenBucketState> granted = granted(answer);
				boolean givesUp = granted.waitNanos() > 0 && costs.get(i) % 3 == 0;
				state = givesUp ? granted.next().giveBack(limit, costs.get(i), now + granted.waitNanos())
						: granted.next();
			}
		}
	}

	@Property(tries = 500)
	void leakyBucketNeverLetsTwoGoCloserThanItsRate(@ForAll @DoubleRange(min = 0.5, max = 5_000) double qps,
			@ForAll @IntRange(min = 0, max = 20) int queue,
			@ForAll @Size(min = 1, max = 60) List<@LongRange(min = 0, max = 300_000_000) Long> pauses) {
		QosClass.LeakyBucket limit = new QosClass.LeakyBucket(qps, queue);
		long longestWait = limit.longestWait(Duration.ofHours(1)).toNanos();
		TokenBucketState state = TokenBucketState.full(START);
		List<Long> admitted = new ArrayList<>();
		long now = START;
		for (long pause : pauses) {
			now += pause;
			Admission<TokenBucketState> answer = state.reserve(limit.asTokenBucket(), 1, now, longestWait);
			if (answer instanceof Admission.Granted<TokenBucketState> granted) {
				admitted.add(now + granted.waitNanos());
				state = granted.next();
			}
			else {
				// As many wait as the queue holds.
				long time = now;
				assertThat(admitted.stream().filter((admission) -> admission - time > 0).count())
					.isGreaterThanOrEqualTo(queue);
			}
		}
		assertThat(admitted).isNotEmpty();
		for (int i = 1; i < admitted.size(); i++) {
			assertThat((admitted.get(i) - admitted.get(i - 1)) * qps).isGreaterThanOrEqualTo(1e9 - 1);
		}
	}

	@Property(tries = 500)
	void changeOfALimitGivesNobodyMoreThanTheLargerOfBoth(@ForAll @DoubleRange(min = 1, max = 100) double before,
			@ForAll @DoubleRange(min = 1, max = 100) double after, @ForAll @LongRange(min = 1, max = 20) long burst,
			@ForAll @IntRange(min = 0, max = 30) int used,
			@ForAll @LongRange(min = 0, max = 3_000_000_000L) long pause) {
		QosClass.TokenBucket first = new QosClass.TokenBucket(before, burst);
		QosClass.TokenBucket second = new QosClass.TokenBucket(after, burst);
		TokenBucketState state = TokenBucketState.full(START);
		int admitted = 0;
		for (int i = 0; i < used; i++) {
			if (state.reserve(first, 1, START, 0) instanceof Admission.Granted<TokenBucketState> granted) {
				state = granted.next();
				admitted++;
			}
		}
		long now = START + pause;
		state = state.changed(first, second, now);
		while (state.reserve(second, 1, now, 0) instanceof Admission.Granted<TokenBucketState> granted) {
			state = granted.next();
			admitted++;
		}
		assertThat((double) admitted).isLessThanOrEqualTo(burst + Math.max(before, after) * pause / 1e9 + 1e-6);
		// Each unit was rounded to a nanosecond of the other rate.
		assertThat(granted(state.reserve(second, 1, now, Long.MAX_VALUE)).waitNanos())
			.isLessThanOrEqualTo((long) (1e9 / after + burst * (before / after + 2)) + 1);
	}

	@Test
	void changeOfAWindowKeepsWhatWasUsed() {
		QosClass.RunningWindow first = new QosClass.RunningWindow(10, Duration.ofSeconds(1));
		RunningWindowState used = granted(RunningWindowState.empty(START).reserve(first, 8, START, 0)).next();
		QosClass.RunningWindow more = new QosClass.RunningWindow(12, Duration.ofSeconds(1));
		assertThat(used.changed(first, more, START).reserve(more, 4, START, 0)).isInstanceOf(Admission.Granted.class);
		assertThat(used.changed(first, more, START).reserve(more, 5, START, 0)).isInstanceOf(Admission.Refused.class);
		QosClass.RunningWindow longer = new QosClass.RunningWindow(10, Duration.ofSeconds(9));
		assertThat(used.changed(first, longer, START).reserve(longer, 2, START, 0))
			.isInstanceOf(Admission.Granted.class);
		assertThat(used.changed(first, longer, START).reserve(longer, 3, START, 0))
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
		assertThat(last).isEqualTo(1_000_000_000L * ((requests - 1) / units));
	}

	@Property(tries = 500)
	void windowThatIsAlwaysInDemandIsUsedInFull(@ForAll @IntRange(min = 5, max = 40) int units,
			@ForAll @LongRange(min = 1_000_000, max = 2_000_000_000) long nanos,
			@ForAll @Size(min = 1, max = 80) List<@LongRange(min = 0, max = 100_000_000) Long> pauses) {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(units, Duration.ofNanos(nanos));
		RunningWindowState state = RunningWindowState.empty(START);
		List<Long> exact = new ArrayList<>();
		long now = START;
		long waited = 0;
		int requests = pauses.size() + 50 * units;
		for (int i = 0; i < requests; i++) {
			now += (i < pauses.size()) ? pauses.get(i) : 0;
			Admission.Granted<RunningWindowState> granted = granted(state.reserve(limit, 1, now, Long.MAX_VALUE));
			state = granted.next();
			waited = granted.waitNanos();
			long asked = now - START;
			exact.add((i < units) ? asked : Math.max(asked, exact.get(i - units) + nanos));
		}
		long late = now - START + waited - exact.get(requests - 1);
		// However many windows it were.
		assertThat(late).isBetween(0L, nanos / 16);
	}

	@Property(tries = 1_000)
	void windowNeverHoldsMoreThanItsUnitsThoughSomeGiveUp(@ForAll @IntRange(min = 5, max = 40) int units,
			@ForAll @Size(min = 1, max = 80) List<@LongRange(min = 0, max = 100_000_000) Long> pauses,
			@ForAll @Size(min = 80, max = 80) List<@IntRange(min = 0, max = 5) Integer> choices,
			@ForAll @LongRange(min = 0, max = 3_000_000_000L) long longestWait,
			@ForAll @LongRange(min = 1_000_000, max = 3_000_000_000L) long nanos) {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(units, Duration.ofNanos(nanos));
		RunningWindowState state = RunningWindowState.empty(START);
		List<long[]> admitted = new ArrayList<>();
		long now = START;
		for (int i = 0; i < pauses.size(); i++) {
			now += pauses.get(i);
			long time = now;
			int choice = choices.get(i);
			List<long[]> waiting = admitted.stream().filter((one) -> one[0] - time > 0).toList();
			if (choice == 0 && !waiting.isEmpty()) {
				long[] gone = waiting.get(i % waiting.size());
				admitted.remove(gone);
				state = state.giveBack(limit, gone[1], gone[0]);
				continue;
			}
			Admission<RunningWindowState> answer = state.reserve(limit, choice, now, longestWait);
			if (answer instanceof Admission.Refused<RunningWindowState> refused) {
				long later = now + refused.retryAfterNanos();
				assertThat(refused.retryAfterNanos()).isGreaterThan(longestWait);
				assertThat(granted(state.reserve(limit, choice, later, 0)).waitNanos()).isZero();
				assertThat(state.reserve(limit, choice, later - 1, 0)).isInstanceOf(Admission.Refused.class);
			}
			else {
				admitted.add(new long[] { now + granted(answer).waitNanos(), choice });
				state = granted(answer).next();
			}
		}
		for (long[] first : admitted) {
			long inside = admitted.stream()
				.filter((one) -> one[0] - first[0] >= 0 && one[0] - first[0] < nanos)
				.mapToLong((one) -> one[1])
				.sum();
			assertThat(inside).isLessThanOrEqualTo(units);
		}
	}

	@Property(tries = 300)
	void placesInAWindowThatWereGivenUpAreTakenAgain(@ForAll @IntRange(min = 1, max = 20) int units,
			@ForAll @Size(min = 1, max = 60) List<@IntRange(min = 1, max = 30) Integer> costs) {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(units, Duration.ofSeconds(1));
		RunningWindowState used = granted(RunningWindowState.empty(START).reserve(limit, units, START, 0)).next();
		RunningWindowState state = used;
		List<Long> waits = new ArrayList<>();
		for (int cost : costs) {
			Admission.Granted<RunningWindowState> granted = granted(state.reserve(limit, cost, START, Long.MAX_VALUE));
			waits.add(granted.waitNanos());
			state = granted.next();
		}
		for (int i = 0; i < waits.size(); i++) {
			state = state.giveBack(limit, costs.get(i), START + waits.get(i));
		}
		for (int i = 0; i < waits.size(); i++) {
			Admission.Granted<RunningWindowState> again = granted(
					state.reserve(limit, costs.get(i), START, Long.MAX_VALUE));
			assertThat(again.waitNanos()).isEqualTo(waits.get(i));
			state = again.next();
		}
	}

	@Test
	void windowLetsNothingGoBeforeTheTimeUntilWhichItIsHeld() {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(10, Duration.ofSeconds(1));
		RunningWindowState held = RunningWindowState.empty(START)
			.holdUntil(START + 5_000_000_123L)
			.holdUntil(START + 1);
		assertThat(held.reserve(limit, 1, START, 0)).isEqualTo(new Admission.Refused<>(5_000_000_123L));
		Admission.Granted<RunningWindowState> waiting = granted(held.reserve(limit, 10, START, 6_000_000_000L));
		assertThat(waiting.waitNanos()).isEqualTo(5_000_000_123L);
		assertThat(waiting.next().reserve(limit, 1, START, 0)).isInstanceOf(Admission.Refused.class);
		RunningWindowState free = waiting.next().giveBack(limit, 10, START + 5_000_000_123L);
		assertThat(free.reserve(limit, 10, START + 5_000_000_123L, 0)).isInstanceOf(Admission.Granted.class);
		QosClass.RunningWindow other = new QosClass.RunningWindow(10, Duration.ofSeconds(9));
		assertThat(held.changed(limit, other, START).reserve(other, 1, START, 0))
			.isEqualTo(new Admission.Refused<>(5_000_000_123L));
	}

	@Test
	void smallCostGoesBeforeALargeOneThatHasToWait() {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(10, Duration.ofSeconds(1));
		RunningWindowState state = granted(RunningWindowState.empty(START).reserve(limit, 8, START, 0)).next();
		Admission.Granted<RunningWindowState> large = granted(state.reserve(limit, 10, START, Long.MAX_VALUE));
		assertThat(large.waitNanos()).isPositive();
		assertThat(granted(large.next().reserve(limit, 2, START, 0)).waitNanos()).isZero();
		// Later it would be in one window with the large one.
		assertThat(large.next().reserve(limit, 2, START + 500_000_000, 0)).isInstanceOf(Admission.Refused.class);
	}

	@Test
	void timeUntilAPlaceIsFreeFollowsFromHowLongFlightsTake() {
		FlightTimes times = FlightTimes.from(START);
		assertThat(times.untilPlace(0, 1, START)).isEqualTo(100_000_000);
		assertThat(times.untilPlace(0, 1, START + 3_000_000_000L)).isEqualTo(3_000_000_000L);
		FlightTimes known = times.ended(2_000_000_000);
		assertThat(known.untilPlace(0, 2, START + 9_000_000_000L)).isEqualTo(1_000_000_000);
		assertThat(known.untilPlace(3, 2, START)).isEqualTo(4_000_000_000L);
		assertThat(known.ended(1_000_000_000).meanNanos()).isEqualTo(1_700_000_000);
		assertThat(FlightTimes.from(START).ended(0).untilPlace(0, 5, START)).isEqualTo(1);
	}

	@Test
	void windowGrantsCostAboveItsUnitsWhenEmpty() {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(10, Duration.ofSeconds(1));
		RunningWindowState used = granted(RunningWindowState.empty(START).reserve(limit, 11, START, 0)).next();
		assertThat(used.reserve(limit, 1, START, 0)).isInstanceOf(Admission.Refused.class);
		assertThat(used.reserve(limit, 11, START + 999_999_999, 0)).isInstanceOf(Admission.Refused.class);
		assertThat(used.reserve(limit, 11, START + 1_000_000_000, 0)).isInstanceOf(Admission.Granted.class);
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

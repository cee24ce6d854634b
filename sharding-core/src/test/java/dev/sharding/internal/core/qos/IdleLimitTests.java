package dev.sharding.internal.core.qos;

import java.time.Duration;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

import dev.sharding.qos.spi.QosClass;

import static org.assertj.core.api.Assertions.assertThat;

/** A limit that is idle does what a fresh one does, so that it need not be kept. */
class IdleLimitTests {

	private static final long START = Long.MAX_VALUE - 2_000_000_000L;

	@Property(tries = 500)
	void fullBucketIsAsAFreshOne(@ForAll @DoubleRange(min = 0.5, max = 50) double qps,
			@ForAll @LongRange(min = 1, max = 10) long burst,
			@ForAll @Size(min = 1, max = 60) List<@LongRange(min = 0, max = 2_000_000_000) Long> pauses,
			@ForAll @Size(min = 60, max = 60) List<@IntRange(min = 0, max = 8) Integer> choices,
			@ForAll @LongRange(min = 0, max = 3_000_000_000L) long longestWait) {
		QosClass.TokenBucket limit = new QosClass.TokenBucket(qps, burst);
		TokenBucketState used = TokenBucketState.full(START);
		TokenBucketState fresh = null;
		long now = START;
		long due = START;
		for (int i = 0; i < pauses.size(); i++) {
			now += pauses.get(i);
			int choice = choices.get(i);
			if (fresh == null && used.isFull(now)) {
				fresh = TokenBucketState.full(now);
			}
			if (choice == 0) {
				used = used.holdUntil(limit, now + 500_000_000);
				fresh = (fresh != null) ? fresh.holdUntil(limit, now + 500_000_000) : null;
			}
			else if (choice == 1 && due - now > 0) {
				used = used.giveBack(limit, 1, due);
				fresh = (fresh != null) ? fresh.giveBack(limit, 1, due) : null;
				due = START;
			}
			else {
				Admission<TokenBucketState> answer = used.reserve(limit, (choice == 8) ? 8 : 1, now, longestWait);
				if (fresh != null) {
					Admission<TokenBucketState> other = fresh.reserve(limit, (choice == 8) ? 8 : 1, now, longestWait);
					assertThat(wait(other)).isEqualTo(wait(answer));
					fresh = next(other, fresh);
				}
				due = (choice != 8 && answer instanceof Admission.Granted<TokenBucketState> granted)
						? now + granted.waitNanos() : START;
				used = next(answer, used);
			}
		}
	}

	@Property(tries = 500)
	void emptyWindowIsAsOneThatWasNeverUsed(@ForAll @IntRange(min = 1, max = 20) int units,
			@ForAll @Size(min = 1, max = 60) List<@LongRange(min = 0, max = 700_000_000) Long> pauses,
			@ForAll @Size(min = 60, max = 60) List<@IntRange(min = 0, max = 8) Integer> choices,
			@ForAll @LongRange(min = 0, max = 3_000_000_000L) long longestWait) {
		QosClass.RunningWindow limit = new QosClass.RunningWindow(units, Duration.ofSeconds(1));
		RunningWindowState used = RunningWindowState.empty(START);
		RunningWindowState fresh = null;
		long now = START;
		for (int i = 0; i < pauses.size(); i++) {
			now += pauses.get(i);
			if (fresh == null && used.isEmpty(limit, now)) {
				fresh = RunningWindowState.empty(START);
			}
			if (choices.get(i) == 0) {
				used = used.holdUntil(now + 500_000_000);
				fresh = (fresh != null) ? fresh.holdUntil(now + 500_000_000) : null;
				continue;
			}
			Admission<RunningWindowState> answer = used.reserve(limit, choices.get(i), now, longestWait);
			if (fresh != null) {
				Admission<RunningWindowState> other = fresh.reserve(limit, choices.get(i), now, longestWait);
				assertThat(wait(other)).isEqualTo(wait(answer));
				fresh = next(other, fresh);
			}
			used = next(answer, used);
		}
	}

	/* Below zero for a refusal. */
	private static long wait(Admission<?> answer) {
		return (answer instanceof Admission.Granted<?> granted) ? granted.waitNanos()
				: -((Admission.Refused<?>) answer).retryAfterNanos();
	}

	private static <S> S next(Admission<S> answer, S before) {
		return (answer instanceof Admission.Granted<S> granted) ? granted.next() : before;
	}

}

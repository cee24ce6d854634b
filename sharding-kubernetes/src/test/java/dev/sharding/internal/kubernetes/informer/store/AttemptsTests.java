package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;

import dev.sharding.internal.kubernetes.informer.InformerTimings;
import dev.sharding.internal.kubernetes.informer.store.Attempts.Next;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class AttemptsTests {

	private static final double FULL = 1.0;

	private final Attempts attempts = new Attempts(InformerTimings.DEFAULT);

	@Test
	void watchesAtOnceAfterAList() {
		assertThat(this.attempts.listed()).isEqualTo(new Next(Duration.ZERO, false, false));
	}

	@Test
	void reopensAtOnceAWatchThatLived() {
		assertThat(this.attempts.ended(true, FULL)).isEqualTo(new Next(Duration.ZERO, false, false));
	}

	@Test
	void pausesLongerAndLongerWhileWatchesEndAtOnce() {
		assertThat(this.attempts.ended(false, FULL)).isEqualTo(new Next(Duration.ofMillis(800), false, false));
		assertThat(this.attempts.ended(false, FULL).pause()).isEqualTo(Duration.ofMillis(1600));
		assertThat(this.attempts.ended(true, FULL).pause()).isZero();
		assertThat(this.attempts.ended(false, FULL).pause()).isEqualTo(Duration.ofMillis(800));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 401, 403, 429, 500, 503, 504 })
	void keepsItsPlaceWhileTheServerIsAway(int status) {
		for (int i = 0; i < 100; i++) {
			Next next = this.attempts.refused(status, null, FULL);
			assertThat(next.relist()).isFalse();
			assertThat(next.failing()).isTrue();
			assertThat(next.pause()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(30));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 404, 410, 422, WatchReader.UNREADABLE })
	void listsAnewWhatCannotContinue(int status) {
		assertThat(this.attempts.refused(status, null, FULL).relist()).isTrue();
		assertThat(this.attempts.errored(true, status, null, FULL).relist()).isTrue();
	}

	@Test
	void listsAtOnceWhenAWatchExpired() {
		assertThat(this.attempts.errored(true, 410, null, FULL)).isEqualTo(new Next(Duration.ZERO, true, false));
		assertThat(this.attempts.listed().pause()).isZero();
		// The list did not help: not again in a tight loop.
		assertThat(this.attempts.refused(410, null, FULL).pause()).isPositive();
	}

	@Test
	void listsAtOnceWhenTheServerComesBackAndTheWatchHasExpiredMeanwhile() {
		for (int i = 0; i < 10; i++) {
			this.attempts.refused(0, null, FULL);
		}
		assertThat(this.attempts.errored(false, 410, null, FULL)).isEqualTo(new Next(Duration.ZERO, true, false));
		// The list may fail, as when the server begins once more.
		assertThat(this.attempts.refused(0, null, FULL).pause()).isEqualTo(Duration.ofMillis(800));
		assertThat(this.attempts.listed().pause()).isZero();
		assertThat(this.attempts.errored(false, 410, null, FULL).pause()).isPositive();
		this.attempts.ended(true, FULL);
		assertThat(this.attempts.errored(false, 410, null, FULL).pause()).isZero();
	}

	@Test
	void listsAnewAfterThreeErrorsInsideWatches() {
		assertThat(this.attempts.errored(true, 500, null, FULL).relist()).isFalse();
		assertThat(this.attempts.ended(true, FULL).relist()).isFalse();
		assertThat(this.attempts.errored(true, 504, null, FULL).relist()).isFalse();
		assertThat(this.attempts.errored(true, 500, null, FULL).relist()).isTrue();
		this.attempts.listed();
		assertThat(this.attempts.errored(true, 500, null, FULL).relist()).isFalse();
	}

	@Test
	void waitsAsLongAsTheServerAsks() {
		assertThat(this.attempts.refused(429, Duration.ofSeconds(7), FULL).pause()).isEqualTo(Duration.ofSeconds(7));
		assertThat(this.attempts.refused(429, Duration.ofMillis(1), FULL).pause()).isEqualTo(Duration.ofMillis(1600));
	}

	@ParameterizedTest
	@CsvSource({ "1, 800", "2, 1600", "3, 3200", "6, 25600", "7, 30000", "1000, 30000" })
	void doublesTheWaitUpToItsCap(int failures, long millis) {
		assertThat(InformerTimings.DEFAULT.retryAfter(failures, 1)).isEqualTo(Duration.ofMillis(millis));
		assertThat(InformerTimings.DEFAULT.retryAfter(failures, 0)).isEqualTo(Duration.ofMillis(millis / 2));
	}

	@Property
	void drawsWaitsFromTheUpperHalf(@ForAll @IntRange(min = 1, max = 100_000) int failures,
			@ForAll @DoubleRange(min = 0, max = 1) double random) {
		Duration full = InformerTimings.DEFAULT.retryAfter(failures, 1);
		assertThat(InformerTimings.DEFAULT.retryAfter(failures, random)).isBetween(full.dividedBy(2), full);
	}

	@Property
	void drawsTheLengthOfAWatch(@ForAll @DoubleRange(min = 0, max = 1) double random) {
		assertThat(InformerTimings.DEFAULT.watchSeconds(random)).isBetween(300L, 600L);
	}

	@Test
	void refusesImpossibleTimings() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> InformerTimings.DEFAULT.withRetry(Duration.ofSeconds(2), Duration.ofSeconds(1)))
			.withMessage("'longestRetry' must not be shorter than 'firstRetry' (is PT1S, PT2S)");
		assertThatIllegalArgumentException().isThrownBy(() -> InformerTimings.DEFAULT.withSilence(Duration.ZERO))
			.withMessage("'silence' must be positive (is PT0S)");
	}

}

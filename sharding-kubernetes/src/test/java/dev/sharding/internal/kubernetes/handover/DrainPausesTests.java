package dev.sharding.internal.kubernetes.handover;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.client.ApiException;

import static org.assertj.core.api.Assertions.assertThat;

class DrainPausesTests {

	@Test
	void leavesTheServerAloneForAsLongAsItAsks() {
		assertThat(DrainPauses.after(refusal(429, Duration.ofSeconds(60)), 1, 0)).isEqualTo(Duration.ofSeconds(60));
		assertThat(DrainPauses.after(refusal(429, Duration.ofMillis(1)), 1, 0)).isEqualTo(Duration.ofSeconds(1));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 404, 429, 500, 503 })
	void saysNothingOfWhatPassesAndTriesAgainSoon(int status) {
		assertThat(DrainPauses.isPassing(refusal(status, null))).isTrue();
		assertThat(DrainPauses.after(refusal(status, null), 20, 1)).isEqualTo(Duration.ofSeconds(1));
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 403, 422 })
	void waitsLongerEachTimeForWhatDoesNotPass(int status) {
		ApiException refused = refusal(status, null);
		assertThat(DrainPauses.isPassing(refused)).isFalse();
		assertThat(DrainPauses.after(refused, 1, 0)).isEqualTo(Duration.ofSeconds(1));
		assertThat(DrainPauses.after(refused, 4, 0)).isEqualTo(Duration.ofSeconds(8));
		assertThat(DrainPauses.after(refused, 1000, 0.99)).isBetween(Duration.ofSeconds(25), Duration.ofSeconds(30));
		assertThat(DrainPauses.after(new IllegalStateException(), 2, 0)).isEqualTo(Duration.ofSeconds(2));
	}

	private static ApiException refusal(int status, @Nullable Duration retryAfter) {
		return new ApiException(status, "", retryAfter, "refused", null);
	}

}

package dev.sharding.internal.kubernetes.rest;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;

import static org.assertj.core.api.Assertions.assertThat;

class RetryTimeTests {

	private final AtomicLong nanos = new AtomicLong(-5);

	private final RetryTime time = new RetryTime(this.nanos::get);

	@Test
	void keepsTheLaterOfTwoTimes() {
		this.time.refused(refusal(Duration.ofSeconds(30)));
		pass(Duration.ofSeconds(10));
		this.time.refused(refusal(null));
		assertThat(this.time.left()).isEqualTo(Duration.ofSeconds(20));
		this.time.refused(refusal(Duration.ofSeconds(1)));
		assertThat(this.time.left()).isEqualTo(Duration.ofSeconds(20));
		this.time.refused(refusal(Duration.ofSeconds(40)));
		assertThat(this.time.left()).isEqualTo(Duration.ofSeconds(40));
		pass(Duration.ofSeconds(40));
		assertThat(this.time.left()).isNull();
	}

	@Test
	void tellsWhoIsRefusedTheLaterTimeAtOnce() {
		assertThat(this.time.refused(refusal(null))).isNull();
		assertThat(this.time.refused(refusal(Duration.ofSeconds(30)))).isEqualTo(Duration.ofSeconds(30));
		pass(Duration.ofSeconds(10));
		assertThat(this.time.refused(refusal(Duration.ofSeconds(1)))).isEqualTo(Duration.ofSeconds(20));
		this.time.answered();
		assertThat(this.time.refused(refusal(Duration.ofSeconds(1)))).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void forgetsTheTimeOnceItIsAnswered() {
		this.time.refused(refusal(Duration.ofSeconds(30)));
		this.time.answered();
		assertThat(this.time.left()).isNull();
	}

	private void pass(Duration duration) {
		this.nanos.addAndGet(duration.toNanos());
	}

	private static ApiException refusal(@Nullable Duration retryAfter) {
		return new ApiException(429, "TooManyRequests", retryAfter, "planned", null);
	}

}

package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import dev.sharding.client.ApiException;

import static org.assertj.core.api.Assertions.assertThat;

class ReflectorStatusTests {

	private final AtomicReference<Instant> wall = new AtomicReference<>(Instant.EPOCH);

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

	private final AtomicLong changes = new AtomicLong();

	private final ReflectorStatus status = new ReflectorStatus("secrets", this.wall::get, this.nanos::get,
			this.changes::incrementAndGet);

	@Test
	void aJumpOfTheClockIsNoTime() {
		this.status.failed(new ApiException(500, "", null, "ill", null));
		this.wall.set(Instant.EPOCH.plusSeconds(3600));
		this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
		assertThat(this.status.failingSince()).isEqualTo(Instant.EPOCH);
		assertThat(this.status.failingFor()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void whatNobodyExpectedIsAFailureAsWell() {
		this.status.failed(new OutOfMemoryError("Java heap space"));
		assertThat(this.status.failingSince()).isEqualTo(Instant.EPOCH);
		assertThat(this.status.lastError()).contains("OutOfMemoryError").contains("Java heap space");
		assertThat(this.status.isRefused()).isFalse();
		assertThat(this.changes).hasValue(1);
	}

	@Test
	void theLastFailureTellsWhetherItIsARefusalAndTheFirstSinceWhen() {
		this.status.failed(new ApiException(500, "", null, "ill", null));
		this.wall.set(Instant.EPOCH.plusSeconds(1));
		this.status.failed(new ApiException(403, "Forbidden", null, "no right", null));
		assertThat(this.status.isRefused()).isTrue();
		assertThat(this.status.failingSince()).isEqualTo(Instant.EPOCH);
		assertThat(this.status.lastError()).isEqualTo("no right");
		this.status.failed(new ApiException(404, "", null, "not served", null));
		assertThat(this.status.isRefused()).isTrue();
		this.status.failed(new ApiException(0, "", null, "connection refused", null));
		assertThat(this.status.isRefused()).isFalse();
		this.status.opened();
		assertThat(this.status.failingSince()).isNull();
		assertThat(this.status.failingFor()).isZero();
		assertThat(this.status.lastError()).isEqualTo("connection refused");
	}

}

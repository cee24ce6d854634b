package dev.sharding.shedlock;

import java.time.Duration;
import java.time.Instant;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.lease.LeaseClock;

import static org.assertj.core.api.Assertions.assertThat;

class HeldLockTests {

	private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

	@Test
	void nothingIsWrittenUnderOneThatHasEnded() {
		try (KubernetesClient client = new KubernetesClientBuilder().build()) {
			HeldLock lock = held(client);
			assertThat(lock.allowsWrite(at(27))).isTrue();
			assertThat(lock.allowsWrite(at(28))).isFalse();
			lock.end();
			assertThat(lock.allowsWrite(at(0))).isFalse();
			assertThat(lock.isOver(at(29))).isFalse();
		}
	}

	@Test
	void whatIsLeftGoesByTheMonotonicClock() {
		try (KubernetesClient client = new KubernetesClientBuilder().build()) {
			Moment suspended = new Moment(NOON.plusSeconds(3600), Duration.ofSeconds(10).toNanos());
			assertThat(held(client).left(suspended)).isEqualTo(Duration.ofSeconds(20));
		}
	}

	private static HeldLock held(KubernetesClient client) {
		LockConfiguration configuration = new LockConfiguration(NOON, "job", Duration.ofSeconds(30), Duration.ZERO);
		LeaseLock lock = new LeaseLock("app-lock-job", "app/job", new LockOwner("host"), new LockLeases(client, "ns"),
				LeaseClock.SYSTEM);
		return new HeldLock(configuration, lock, "id", at(0), new Lease());
	}

	private static Moment at(long seconds) {
		return new Moment(NOON.plusSeconds(seconds), Duration.ofSeconds(seconds).toNanos());
	}

}

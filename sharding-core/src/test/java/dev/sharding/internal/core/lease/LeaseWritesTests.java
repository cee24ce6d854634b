package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.WithNull;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static dev.sharding.internal.core.lease.Observed.SHARD;
import static org.assertj.core.api.Assertions.assertThat;

class LeaseWritesTests {

	private static final Instant BEFORE = Instant.parse("2025-12-31T23:59:00Z");

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456789Z");

	private static final Instant MICROS = Instant.parse("2026-01-01T00:00:00.123456Z");

	private static final Duration DURATION = Duration.ofSeconds(15);

	private static final LeaseRecord HELD = new LeaseRecord("shard-a", "shard-a", BEFORE, BEFORE, 15, 3, "me");

	@Test
	@DisplayName("125 created with holder, times and duration")
	void creates() {
		assertThat(LeaseWrites.create(SHARD, DURATION, NOW))
			.isEqualTo(new LeaseRecord("shard-a", "shard-a", MICROS, MICROS, 15, 0, "me"));
	}

	@Test
	@DisplayName("125 renewed with the same acquireTime")
	void renews() {
		assertThat(LeaseWrites.renew(HELD, Duration.ofSeconds(20), NOW))
			.isEqualTo(new LeaseRecord("shard-a", "shard-a", BEFORE, MICROS, 20, 3, "me"));
	}

	@Test
	void aRenewalAtTheTimeThatIsWrittenIsSeen() {
		LeaseRecord renewed = LeaseWrites.renew(HELD, DURATION, BEFORE);
		assertThat(renewed.renewTime()).isEqualTo(BEFORE.plusNanos(1_000));
	}

	@Test
	@DisplayName("126 taken over from the sharder, one more transition")
	void takesOver() {
		LeaseRecord taken = new LeaseRecord("shard-a", "shardlease-controller", BEFORE, BEFORE, 3, 1, "other");
		assertThat(LeaseWrites.takeOver(taken, SHARD, DURATION, NOW))
			.isEqualTo(new LeaseRecord("shard-a", "shard-a", MICROS, MICROS, 15, 2, "me"));
	}

	@Test
	@DisplayName("127 released with an empty holder")
	void releases() {
		assertThat(LeaseWrites.release(HELD, NOW))
			.isEqualTo(new LeaseRecord("shard-a", "", MICROS, MICROS, 1, 3, "me"));
	}

	@Test
	@DisplayName("105 taken by the sharder for twice the duration")
	void sharderTakes() {
		LeaseRecord lease = new LeaseRecord("shard-a", "shard-a", BEFORE, BEFORE, 10, null, null);
		assertThat(LeaseWrites.take(lease, NOW))
			.isEqualTo(new LeaseRecord("shard-a", "shardlease-controller", MICROS, MICROS, 20, 1, null));
	}

	@Test
	void doubledDurationStaysInRange() {
		LeaseRecord lease = new LeaseRecord("shard-a", "shard-a", BEFORE, BEFORE, Integer.MAX_VALUE, 1, null);
		assertThat(LeaseWrites.take(lease, NOW).leaseDurationSeconds()).isEqualTo(Integer.MAX_VALUE);
	}

	@Property
	void writesLeadToTheirStates(@ForAll @WithNull @IntRange(max = 1_000) Integer transitions,
			@ForAll @IntRange(min = 1, max = 600) int seconds) {
		LeaseRecord lease = new LeaseRecord("shard-a", "x", null, null, seconds, transitions, null);
		Duration duration = Duration.ofSeconds(seconds);
		LeaseRecord held = LeaseWrites.takeOver(lease, SHARD, duration, NOW);
		assertThat(ShardState.of(held, NOW)).isEqualTo(ShardState.READY);
		assertThat(SHARD.holds(held)).isTrue();
		assertThat(LeaseLoss.of(SHARD, LeaseWrites.renew(held, duration, NOW))).isNull();
		assertThat(ShardState.of(LeaseWrites.release(held, NOW), NOW)).isEqualTo(ShardState.DEAD);
		LeaseRecord taken = LeaseWrites.take(held, NOW);
		assertThat(ShardState.of(taken, NOW)).isEqualTo(ShardState.DEAD);
		assertThat(taken.leaseTransitions()).isEqualTo(held.leaseTransitions() + 1);
		assertThat(LeaseLoss.of(SHARD, taken)).isEqualTo(LeaseLoss.TAKEN_BY_SHARDER);
	}

}

package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Judges when the sharder took the Leases of shards: {@code leaseStolen}. It may do so
 * two durations after the time of renewal that the Lease says, and one duration after its
 * shard has written it last, whatever others have made of it since.
 */
final class Takes {

	private final ShardLeases leases;

	private final History history;

	private final Findings findings;

	Takes(ShardLeases leases, History history, Findings findings) {
		this.leases = leases;
		this.history = history;
		this.findings = findings;
	}

	void judge() {
		for (String shard : this.leases.shards()) {
			this.leases.of(shard).forEach((lease) -> judge(shard, lease));
		}
	}

	private void judge(String shard, ObjectRef lease) {
		Revision own = null;
		Revision before = null;
		for (Revision revision : this.history.of(lease)) {
			boolean taken = before != null && (before.isHeldBy(ShardLeases.SHARDER) || before.body() == null);
			if (shard.equals(revision.cause().shard())) {
				own = revision.isHeldBy(shard) ? revision : null;
			}
			else if (own != null && !taken && revision.isTakenFrom(shard, before)) {
				judgeTake(own, before, revision.cause());
			}
			before = revision;
		}
	}

	private void judgeTake(Revision own, @Nullable Revision before, AuditEvent take) {
		Duration duration = Duration.ofSeconds(own.lease().durationSeconds());
		Instant earliest = own.received().plus(duration);
		Instant renewed = own.lease().renewed();
		if (before != null && before.lease().equals(own.lease())) {
			Instant dead = ((renewed != null) ? renewed : own.received()).plus(duration.multipliedBy(2));
			earliest = dead.isAfter(earliest) ? dead : earliest;
		}
		if (take.received().isBefore(earliest)) {
			this.findings.add(Counter.LEASE_STOLEN, take.received(),
					"%s: its shard had written it last at %s, so nobody may take it before %s, %d ms later".formatted(
							take, own.received(), earliest, Duration.between(take.received(), earliest).toMillis()));
		}
	}

}

package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Judges when the sharder took the Leases of shards: {@code leaseStolen}. It may do so
 * two durations after the time of renewal that the Lease says, and one duration after its
 * shard has written it last, whatever others have made of it since: one that is edited or
 * deleted by hand may be at work all the same. And not before the grace of one that was
 * given back is over. Another process of the shard may do so one duration after its
 * holder has written it last, whatever others have made of it since.
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
		Instant start = null;
		Instant startSeen = Instant.MAX;
		for (Revision revision : this.history.of(lease)) {
			boolean taken = before != null && before.isHeldBy(ShardLeases.SHARDER);
			if (before != null && before.lease().giveBack().isWaitedFor() && revision.isTakenFrom(shard, before)) {
				judgeGrace(before, startSeen, revision.cause());
			}
			Instant now = revision.lease().graceStart();
			startSeen = Objects.equals(start, now) ? startSeen : revision.received();
			start = now;
			if (shard.equals(revision.cause().shard())) {
				if (own != null) {
					judgeNamesake(own, revision);
				}
				own = revision.isHeldBy(shard) ? revision : null;
			}
			else if (own != null && !taken && revision.isTakenFrom(shard, before)) {
				judgeTake(own, before, revision.cause());
			}
			before = revision;
		}
	}

	/** A start that is ahead counts from when it was to be seen. */
	private void judgeGrace(Revision givenBack, Instant startSeen, AuditEvent take) {
		Instant since = givenBack.lease().waitedForSince();
		since = (since == null || since.isAfter(startSeen)) ? startSeen : since;
		Instant over = since.plus(givenBack.lease().giveBack().grace());
		if (take.received().isBefore(over)) {
			this.findings.add(Counter.LEASE_STOLEN, take.received(),
					"%s: it was given back at %s, and its objects wait for the next holder for %d ms longer"
						.formatted(take, givenBack.received(), Duration.between(take.received(), over).toMillis()));
		}
	}

	private void judgeNamesake(Revision own, Revision next) {
		Instant earliest = own.received().plusSeconds(own.lease().durationSeconds());
		AuditEvent take = next.cause();
		if (!take.user().equals(own.cause().user()) && take.received().isBefore(earliest)) {
			this.findings.add(Counter.LEASE_STOLEN, take.received(),
					"%s: %s had written it last at %s, so nobody may take it before %s".formatted(take,
							own.cause().user(), own.received(), earliest));
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

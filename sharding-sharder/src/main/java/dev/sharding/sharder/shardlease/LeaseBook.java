package dev.sharding.sharder.shardlease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import dev.sharding.core.lease.LeaseObservation;
import dev.sharding.core.lease.LeaseTimes;
import dev.sharding.core.lease.Moment;
import dev.sharding.core.lease.ShardClaim;
import dev.sharding.core.lease.VanishedLease;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.sharder.shardlease.MembershipLaw.Seat;
import org.jspecify.annotations.Nullable;

/**
 * All Leases with a ring label, those that vanished lately, and the rings that are
 * served. Lives on the thread of {@link ShardLeases}.
 */
final class LeaseBook {

	/*
	 * A shard whose Lease was never seen may have had one until just before, for as long
	 * as the others of its ring have theirs; this long where there are none.
	 */
	private static final Duration UNSEEN = Duration.ofSeconds(15);

	private final Map<ObjectKey, TrackedLease> leases = new HashMap<>();

	private final Map<ObjectKey, Absence> absences = new HashMap<>();

	private final Set<String> rings = new HashSet<>();

	/* Shards whose Lease is about to be made: the answer says that it is ours. */
	private final Set<ShardName> making = new HashSet<>();

	private @Nullable Moment listedAt;

	void listed(Moment now) {
		this.listedAt = now;
	}

	boolean isListed() {
		return this.listedAt != null;
	}

	Set<String> rings() {
		return this.rings;
	}

	Set<ShardName> making() {
		return this.making;
	}

	Collection<ObjectKey> keys() {
		return List.copyOf(this.leases.keySet());
	}

	@Nullable TrackedLease get(ObjectKey key) {
		return this.leases.get(key);
	}

	void add(ObjectKey key, TrackedLease lease) {
		this.absences.remove(key);
		this.leases.put(key, lease);
	}

	/**
	 * Strikes a Lease out.
	 * @return until when its absence plays a part, {@code null} if it was not known
	 */
	@Nullable Absence vanish(ObjectKey key, Moment now) {
		TrackedLease tracked = this.leases.remove(key);
		if (tracked == null) {
			return null;
		}
		tracked.lookAgain(null);
		tracked.hold(null);
		Absence absence = new Absence(new VanishedLease(tracked.record(), now), tracked.ring(), tracked.seen(),
				tracked.own(), tracked.isTakenByForce());
		this.absences.put(key, absence);
		return absence;
	}

	/** Forgets an absence, unless it has become another one. */
	void forget(ObjectKey key, Absence absence) {
		this.absences.remove(key, absence);
	}

	/** The Leases that stand for a shard: one, unless somebody made a mistake. */
	List<ObjectKey> of(ShardName shard) {
		return this.leases.entrySet()
			.stream()
			.filter((entry) -> shard.isNameOf(entry.getKey(), entry.getValue().ring()))
			.map(Map.Entry::getKey)
			.toList();
	}

	boolean isAvailable(ShardName shard, Moment now) {
		return seats(shard.ring(), now).stream()
			.anyMatch((seat) -> seat.available() && seat.lease().name().equals(shard.name()));
	}

	List<Seat> seats(String ring, Moment now) {
		List<Seat> seats = new ArrayList<>();
		this.leases.forEach((key, tracked) -> {
			if (tracked.ring().equals(ring)) {
				seats
					.add(new Seat(key, tracked.state(now.wall()).isAvailable(), tracked.record().instanceId() != null));
			}
		});
		this.absences.forEach((key, absence) -> {
			if (absence.ring.equals(ring) && absence.lease.isAvailable(now)) {
				seats.add(new Seat(key, true, true));
			}
		});
		return seats;
	}

	/** For how long a shard without Lease may still act. */
	Duration untilClaimOver(ShardName shard, Moment now) {
		Duration longest = Duration.ZERO;
		boolean seen = false;
		for (Map.Entry<ObjectKey, Absence> entry : this.absences.entrySet()) {
			if (shard.isNameOf(entry.getKey(), entry.getValue().ring)) {
				Duration left = entry.getValue().untilClaimOver(now);
				longest = (left.compareTo(longest) > 0) ? left : longest;
				seen = true;
			}
		}
		return seen ? longest : untilUnseenOver(shard.ring(), now);
	}

	/** For how long a shard may still act whose Lease was never seen. */
	Duration untilUnseenOver(String ring, Moment now) {
		if (this.listedAt == null) {
			return Duration.ZERO;
		}
		Duration left = unseen(ring, now).minus(now.observedSince(this.listedAt));
		return left.isNegative() ? Duration.ZERO : left;
	}

	private Duration unseen(String ring, Moment now) {
		return this.leases.values()
			.stream()
			.filter((tracked) -> tracked.ring().equals(ring))
			.map(TrackedLease::own)
			.filter(Objects::nonNull)
			.map((own) -> LeaseTimes.of(own.lease(), now.wall()).leaseDuration())
			.filter((duration) -> duration.compareTo(UNSEEN) > 0)
			.max(Comparator.naturalOrder())
			.orElse(UNSEEN);
	}

	/** Where a Lease for a shard without one belongs: where the others are. */
	@Nullable String namespaceOf(ShardName shard) {
		for (Map.Entry<ObjectKey, Absence> entry : this.absences.entrySet()) {
			if (shard.isNameOf(entry.getKey(), entry.getValue().ring)) {
				return entry.getKey().namespace();
			}
		}
		return this.leases.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().ring().equals(shard.ring()))
			.collect(Collectors.groupingBy((entry) -> entry.getKey().namespace(), Collectors.counting()))
			.entrySet()
			.stream()
			.max(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
			.map(Map.Entry::getKey)
			.orElse(null);
	}

	/**
	 * A Lease that is gone.
	 */
	record Absence(VanishedLease lease, String ring, LeaseObservation seen, @Nullable LeaseObservation own,
			boolean byForce) {

		Duration untilClaimOver(Moment now) {
			return ShardClaim.untilOverAfterDelete(this.seen, this.own, this.byForce, this.lease.since(), now);
		}

		/** How long it must be remembered. */
		Duration matters(Moment now) {
			Duration claim = untilClaimOver(now);
			Duration available = this.lease.untilUnavailable(now);
			return (claim.compareTo(available) > 0) ? claim : available;
		}

	}

	/**
	 * Names a shard.
	 */
	record ShardName(String ring, String name) {

		boolean isNameOf(ObjectKey lease, String ringOfLease) {
			return lease.name().equals(this.name) && ringOfLease.equals(this.ring);
		}

	}

}

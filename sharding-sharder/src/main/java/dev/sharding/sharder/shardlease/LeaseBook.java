package dev.sharding.sharder.shardlease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import dev.sharding.core.lease.LeaseRecord;
import dev.sharding.core.lease.Moment;
import dev.sharding.core.lease.ShardClaim;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.sharder.shardlease.MembershipLaw.Seat;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
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

	private final Map<Place, Absence> absences = new HashMap<>();

	/* Leases in namespaces that do not count, and their rings. */
	private final Map<ObjectKey, String> outside = new HashMap<>();

	/* Shards that are known to be ours, by an instance annotation. */
	private final Set<ShardName> ours = new HashSet<>();

	private final LeaseTrust trust;

	private final Set<String> rings = new HashSet<>();

	/* Shards whose Lease is about to be made: the answer says that it is ours. */
	private final Set<ShardName> making = new HashSet<>();

	private @Nullable Moment listedAt;

	LeaseBook(LeaseTrust trust) {
		this.trust = trust;
	}

	LeaseTrust trust() {
		return this.trust;
	}

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

	/**
	 * Adds a Lease, or what it has become. Whoever makes one where one has vanished may
	 * not be its shard, whose claims go on.
	 */
	TrackedLease see(ObjectKey key, Lease lease, Moment now) {
		TrackedLease tracked = this.leases.get(key);
		if (tracked == null) {
			Absence before = this.absences.remove(new Place(TrackedLease.ringOf(lease), key));
			tracked = new TrackedLease(lease, this.trust.longest(), (before != null) ? before.claim : null, now);
			this.leases.put(key, tracked);
		}
		else {
			tracked.see(lease, now);
		}
		if (tracked.record().instanceId() != null) {
			this.ours.add(new ShardName(tracked.ring(), key.name()));
		}
		return tracked;
	}

	/** Notes a Lease that does not count, for people. */
	void seeOutside(ObjectKey key, String ring) {
		this.outside.put(key, ring);
	}

	/** Forgets a Lease that did not count. */
	@Nullable String vanishOutside(ObjectKey key) {
		return this.outside.remove(key);
	}

	/**
	 * Strikes a Lease out.
	 * @return its absence, {@code null} if it was not known
	 */
	@Nullable Absence vanish(ObjectKey key, Moment now) {
		TrackedLease tracked = this.leases.remove(key);
		if (tracked == null) {
			return null;
		}
		tracked.lookAgain(null);
		tracked.hold(null);
		Absence absence = new Absence(new Place(tracked.ring(), key), tracked.claim().gone(this.trust.longest(), now),
				tracked.state(now.wall()).isAvailable());
		this.absences.put(absence.place, absence);
		return absence;
	}

	/** Forgets an absence, unless it has become another one. */
	void forget(Absence absence) {
		this.absences.remove(absence.place, absence);
		ShardName shard = absence.place.shard();
		if (of(shard).isEmpty() && this.absences.keySet().stream().noneMatch((place) -> place.shard().equals(shard))) {
			this.ours.remove(shard);
		}
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

	/**
	 * Takes note of the seat that a Lease is.
	 * @return whether the seats of its ring may be others than when its own was noted
	 * last: it is another, or there are some that end by themselves
	 */
	boolean noteSeat(ObjectKey key, TrackedLease tracked, Moment now) {
		return tracked.noteSeat(seat(key, tracked, now))
				|| this.absences.keySet().stream().anyMatch((place) -> place.ring.equals(tracked.ring()));
	}

	private Seat seat(ObjectKey key, TrackedLease tracked, Moment now) {
		return new Seat(key, tracked.state(now.wall()).isAvailable(), tracked.record().instanceId() != null,
				this.trust.doubt(key, tracked.record()));
	}

	List<Seat> seats(String ring, Moment now) {
		List<Seat> seats = new ArrayList<>();
		this.leases.forEach((key, tracked) -> {
			if (tracked.ring().equals(ring)) {
				seats.add(seat(key, tracked, now));
			}
		});
		this.outside.forEach((key, ringOfLease) -> {
			if (ringOfLease.equals(ring)) {
				seats.add(new Seat(key, false, true,
						this.trust.doubt(key, new LeaseRecord(key.name(), null, null, null, null, null, null))));
			}
		});
		this.absences.forEach((place, absence) -> {
			if (place.ring.equals(ring) && absence.available && !untilOver(absence, now).isZero()) {
				seats.add(new Seat(place.lease, true, true, null));
			}
		});
		return seats;
	}

	/**
	 * For how long a shard with a Lease may still act, although it is not available. It
	 * may have had one of the same name elsewhere.
	 */
	Duration untilClaimOver(ObjectKey key, TrackedLease tracked, Moment now) {
		ShardName shard = new ShardName(tracked.ring(), key.name());
		Duration claim = tracked.claim().untilOver(this.ours.contains(shard), unseen(shard.ring()), now);
		Duration absent = untilAbsentOver(shard, now).orElse(Duration.ZERO);
		return (absent.compareTo(claim) > 0) ? absent : claim;
	}

	/** For how long a shard may still act whose Lease is gone. */
	Duration untilOver(Absence absence, Moment now) {
		ShardName shard = absence.place.shard();
		return absence.claim.untilOver(this.ours.contains(shard), unseen(shard.ring()), now);
	}

	/** For how long a shard without Lease may still act. */
	Duration untilClaimOver(ShardName shard, Moment now) {
		return untilAbsentOver(shard, now).orElseGet(() -> untilUnseenOver(shard.ring(), now));
	}

	private Optional<Duration> untilAbsentOver(ShardName shard, Moment now) {
		return this.absences.values()
			.stream()
			.filter((absence) -> absence.place.shard().equals(shard))
			.map((absence) -> untilOver(absence, now))
			.max(Comparator.naturalOrder());
	}

	/** For how long a shard may still act whose Lease was never seen. */
	Duration untilUnseenOver(String ring, Moment now) {
		if (this.listedAt == null) {
			return Duration.ZERO;
		}
		Duration left = unseen(ring).minus(now.observedSince(this.listedAt));
		return left.isNegative() ? Duration.ZERO : left;
	}

	private Duration unseen(String ring) {
		return this.leases.values()
			.stream()
			.filter((tracked) -> tracked.ring().equals(ring))
			.map(TrackedLease::duration)
			.filter((duration) -> duration.compareTo(UNSEEN) > 0)
			.max(Comparator.naturalOrder())
			.orElse(UNSEEN);
	}

	/** Where a Lease for a shard without one belongs: where the others are. */
	@Nullable String namespaceOf(ShardName shard) {
		for (Place place : this.absences.keySet()) {
			if (place.shard().equals(shard)) {
				return place.lease.namespace();
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
	 * A Lease that is gone. Somebody may have deleted it, or its label, while its shard
	 * is at work, so one that was available counts until its claims are over.
	 */
	record Absence(Place place, ShardClaim claim, boolean available) {
	}

	/**
	 * A Lease in a ring.
	 */
	record Place(String ring, ObjectKey lease) {

		ShardName shard() {
			return new ShardName(this.ring, this.lease.name());
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

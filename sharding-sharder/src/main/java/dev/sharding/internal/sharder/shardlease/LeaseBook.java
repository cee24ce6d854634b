package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardClaim;
import dev.sharding.internal.sharder.shardlease.MembershipLaw.SeatFacts;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

/**
 * All Leases with a ring label by ring, those that vanished lately, and the rings that
 * are served. Lives on the thread of {@link ShardLeases}.
 */
final class LeaseBook {

	private final Map<String, RingLeases> byRing = new HashMap<>();

	private final Map<ObjectKey, TrackedLease> leases = new HashMap<>();

	/* Leases in namespaces that do not count, and their rings. */
	private final Map<ObjectKey, String> outside = new HashMap<>();

	private final LeaseTrust trust;

	/*
	 * A shard whose Lease was never seen may have had one until just before, for as long
	 * as the others of its ring have theirs; this long where there are none.
	 */
	private final Duration unseen;

	private final Set<String> rings = new HashSet<>();

	/* Shards whose Lease is about to be made: the answer says that it is ours. */
	private final Set<ShardName> making = new HashSet<>();

	private @Nullable Moment listedAt;

	/**
	 * @param unseen for how long a shard may act whose Lease was never seen, where no
	 * other of its ring lasts longer
	 */
	LeaseBook(LeaseTrust trust, Duration unseen) {
		this.trust = trust;
		this.unseen = unseen;
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

	/** The Leases of a ring. */
	List<ObjectKey> keys(String ring) {
		return ring(ring).keys();
	}

	@Nullable TrackedLease get(ObjectKey key) {
		return this.leases.get(key);
	}

	/**
	 * Adds a Lease, or what it has become in the same ring. Whoever makes one where one
	 * has vanished may not be its shard, whose claims go on.
	 */
	TrackedLease see(ObjectKey key, Lease lease, Moment now) {
		TrackedLease tracked = this.leases.get(key);
		if (tracked == null) {
			RingLeases ring = ring(TrackedLease.ringOf(lease));
			Absence before = ring.returned(key);
			tracked = new TrackedLease(lease, this.trust.longest(), (before != null) ? before.claim : null, now);
			if (before != null && before.available && before.settled && tracked.record().isHeldByItself()) {
				tracked.settle(now.wall());
			}
			this.leases.put(key, tracked);
			ring.add(key, tracked);
		}
		else {
			Duration before = tracked.duration();
			tracked.see(lease, now);
			ring(tracked.ring()).changed(key, tracked, before);
		}
		return tracked;
	}

	/**
	 * Adds what a request was answered, unless the watch has brought something newer.
	 * @return {@code false} if it is another ring's by now: the watch will tell
	 */
	boolean answered(ObjectKey key, TrackedLease tracked, Lease answer, Moment now) {
		if (tracked.isNewerThan(answer)) {
			return true;
		}
		boolean same = tracked.ring().equals(TrackedLease.ringOf(answer));
		if (same) {
			see(key, answer, now);
		}
		return same;
	}

	/**
	 * Notes a Lease that does not count, for people.
	 * @return whether it was not noted before
	 */
	boolean seeOutside(ObjectKey key, String ring) {
		if (ring.equals(this.outside.get(key))) {
			return false;
		}
		vanishOutside(key);
		this.outside.put(key, ring);
		return ring(ring).addOutside(key);
	}

	/** Forgets a Lease that did not count. */
	@Nullable String vanishOutside(ObjectKey key) {
		String ring = this.outside.remove(key);
		if (ring != null) {
			ring(ring).removeOutside(key);
			tidy(ring);
		}
		return ring;
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
				tracked.state(now.wall()).isAvailable(), ring(tracked.ring()).isSettled(tracked, now),
				tracked.isCordoned());
		ring(tracked.ring()).vanish(tracked, absence);
		return absence;
	}

	/** Forgets an absence, unless it has become another one. */
	void forget(Absence absence) {
		ring(absence.place.ring).forget(absence);
		tidy(absence.place.ring);
	}

	/** The Leases that stand for a shard: one, unless somebody made a mistake. */
	List<ObjectKey> of(ShardName shard) {
		return ring(shard.ring).of(shard.name);
	}

	boolean isAvailable(ShardName shard, Moment now) {
		return ring(shard.ring).isAvailable(shard.name, now);
	}

	/**
	 * Takes note of the seat that a Lease is.
	 * @return whether the seats of its ring may be others than when they were counted:
	 * its own is another than when that was noted last, or one has ended by itself
	 */
	boolean noteSeat(ObjectKey key, TrackedLease tracked, Moment now) {
		return ring(tracked.ring()).noteSeat(key, tracked, now);
	}

	/** All seats of a ring. */
	List<SeatFacts> countSeats(String ring, Moment now) {
		return ring(ring).countSeats(now);
	}

	/** For how long another shard has held its Lease; {@code null} if none does. */
	@Nullable Duration othersHeldFor(ShardName shard, Moment now) {
		return ring(shard.ring).othersHeldFor(shard.name, now);
	}

	/**
	 * For how long a shard with a Lease may still act, although it is not available. It
	 * may have had one of the same name elsewhere.
	 */
	Duration untilClaimOver(ObjectKey key, TrackedLease tracked, Moment now) {
		return ring(tracked.ring()).untilClaimOver(key.name(), tracked, now);
	}

	/** For how long a shard may still act whose Lease is gone. */
	Duration untilOver(Absence absence, Moment now) {
		return ring(absence.place.ring).untilOver(absence, now);
	}

	/** For how long a shard without Lease may still act. */
	Duration untilClaimOver(ShardName shard, Moment now) {
		Duration absent = ring(shard.ring).untilAbsentOver(shard.name, now);
		return (absent != null) ? absent : untilUnseenOver(shard.ring, now);
	}

	/** For how long a shard may still act whose Lease was never seen. */
	Duration untilUnseenOver(String ring, Moment now) {
		if (this.listedAt == null) {
			return Duration.ZERO;
		}
		Duration left = ring(ring).unseen().minus(now.observedSince(this.listedAt));
		return left.isNegative() ? Duration.ZERO : left;
	}

	/** Where a Lease for a shard without one belongs: where the others are. */
	@Nullable String namespaceOf(ShardName shard) {
		return ring(shard.ring).namespaceOf(shard.name);
	}

	private RingLeases ring(String ring) {
		return this.byRing.computeIfAbsent(ring, (name) -> new RingLeases(this.trust, this.unseen));
	}

	private void tidy(String ring) {
		if (ring(ring).isEmpty()) {
			this.byRing.remove(ring);
		}
	}

	/**
	 * A Lease that is gone. Somebody may have deleted it, or its label, while its shard
	 * is at work, so one that was available counts until its claims are over.
	 */
	record Absence(Place place, ShardClaim claim, boolean available, boolean settled, boolean cordoned) {
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
	}

}

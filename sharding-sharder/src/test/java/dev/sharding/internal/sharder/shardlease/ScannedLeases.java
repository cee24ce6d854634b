package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.Seat;
import dev.sharding.internal.sharder.shardlease.LeaseBook.Absence;
import dev.sharding.internal.sharder.shardlease.LeaseBook.Place;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.internal.sharder.shardlease.MembershipLaw.SeatFacts;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What {@link LeaseBook} says, by a look at all Leases of all rings each time.
 */
final class ScannedLeases {

	private final Map<ObjectKey, TrackedLease> leases = new HashMap<>();

	private final Map<Place, Absence> absences = new HashMap<>();

	private final Map<String, @Nullable Instant> through = new HashMap<>();

	private final Map<ObjectKey, String> outside = new HashMap<>();

	private final Set<ShardName> ours = new HashSet<>();

	private final LeaseTrust trust;

	private final Duration least;

	ScannedLeases(LeaseTrust trust, Duration least) {
		this.trust = trust;
		this.least = least;
	}

	void see(ObjectKey key, Lease lease, Moment now) {
		TrackedLease tracked = this.leases.get(key);
		if (tracked == null) {
			Absence before = this.absences.remove(new Place(TrackedLease.ringOf(lease), key));
			tracked = new TrackedLease(lease, this.trust.longest(), (before != null) ? before.claim() : null, now);
			if (before != null && before.available() && before.settled() && tracked.record().isHeldByItself()) {
				tracked.settle(now.wall());
			}
			this.leases.put(key, tracked);
		}
		else {
			tracked.see(lease, now);
		}
		if (tracked.record().instanceId() != null) {
			this.ours.add(new ShardName(tracked.ring(), key.name()));
		}
	}

	void seeOutside(ObjectKey key, String ring) {
		this.outside.put(key, ring);
	}

	void vanishOutside(ObjectKey key) {
		this.outside.remove(key);
	}

	Absence vanish(ObjectKey key, Moment now) {
		TrackedLease tracked = Objects.requireNonNull(this.leases.remove(key));
		Place place = new Place(tracked.ring(), key);
		Absence absence = new Absence(place, tracked.claim().gone(this.trust.longest(), now),
				tracked.state(now.wall()).isAvailable(),
				tracked.seat(now, this.through.get(place.ring())) == Seat.AVAILABLE, tracked.isCordoned());
		this.absences.put(place, absence);
		return absence;
	}

	void forget(Absence absence) {
		this.absences.remove(absence.place(), absence);
		ShardName shard = absence.place().shard();
		if (of(shard).isEmpty() && absences(shard).findAny().isEmpty()) {
			this.ours.remove(shard);
		}
	}

	Set<ObjectKey> keys() {
		return this.leases.keySet();
	}

	TrackedLease get(ObjectKey key) {
		return Objects.requireNonNull(this.leases.get(key));
	}

	Set<ObjectKey> of(ShardName shard) {
		return this.leases.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().ring().equals(shard.ring())
					&& entry.getKey().name().equals(shard.name()))
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
	}

	boolean isAvailable(ShardName shard, Moment now) {
		return seats(shard.ring(), now).stream()
			.anyMatch((facts) -> facts.seat().isMember() && facts.lease().name().equals(shard.name()));
	}

	List<SeatFacts> seats(String ring, Moment now) {
		Instant settled = settledThrough(ring, now);
		List<SeatFacts> seats = new ArrayList<>();
		this.leases.forEach((key, tracked) -> {
			if (tracked.ring().equals(ring)) {
				String doubt = this.trust.doubt(key, tracked.record());
				seats.add(new SeatFacts(key, (doubt == null) ? tracked.seat(now, settled) : Seat.NONE,
						tracked.slot().settled(), tracked.record().instanceId() != null, tracked.isCordoned(), doubt));
			}
		});
		this.outside.forEach((key, ringOfLease) -> {
			if (ringOfLease.equals(ring)) {
				seats.add(new SeatFacts(key, Seat.NONE, null, true, false,
						this.trust.doubt(key, new LeaseRecord(key.name(), null, null, null, null, null, null))));
			}
		});
		this.absences.forEach((place, absence) -> {
			if (place.ring().equals(ring) && absence.available() && !untilOver(absence, now).isZero()) {
				Seat seat = absence.settled() ? Seat.AVAILABLE : Seat.SETTLING;
				seats.add(new SeatFacts(place.lease(), seat, null, true, absence.cordoned(), null));
			}
		});
		return seats;
	}

	/** Takes note of what the ring was told, by which is judged who vanishes. */
	void told(String ring, Moment now) {
		this.through.put(ring, settledThrough(ring, now));
	}

	private @Nullable Instant settledThrough(String ring, Moment now) {
		return Seat.settledThrough(this.leases.entrySet()
			.stream()
			.filter((lease) -> lease.getValue().ring().equals(ring)
					&& this.trust.doubt(lease.getKey(), lease.getValue().record()) == null
					&& lease.getValue().seat(now, null).isMember())
			.map((lease) -> lease.getValue().slot())
			.toList());
	}

	Duration untilClaimOver(ObjectKey key, Moment now) {
		TrackedLease tracked = get(key);
		ShardName shard = new ShardName(tracked.ring(), key.name());
		Duration claim = tracked.claim().untilOver(this.ours.contains(shard), unseen(shard.ring()), now);
		Duration absent = untilAbsentOver(shard, now);
		return (absent.compareTo(claim) > 0) ? absent : claim;
	}

	/** Without what depends on when Leases were listed. */
	Duration untilAbsentOver(ShardName shard, Moment now) {
		return absences(shard).map((absence) -> untilOver(absence, now))
			.max(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
	}

	Stream<Absence> absences(ShardName shard) {
		return this.absences.values().stream().filter((absence) -> absence.place().shard().equals(shard));
	}

	Duration untilOver(Absence absence, Moment now) {
		ShardName shard = absence.place().shard();
		return absence.claim().untilOver(this.ours.contains(shard), unseen(shard.ring()), now);
	}

	Duration unseen(String ring) {
		return this.leases.values()
			.stream()
			.filter((tracked) -> tracked.ring().equals(ring))
			.map(TrackedLease::duration)
			.filter((duration) -> duration.compareTo(this.least) > 0)
			.max(Comparator.naturalOrder())
			.orElse(this.least);
	}

	/** Where most Leases of the ring are; a later name wins. */
	Set<String> namespacesOf(ShardName shard) {
		Set<String> vanished = absences(shard).map((absence) -> absence.place().lease().namespace())
			.collect(Collectors.toSet());
		if (!vanished.isEmpty()) {
			return vanished;
		}
		return this.leases.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().ring().equals(shard.ring()))
			.collect(Collectors.groupingBy((entry) -> entry.getKey().namespace(), Collectors.counting()))
			.entrySet()
			.stream()
			.max(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
			.map((entry) -> Set.of(entry.getKey()))
			.orElse(Set.of());
	}

}

package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.Seat;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.sharder.shardlease.LeaseBook.Absence;
import dev.sharding.internal.sharder.shardlease.MembershipLaw.SeatFacts;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * The Leases of one ring, by shard, and those that vanished lately. What one of them is,
 * and whether a renewal changes a seat, is told without a look at the others. Lives on
 * the thread of {@link ShardLeases}.
 */
final class RingLeases {

	private final LeaseTrust trust;

	/* For how long a shard may act that was never seen, where no other lasts longer. */
	private final Duration least;

	private final Map<String, Shard> shards = new HashMap<>();

	private int absences;

	/* Leases in namespaces that do not count. */
	private final Set<ObjectKey> outside = new HashSet<>();

	/* How many shards renew with each duration that is above the least. */
	private final NavigableMap<Duration, Integer> durations = new TreeMap<>();

	/*
	 * When the seats were counted last, if that may be right still, and after how long
	 * one of them ends by itself.
	 */
	private @Nullable Moment counted;

	private @Nullable Duration untilOneEnds;

	/* With which ring its members came in, when the seats were counted last. */
	private @Nullable Instant settledThrough;

	RingLeases(LeaseTrust trust, Duration least) {
		this.trust = trust;
		this.least = least;
	}

	void add(ObjectKey key, TrackedLease tracked) {
		this.shards.computeIfAbsent(key.name(), (name) -> new Shard()).leases.put(key, tracked);
		changed(key, tracked, Duration.ZERO);
	}

	/** A Lease has become another one, whose shard renewed with {@code before}. */
	void changed(ObjectKey key, TrackedLease tracked, Duration before) {
		shard(key.name()).ours |= tracked.record().instanceId() != null;
		recount(before, tracked.duration());
	}

	/** Takes the Lease out, and its absence in. */
	void vanish(TrackedLease tracked, Absence absence) {
		ObjectKey key = absence.place().lease();
		Shard shard = this.shards.get(key.name());
		if (shard != null && shard.leases.remove(key, tracked)) {
			recount(tracked.duration(), Duration.ZERO);
			shard.absences.put(key, absence);
			this.absences++;
		}
	}

	/** Takes an absence out, as there is a Lease again. */
	@Nullable Absence returned(ObjectKey key) {
		Shard shard = this.shards.get(key.name());
		Absence before = (shard != null) ? shard.absences.remove(key) : null;
		this.absences -= (before != null) ? 1 : 0;
		return before;
	}

	/** Forgets an absence, unless it has become another one. */
	void forget(Absence absence) {
		ObjectKey key = absence.place().lease();
		Shard shard = this.shards.get(key.name());
		if (shard != null && shard.absences.remove(key, absence)) {
			this.absences--;
			if (shard.isEmpty()) {
				this.shards.remove(key.name());
			}
		}
	}

	boolean addOutside(ObjectKey key) {
		return this.outside.add(key);
	}

	void removeOutside(ObjectKey key) {
		this.outside.remove(key);
	}

	boolean isEmpty() {
		return this.shards.isEmpty() && this.outside.isEmpty();
	}

	List<ObjectKey> keys() {
		return this.shards.values().stream().flatMap((shard) -> shard.leases.keySet().stream()).toList();
	}

	List<ObjectKey> of(String shard) {
		return List.copyOf(shard(shard).leases.keySet());
	}

	boolean isAvailable(String name, Moment now) {
		Shard shard = shard(name);
		return shard.leases.values().stream().anyMatch((tracked) -> tracked.seat(now, null).isMember())
				|| shard.absences.values().stream().anyMatch((absence) -> counts(absence, shard.ours, now));
	}

	/** See {@link LeaseBook#noteSeat}. */
	boolean noteSeat(ObjectKey key, TrackedLease tracked, Moment now) {
		boolean another = tracked.noteSeat(seat(key, tracked, now));
		return another || this.counted == null
				|| (this.untilOneEnds != null && now.observedSince(this.counted).compareTo(this.untilOneEnds) >= 0);
	}

	/** All seats, which takes a look at all Leases of the ring. */
	List<SeatFacts> countSeats(Moment now) {
		this.settledThrough = Seat.settledThrough(members(now));
		List<SeatFacts> seats = new ArrayList<>();
		List<Duration> ends = new ArrayList<>();
		this.shards.values().forEach((shard) -> {
			shard.leases.forEach((key, tracked) -> {
				SeatFacts seat = seat(key, tracked, now);
				// It may be another seat because of another Lease.
				tracked.noteSeat(seat);
				seats.add(seat);
			});
			shard.absences.forEach((key, absence) -> {
				if (counts(absence, shard.ours, now)) {
					Seat seat = absence.settled() ? Seat.AVAILABLE : Seat.SETTLING;
					seats.add(new SeatFacts(key, seat, null, true, absence.cordoned(), null));
					ends.add(untilOver(absence, shard.ours, now));
				}
			});
		});
		this.outside.forEach((key) -> seats.add(new SeatFacts(key, Seat.NONE, null, true, false,
				this.trust.doubt(key, new LeaseRecord(key.name(), null, null, null, null, null, null)))));
		this.counted = now;
		this.untilOneEnds = ends.stream().min(Comparator.naturalOrder()).orElse(null);
		return seats;
	}

	private List<SlotLease> members(Moment now) {
		return this.shards.values()
			.stream()
			.flatMap((shard) -> shard.leases.entrySet().stream())
			.filter((lease) -> this.trust.doubt(lease.getKey(), lease.getValue().record()) == null
					&& lease.getValue().seat(now, null).isMember())
			.map((lease) -> lease.getValue().slot())
			.toList();
	}

	private SeatFacts seat(ObjectKey key, TrackedLease tracked, Moment now) {
		String doubt = this.trust.doubt(key, tracked.record());
		return new SeatFacts(key, (doubt == null) ? tracked.seat(now, this.settledThrough) : Seat.NONE,
				tracked.slot().settled(), tracked.record().instanceId() != null, tracked.isCordoned(), doubt);
	}

	/** Whether its shard has its part of the objects, as far as was counted last. */
	boolean isSettled(TrackedLease tracked, Moment now) {
		return tracked.seat(now, this.settledThrough) == Seat.AVAILABLE;
	}

	/** For how long another shard has held its Lease; {@code null} if none does. */
	@Nullable Duration othersHeldFor(String name, Moment now) {
		return this.shards.entrySet()
			.stream()
			.filter((shard) -> !shard.getKey().equals(name))
			.flatMap((shard) -> shard.getValue().leases.values().stream())
			.filter((tracked) -> tracked.state(now.wall()).isAvailable())
			.map((tracked) -> tracked.heldFor(now))
			.max(Comparator.naturalOrder())
			.orElse(null);
	}

	Duration untilClaimOver(String name, TrackedLease tracked, Moment now) {
		Shard shard = shard(name);
		return shard.absences.values()
			.stream()
			.map((absence) -> untilOver(absence, shard.ours, now))
			.reduce(tracked.claim().untilOver(shard.ours, unseen(), now), RingLeases::longer);
	}

	Duration untilOver(Absence absence, Moment now) {
		return untilOver(absence, shard(absence.place().lease().name()).ours, now);
	}

	/** {@code null} if no Lease of the shard vanished lately. */
	@Nullable Duration untilAbsentOver(String name, Moment now) {
		Shard shard = shard(name);
		return shard.absences.values()
			.stream()
			.map((absence) -> untilOver(absence, shard.ours, now))
			.max(Comparator.naturalOrder())
			.orElse(null);
	}

	/** For how long a shard may act whose Lease was never seen. */
	Duration unseen() {
		return this.durations.isEmpty() ? this.least : this.durations.lastKey();
	}

	/** Where most Leases of the ring are. */
	@Nullable String namespaceOf(String name) {
		Collection<Absence> absences = shard(name).absences.values();
		Stream<ObjectKey> all = this.shards.values().stream().flatMap((shard) -> shard.leases.keySet().stream());
		return absences.isEmpty() ? all.collect(Collectors.groupingBy(ObjectKey::namespace, Collectors.counting()))
			.entrySet()
			.stream()
			.max(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
			.map(Map.Entry::getKey)
			.orElse(null) : absences.iterator().next().place().lease().namespace();
	}

	private boolean counts(Absence absence, boolean ours, Moment now) {
		return absence.available() && !untilOver(absence, ours, now).isZero();
	}

	private Duration untilOver(Absence absence, boolean ours, Moment now) {
		return absence.claim().untilOver(ours, unseen(), now);
	}

	/* What is absent counts for another time if the longest is another one. */
	private void recount(Duration before, Duration after) {
		if (before.equals(after)) {
			return;
		}
		Duration longest = unseen();
		if (before.compareTo(this.least) > 0) {
			this.durations.computeIfPresent(before, (same, count) -> (count > 1) ? count - 1 : null);
		}
		if (after.compareTo(this.least) > 0) {
			this.durations.merge(after, 1, Integer::sum);
		}
		if (this.absences > 0 && !longest.equals(unseen())) {
			this.counted = null;
		}
	}

	private Shard shard(String name) {
		return this.shards.getOrDefault(name, Shard.NONE);
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	/**
	 * The Leases of one name: one, unless somebody made a mistake.
	 */
	private static final class Shard {

		private static final Shard NONE = new Shard();

		private final Map<ObjectKey, TrackedLease> leases = new HashMap<>(2);

		private final Map<ObjectKey, Absence> absences = new HashMap<>(2);

		/* Known to be one of ours, by an instance annotation. */
		private boolean ours;

		private boolean isEmpty() {
			return this.leases.isEmpty() && this.absences.isEmpty();
		}

	}

}

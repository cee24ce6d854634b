package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardClaim;
import org.jspecify.annotations.Nullable;

/**
 * One slot, one object that bears its label, and all who have to do with them. Versions
 * are not counted: whoever would name one knows whether it is still the present one.
 *
 * @param now the time, in ticks
 * @param lease the Lease of the slot, if there is one
 * @param uids how many Leases of the name there were
 * @param deleted the Lease as it was when it was deleted, as watches tell
 * @param copy a copy of the Lease as it was given back last, for whoever restores it
 * @param moved whether the object bears the label of another shard, which is at work
 * @param acting who acted for the object last
 * @param shards the former holder and the candidates
 * @param flights writes of the object that may take effect at any time
 * @param sharder the leading sharder
 * @param left what may still happen
 */
record SlotWorld(int now, @Nullable SlotLease lease, int uids, @Nullable SlotLease deleted, @Nullable SlotLease copy,
		boolean moved, String acting, List<Shard> shards, Set<Flight> flights, Sharder sharder, Accidents left) {

	SlotWorld {
		shards = List.copyOf(shards);
		flights = Set.copyOf(flights);
	}

	Shard shard(String id) {
		return this.shards.stream().filter((shard) -> shard.id.equals(id)).findFirst().orElseThrow();
	}

	SlotWorld later() {
		return new SlotWorld(this.now + 1, this.lease, this.uids, this.deleted, this.copy, this.moved, this.acting,
				this.shards, this.flights, this.sharder, this.left);
	}

	SlotWorld with(Shard changed) {
		List<Shard> next = new ArrayList<>(this.shards);
		next.replaceAll((shard) -> shard.id.equals(changed.id) ? changed : shard);
		return with(next);
	}

	SlotWorld with(Sharder changed) {
		return new SlotWorld(this.now, this.lease, this.uids, this.deleted, this.copy, this.moved, this.acting,
				this.shards, this.flights, changed, this.left);
	}

	SlotWorld with(Accidents changed) {
		return new SlotWorld(this.now, this.lease, this.uids, this.deleted, this.copy, this.moved, this.acting,
				this.shards, this.flights, this.sharder, changed);
	}

	SlotWorld actedBy(String who) {
		return new SlotWorld(this.now, this.lease, this.uids, this.deleted, this.copy, this.moved, who, this.shards,
				this.flights, this.sharder, this.left);
	}

	/**
	 * Somebody has written the Lease, so whoever has read it before has an old version.
	 */
	SlotWorld written(@Nullable SlotLease written) {
		int number = (written != null && written.uid() == null) ? this.uids + 1 : this.uids;
		SlotLease stored = (written != null && written.uid() == null)
				? new SlotLease(written.record(), written.ring(), "uid-" + number, written.annotations()) : written;
		SlotLease kept = (stored != null && stored.isGivenBack()) ? stored : this.copy;
		List<Shard> next = new ArrayList<>(this.shards);
		next.replaceAll((shard) -> shard.fresh ? shard.with(false) : shard);
		SlotLease last = (written == null) ? this.lease : this.deleted;
		return new SlotWorld(this.now, stored, number, last, kept, this.moved, this.acting, next, this.flights,
				this.sharder.with(false), this.left);
	}

	SlotWorld sent(Flight flight) {
		return with(this.moved, (flights) -> {
			flights.add(flight);
			return flights;
		});
	}

	SlotWorld arrived(Flight flight) {
		return with(this.moved, (flights) -> {
			flights.remove(flight);
			return flights;
		});
	}

	/**
	 * The object has another version, so no write that names the one before is accepted.
	 */
	SlotWorld changed(boolean toAnother) {
		return with(this.moved || toAnother, (flights) -> {
			Set<Flight> old = new TreeSet<>();
			flights.forEach((flight) -> old.add(new Flight(flight.by, false)));
			return old;
		});
	}

	private SlotWorld with(List<Shard> next) {
		return new SlotWorld(this.now, this.lease, this.uids, this.deleted, this.copy, this.moved, this.acting, next,
				this.flights, this.sharder, this.left);
	}

	private SlotWorld with(boolean gone, UnaryOperator<Set<Flight>> change) {
		return new SlotWorld(this.now, this.lease, this.uids, this.deleted, this.copy, gone, this.acting, this.shards,
				change.apply(new TreeSet<>(this.flights)), this.sharder, this.left);
	}

	/**
	 * A write of the object.
	 *
	 * @param by whose
	 * @param current whether the version that it names is the present one
	 */
	record Flight(String by, boolean current) implements Comparable<Flight> {

		@Override
		public int compareTo(Flight other) {
			int order = this.by.compareTo(other.by);
			return (order != 0) ? order : Boolean.compare(this.current, other.current);
		}

	}

	/**
	 * How many accidents may still happen, and how many renewals.
	 */
	record Accidents(int renewals, int lostAnswers, int edits, int leaders) {
	}

	/** What a process is about. */
	enum Phase {

		STANDBY, HELD, ACTIVE, ENDED

	}

	/**
	 * A process of a shard.
	 *
	 * @param view what it has seen of the slot as a candidate
	 * @param mine the Lease as it has written it last, while it holds it
	 * @param fresh whether that is the present version
	 * @param renewed when it sent its last successful write of the Lease
	 * @param since since when it acts
	 * @param touched whether it has touched the object in this term
	 */
	record Shard(String id, Phase phase, SlotView view, @Nullable SlotLease mine, boolean fresh,
			@Nullable Moment renewed, @Nullable Moment since, boolean touched) {

		Shard with(boolean current) {
			return new Shard(this.id, this.phase, this.view, this.mine, current, this.renewed, this.since,
					this.touched);
		}

		Shard seeing(SlotView seen) {
			return new Shard(this.id, this.phase, seen, this.mine, true, this.renewed, this.since, this.touched);
		}

		Shard holding(SlotLease lease, Moment sent, boolean first) {
			return new Shard(this.id, first ? Phase.HELD : this.phase, this.view, lease, true, sent,
					first ? null : this.since, !first && this.touched);
		}

		/* It has sent a write of the Lease, and has no answer. */
		Shard at(Moment sent) {
			return new Shard(this.id, this.phase, this.view, this.mine, false, sent, this.since, this.touched);
		}

		Shard in(Phase next, @Nullable Moment acts) {
			return new Shard(this.id, next, this.view, this.mine, this.fresh, this.renewed, acts, this.touched);
		}

		Shard touching() {
			return new Shard(this.id, this.phase, this.view, this.mine, this.fresh, this.renewed, this.since, true);
		}

	}

	/** Whose sharder leads. */
	enum Make {

		/** Ours. */
		OURS,

		/** Ours from before there were slots. */
		OLDER,

		/** The one of the Go project. */
		GO

	}

	/**
	 * The leading sharder.
	 *
	 * @param since since when it leads
	 * @param lease the Lease as it has seen it last
	 * @param fresh whether that is the present version
	 * @param hold when it sent the last write that gave it the Lease, while it holds it
	 */
	record Sharder(Make make, Moment since, @Nullable SlotLease lease, boolean fresh, @Nullable LeaseObservation seen,
			@Nullable Claim claim, @Nullable GraceObservation grace, @Nullable Moment hold) {

		Sharder with(boolean current) {
			return (this.fresh == current) ? this : new Sharder(this.make, this.since, this.lease, current, this.seen,
					this.claim, this.grace, this.hold);
		}

		Sharder holding(@Nullable Moment sent) {
			return new Sharder(this.make, this.since, this.lease, this.fresh, this.seen, this.claim, this.grace, sent);
		}

	}

	/**
	 * A claim that is equal to another one if it lasts as long.
	 */
	static final class Claim {

		private static final Duration LONG = Duration.ofHours(1);

		private final ShardClaim claim;

		private final List<Object> key;

		Claim(ShardClaim claim, Object lease, Moment now) {
			this.claim = claim;
			this.key = List.of(lease, claim.renewsWith(), end(claim, Duration.ZERO, now), end(claim, LONG, now));
		}

		ShardClaim claim() {
			return this.claim;
		}

		private static Object end(ShardClaim claim, Duration unseen, Moment now) {
			Duration left = claim.untilOver(true, unseen, now);
			return left.isZero() ? left : now.wall().plus(left);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Claim claim && this.key.equals(claim.key);
		}

		@Override
		public int hashCode() {
			return Objects.hash(this.key);
		}

	}

}

package dev.sharding.internal.core.assignment;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

import dev.sharding.internal.core.lease.LeaseRecord;
import org.jspecify.annotations.Nullable;

/**
 * One main object, what it controls, and all who have to do with them.
 *
 * @param now the time, in ticks
 * @param main the main object
 * @param child what it controls, if that is there
 * @param leases the Leases of the shards, by name
 * @param shards the processes
 * @param sharder the leading sharder
 * @param flights requests that may arrive at any time
 * @param lastBegan the process that was the last to begin a reconcile
 * @param lastWrite the version that the last write of a shard gave to what is controlled
 * @param left what may still happen
 */
record DrainWorld(int now, Thing main, @Nullable Thing child, Map<String, Lease> leases, List<Shard> shards,
		Sharder sharder, Set<Flight> flights, String lastBegan, int lastWrite, Accidents left) {

	DrainWorld {
		leases = new TreeMap<>(leases);
		shards = List.copyOf(shards);
		flights = Set.copyOf(flights);
	}

	Lease lease(String name) {
		return Objects.requireNonNull(this.leases.get(name));
	}

	Shard shard(String id) {
		return this.shards.stream().filter((shard) -> shard.id.equals(id)).findFirst().orElseThrow();
	}

	DrainWorld later() {
		return new DrainWorld(this.now + 1, this.main, this.child, this.leases, this.shards, this.sharder, this.flights,
				this.lastBegan, this.lastWrite, this.left);
	}

	DrainWorld with(Shard changed) {
		List<Shard> next = new ArrayList<>(this.shards);
		next.replaceAll((shard) -> shard.id.equals(changed.id) ? changed : shard);
		return new DrainWorld(this.now, this.main, this.child, this.leases, next, this.sharder, this.flights,
				this.lastBegan, this.lastWrite, this.left);
	}

	DrainWorld with(Sharder changed) {
		return new DrainWorld(this.now, this.main, this.child, this.leases, this.shards, changed, this.flights,
				this.lastBegan, this.lastWrite, this.left);
	}

	DrainWorld with(Accidents changed) {
		return new DrainWorld(this.now, this.main, this.child, this.leases, this.shards, this.sharder, this.flights,
				this.lastBegan, this.lastWrite, changed);
	}

	DrainWorld withMain(Thing changed) {
		return new DrainWorld(this.now, changed, this.child, this.leases, this.shards, this.sharder, this.flights,
				this.lastBegan, this.lastWrite, this.left);
	}

	DrainWorld withChild(@Nullable Thing changed, boolean byShard) {
		int last = (byShard && changed != null) ? changed.version : this.lastWrite;
		return new DrainWorld(this.now, this.main, changed, this.leases, this.shards, this.sharder, this.flights,
				this.lastBegan, last, this.left);
	}

	DrainWorld withFlights(Consumer<Set<Flight>> change) {
		Set<Flight> next = new HashSet<>(this.flights);
		change.accept(next);
		return new DrainWorld(this.now, this.main, this.child, this.leases, this.shards, this.sharder, next,
				this.lastBegan, this.lastWrite, this.left);
	}

	DrainWorld sent(Flight flight) {
		return withFlights((all) -> all.add(flight));
	}

	DrainWorld landed(Flight flight) {
		return withFlights((all) -> all.remove(flight));
	}

	DrainWorld begunBy(String id) {
		return new DrainWorld(this.now, this.main, this.child, this.leases, this.shards, this.sharder, this.flights, id,
				this.lastWrite, this.left);
	}

	DrainWorld written(LeaseRecord record) {
		Lease before = this.leases.get(record.name());
		return written(record, before != null && before.touchDue);
	}

	DrainWorld written(LeaseRecord record, boolean touchDue) {
		Lease before = this.leases.get(record.name());
		return with(record.name(), new Lease(record, (before != null) ? before.number + 1 : 1, this.now, touchDue));
	}

	/** All objects of a shard were touched. Its next renewal says so: here at once. */
	DrainWorld touched(String name) {
		Lease lease = lease(name);
		return with(name, new Lease(lease.record, lease.number, lease.changed, false));
	}

	private DrainWorld with(String name, Lease lease) {
		Map<String, Lease> next = new TreeMap<>(this.leases);
		next.put(name, lease);
		return new DrainWorld(this.now, this.main, this.child, next, this.shards, this.sharder, this.flights,
				this.lastBegan, this.lastWrite, this.left);
	}

	boolean awaits(String by) {
		return this.flights.stream().anyMatch((flight) -> flight.awaited() && flight.by().equals(by));
	}

	/** The same world with the smallest versions that are in the same order. */
	DrainWorld canonical() {
		DrainVersions mains = new DrainVersions();
		DrainVersions children = new DrainVersions();
		mains.note(this.main);
		children.note(this.child);
		children.note(this.lastWrite);
		mains.note(this.sharder.main);
		children.note(this.sharder.child);
		children.note(this.sharder.pending);
		Flight open = this.sharder.unanswered;
		if (open != null) {
			children.note(open.version());
		}
		for (Shard shard : this.shards) {
			mains.note(shard.main);
			children.note(shard.child);
			if (shard.letGo != null) {
				mains.note(shard.letGo);
			}
		}
		for (Flight flight : this.flights) {
			(flight.what().ofMain() ? mains : children).note(flight.version());
		}
		List<Shard> renamed = this.shards.stream()
			.map((shard) -> shard.with(mains.of(shard.main), children.of(shard.child),
					(shard.letGo != null) ? Integer.valueOf(mains.of(shard.letGo)) : null))
			.toList();
		Set<Flight> flown = new HashSet<>();
		this.flights.forEach(
				(flight) -> flown.add(flight.at((flight.what().ofMain() ? mains : children).of(flight.version()))));
		Sharder same = this.sharder.with(mains.of(this.sharder.main), children.of(this.sharder.child),
				children.of(this.sharder.pending), (open != null) ? open.at(children.of(open.version())) : null);
		return new DrainWorld(this.now, Objects.requireNonNull(mains.of(this.main)), children.of(this.child),
				this.leases, renamed, same, flown, this.lastBegan, children.of(this.lastWrite), this.left);
	}

	/**
	 * An object.
	 *
	 * @param version its resource version
	 * @param shard whose label it bears
	 * @param drain whether it bears the drain label
	 */
	record Thing(int version, @Nullable String shard, boolean drain) {

		Thing changed() {
			return new Thing(this.version + 1, this.shard, this.drain);
		}

	}

	/**
	 * A Lease.
	 *
	 * @param number its version
	 * @param changed when it was written
	 * @param touchDue whether whoever takes it has to touch the objects
	 */
	record Lease(LeaseRecord record, int number, int changed, boolean touchDue) {
	}

	/** What a process is about. */
	enum Phase {

		OUT, STANDBY, ACTIVE

	}

	/**
	 * A process of a shard.
	 *
	 * @param id tells it from others of its name
	 * @param number the version of its Lease that it wrote last
	 * @param renewed when it sent that
	 * @param main the main object as its cache has it, if it bears the label
	 * @param child what that controls, in the same way
	 * @param refreshed whether its caches were brought up to date in this term
	 * @param touched whether no touch is due any more
	 * @param settled whether they were since the main object came
	 * @param claimed whether it has a live claim
	 * @param letGo in which version it let the main object go
	 * @param working whether a reconcile runs
	 */
	record Shard(String id, String name, Phase phase, int number, int renewed, @Nullable Thing main,
			@Nullable Thing child, boolean refreshed, boolean touched, boolean settled, boolean claimed,
			@Nullable Integer letGo, boolean working) {

		Shard with(@Nullable Thing mainSeen, @Nullable Thing childSeen, @Nullable Integer given) {
			return new Shard(this.id, this.name, this.phase, this.number, this.renewed, mainSeen, childSeen,
					this.refreshed, this.touched, this.settled, this.claimed, given, this.working);
		}

		Shard seeing(@Nullable Thing seen) {
			return with(this.main, seen, this.letGo);
		}

		Shard claiming(boolean live, @Nullable Integer given) {
			return new Shard(this.id, this.name, this.phase, this.number, this.renewed, this.main, this.child,
					this.refreshed, this.touched, this.settled, live, given, this.working);
		}

		Shard working(boolean now) {
			return new Shard(this.id, this.name, this.phase, this.number, this.renewed, this.main, this.child,
					this.refreshed, this.touched, this.settled, this.claimed, this.letGo, now);
		}

		Shard ready(boolean fresh, boolean touches, boolean upToDate) {
			return new Shard(this.id, this.name, this.phase, this.number, this.renewed, this.main, this.child, fresh,
					touches, upToDate, this.claimed, this.letGo, this.working);
		}

		Shard renewing(int lease, int at) {
			return new Shard(this.id, this.name, this.phase, lease, at, this.main, this.child, this.refreshed,
					this.touched, this.settled, this.claimed, this.letGo, this.working);
		}

		/** A term begins, or has ended: there is no claim. */
		Shard in(Phase next, int lease, int at, boolean touches) {
			return new Shard(this.id, this.name, next, lease, at, this.main, this.child, false, touches, false, false,
					null, this.working);
		}

	}

	/**
	 * The leading sharder.
	 *
	 * @param since since when it leads
	 * @param members the shards that it knows to be available
	 * @param main the main object as it has seen it last
	 * @param owner who was asked to let it go, if it knows
	 * @param listed whether it has looked for what is controlled
	 * @param child what it found then
	 * @param from whose label that bore
	 * @param pending what it has moved before the main object
	 * @param unanswered a move of what is controlled that nobody has answered
	 * @param held the shard whose Lease it holds
	 * @param number the version of that Lease
	 * @param renewed when it wrote it
	 */
	record Sharder(int since, Set<String> members, @Nullable Thing main, @Nullable String owner, boolean listed,
			@Nullable Thing child, @Nullable String from, @Nullable Thing pending, @Nullable Flight unanswered,
			@Nullable String held, int number, int renewed) {

		static Sharder since(int now, Set<String> members) {
			return new Sharder(now, members, null, null, false, null, null, null, null, null, 0, 0);
		}

		Sharder with(@Nullable Thing mainSeen, @Nullable Thing childSeen, @Nullable Thing moved,
				@Nullable Flight open) {
			return new Sharder(this.since, this.members, mainSeen, this.owner, this.listed, childSeen, this.from, moved,
					open, this.held, this.number, this.renewed);
		}

		/** It judges the main object anew, and what it controls has to be looked for. */
		Sharder judging(@Nullable Thing seen, @Nullable String asked) {
			return new Sharder(this.since, this.members, seen, asked, false, null, null, this.pending, null, this.held,
					this.number, this.renewed);
		}

		Sharder listing(@Nullable Thing found) {
			return new Sharder(this.since, this.members, this.main, this.owner, true, found,
					(found != null) ? found.shard : null, this.pending, this.unanswered, this.held, this.number,
					this.renewed);
		}

		Sharder in(Set<String> ring) {
			return new Sharder(this.since, ring, this.main, this.owner, this.listed, this.child, this.from,
					this.pending, this.unanswered, this.held, this.number, this.renewed);
		}

		Sharder holding(@Nullable String shard, int lease, int at) {
			return new Sharder(this.since, this.members, this.main, this.owner, this.listed, this.child, this.from,
					this.pending, this.unanswered, shard, lease, at);
		}

	}

}

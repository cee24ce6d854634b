package dev.sharding.internal.core.assignment;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.sharding.internal.core.assignment.DrainWorld.Lease;
import dev.sharding.internal.core.assignment.DrainWorld.Phase;
import dev.sharding.internal.core.assignment.DrainWorld.Shard;
import dev.sharding.internal.core.assignment.DrainWorld.Sharder;
import dev.sharding.internal.core.assignment.Flight.What;
import dev.sharding.internal.core.lease.LeaseWrites;
import org.jspecify.annotations.Nullable;

/**
 * What may happen next in a {@link DrainWorld}: everybody may take one step, or none for
 * as long as it likes, and what was sent may arrive at any time.
 */
final class DrainPlay {

	private final DrainScene scene;

	private final DrainFault fault;

	private final DrainShard shard;

	private final DrainSharder sharder;

	private final DrainArrival arrival;

	DrainPlay(DrainScene scene, DrainFault fault) {
		this.scene = scene;
		this.fault = fault;
		this.shard = new DrainShard(scene, fault);
		this.sharder = new DrainSharder(scene, fault);
		this.arrival = new DrainArrival(this.shard, this.sharder, fault);
	}

	/** All worlds that may be next. */
	List<Step> next(DrainWorld world) {
		List<Step> steps = new ArrayList<>();
		world.shards().forEach((one) -> this.shard.steps(world, one, steps));
		this.sharder.steps(world, steps);
		for (Flight flight : world.flights().stream().sorted().toList()) {
			steps.add(this.arrival.of(world, flight));
			if (flight.awaited() && world.left().lostAnswers() > 0 && mayBeLost(flight)) {
				steps.add(new Step("nobody answers " + flight.by(), lost(world, flight)));
			}
		}
		accidents(world, steps);
		if (world.now() < this.scene.lastTick()) {
			steps.add(new Step("time passes", passed(world, false)));
		}
		return steps;
	}

	/* All but what is known to do harm then. */
	private boolean mayBeLost(Flight flight) {
		return switch (flight.what()) {
			case CREATE_CHILD -> this.fault == DrainFault.CREATES_WITHOUT_ANSWER;
			case GIVE_MAIN ->
				this.scene != DrainScene.COME_AND_GO || this.fault == DrainFault.GIVES_MAIN_WITHOUT_ANSWER;
			default -> true;
		};
	}

	private static DrainWorld lost(DrainWorld world, Flight flight) {
		Accidents left = world.left();
		DrainWorld unheard = world.landed(flight).sent(flight.forgotten(flight.by())).with(left.afterLostAnswer());
		if (flight.by().equals(DrainSharder.PASS)) {
			// It is sent again.
			return unheard.sent(flight);
		}
		return flight.by().equals(DrainSharder.NAME) ? unheard.with(DrainSharder.unsure(unheard, flight)) : unheard;
	}

	private void accidents(DrainWorld world, List<Step> steps) {
		Accidents left = world.left();
		if (left.edits() > 0) {
			steps.add(new Step("somebody edits the main object",
					world.withMain(world.main().changed()).with(left.afterEdit())));
		}
		boolean arrived = this.scene.mayFormerLeaderBeLate() || this.fault == DrainFault.FORMER_LEADER_IS_LATE
				|| world.flights().stream().noneMatch(Flight::isOfSharder);
		if (left.leaders() > 0 && arrived) {
			steps.add(new Step("another sharder leads",
					world.with(Sharder.since(world.now(), DrainScene.members(world)))
						.withFlights(DrainPlay::former)
						.with(left.afterNewLeader())));
		}
		if (left.comings() > 0) {
			Accidents next = left.afterComing();
			Shard b = world.shard("b-1");
			if (b.phase() == Phase.OUT && world.leases().containsKey("b")) {
				steps.add(new Step("b is back", world.with(next).with(b.in(Phase.STANDBY, 0, 0, true))));
			}
			else if (b.phase() == Phase.OUT) {
				DrainWorld come = world.written(LeaseWrites.create(DrainScene.identity(b), DrainScene.LEASE,
						DrainScene.at(world.now()).wall()));
				steps.add(new Step("b comes",
						come.with(next).with(b.in(Phase.ACTIVE, come.lease("b").number(), world.now(), true))));
			}
			else if (b.phase() == Phase.ACTIVE && !b.working() && !world.awaits(b.id())) {
				Lease lease = world.lease("b");
				steps.add(new Step("b goes",
						world.written(LeaseWrites.release(lease.record(), DrainScene.at(world.now()).wall()))
							.with(next)
							.with(b.in(Phase.OUT, 0, 0, true))));
			}
		}
	}

	private static void former(Set<Flight> flights) {
		List<Flight> sent = flights.stream().filter(Flight::isOfSharder).toList();
		sent.forEach((flight) -> {
			flights.remove(flight);
			flights.add(flight.forgotten("former"));
		});
	}

	/**
	 * Time passes, and whoever is well renews.
	 * @param all whether the first process of a is, too
	 */
	static DrainWorld passed(DrainWorld world, boolean all) {
		DrainWorld later = world.later();
		for (Shard shard : world.shards()) {
			Lease lease = later.leases().get(shard.name());
			if (shard.phase() == Phase.ACTIVE && (all || !shard.id().equals("a-1")) && lease != null
					&& lease.number() == shard.number()) {
				later = later
					.written(LeaseWrites.renew(lease.record(), DrainScene.LEASE, DrainScene.at(later.now()).wall()));
				later = later.with(later.shard(shard.id()).renewing(later.lease(shard.name()).number(), later.now()));
			}
		}
		return later;
	}

	/** What is wrong with a world, {@code null} if nothing is. */
	@Nullable String wrong(DrainWorld world) {
		List<String> owners = world.shards()
			.stream()
			.filter((one) -> this.shard.mayWrite(world, one))
			.map(Shard::id)
			.toList();
		return (owners.size() > 1) ? "two owners: " + owners : null;
	}

	/**
	 * One step.
	 *
	 * @param wrong what is wrong with the step itself, {@code null} if nothing is
	 */
	record Step(String name, DrainWorld world, @Nullable String wrong) {

		Step(String name, DrainWorld world) {
			this(name, world, null);
		}

	}

	static Flight flight(String by, What what, int version, @Nullable String to) {
		return new Flight(by, what, version, to, true);
	}

}

package dev.sharding.internal.core.assignment;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.internal.core.assignment.DrainPlay.Step;
import dev.sharding.internal.core.assignment.DrainWorld.Lease;
import dev.sharding.internal.core.assignment.DrainWorld.Sharder;
import dev.sharding.internal.core.assignment.DrainWorld.Thing;
import dev.sharding.internal.core.assignment.Flight.What;
import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.fence.LeaseGate;
import dev.sharding.internal.core.lease.HoldDecision;
import dev.sharding.internal.core.lease.HoldDecision.Hold;
import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardLeaseDecision;
import dev.sharding.internal.core.lease.ShardState;
import org.jspecify.annotations.Nullable;

/**
 * What the leading sharder may do: it looks, asks for the object, holds the Lease of a
 * shard that is gone, looks for what is controlled, moves that, and then the main object.
 */
final class DrainSharder {

	static final String NAME = "sharder";

	/* Of the same process, and on its own. */
	static final String PASS = "pass";

	private static final Map<Set<String>, HashRing> RINGS = new ConcurrentHashMap<>();

	private final DrainScene scene;

	private final DrainFault fault;

	DrainSharder(DrainScene scene, DrainFault fault) {
		this.scene = scene;
		this.fault = fault;
	}

	void steps(DrainWorld world, List<Step> steps) {
		Sharder sharder = world.sharder();
		Set<String> present = DrainScene.members(world);
		if (!present.equals(sharder.members())) {
			steps.add(new Step("the sharder hears of the shards", world.with(sharder.in(present))));
		}
		holds(world, sharder, steps);
		passes(world, sharder, steps);
		if (world.awaits(NAME)) {
			return;
		}
		Thing main = sharder.main();
		if (!world.main().equals(main)) {
			steps.add(new Step("the sharder sees the main object", world.with(seen(sharder, world.main()))));
		}
		if (main == null) {
			return;
		}
		if (this.fault == DrainFault.LISTS_TOO_EARLY && main.drain() && !sharder.listed()) {
			steps.add(new Step("the sharder looks for what is controlled",
					world.with(sharder.listing(found(world, sharder)))));
		}
		AssignmentDecision decision = decide(main, ResourceRole.MAIN, handOver(world, main), sharder.members());
		if (decision instanceof AssignmentDecision.Drain) {
			steps.add(new Step("the sharder asks for the object", world.with(sharder.judging(main, main.shard()))
				.sent(DrainPlay.flight(NAME, What.DRAIN, main.version(), null))));
		}
		else if (decision instanceof AssignmentDecision.Wait wait
				&& wait.reason() == AssignmentDecision.WaitReason.CONTROLLED_OBJECTS_FIRST && mayLeave(world, main)) {
			childFirst(world, sharder, main, steps);
		}
		else if (to(decision) != null && mayLeave(world, main)) {
			steps.add(new Step("the sharder gives the main object away",
					world.sent(DrainPlay.flight(NAME, What.GIVE_MAIN, main.version(), to(decision)))));
		}
	}

	private static @Nullable String to(AssignmentDecision decision) {
		return (decision instanceof AssignmentDecision.Assign assign) ? assign.shard()
				: (decision instanceof AssignmentDecision.Move move) ? move.shard() : null;
	}

	private Sharder seen(Sharder sharder, Thing main) {
		Sharder next = sharder.judging(main, main.drain() ? main.shard() : sharder.owner());
		return (this.fault == DrainFault.LISTS_TOO_EARLY && sharder.listed()) ? next.listing(sharder.child()) : next;
	}

	/* By the ring as it is: what was moved by an earlier one may have to move again. */
	private HandOver handOver(DrainWorld world, Thing main) {
		Sharder sharder = world.sharder();
		if (main.shard() != null && sharder.members().contains(main.shard())) {
			return HandOver.NONE;
		}
		if (this.fault == DrainFault.GIVES_MAIN_FIRST) {
			return HandOver.CONTROLLED_OBJECTS_MOVED;
		}
		Thing child = sharder.child();
		boolean right = child == null
				|| child.equals(sharder.pending()) && this.fault == DrainFault.FORGETS_THE_NEXT_RING
				|| isKept(child, sharder.members());
		boolean open = sharder.unanswered() != null && this.fault != DrainFault.FORGETS_WHAT_IS_UNANSWERED;
		boolean passes = world.awaits(PASS) && this.fault != DrainFault.OVERTAKES_A_PASS;
		return (sharder.listed() && right && !open && !passes) ? HandOver.CONTROLLED_OBJECTS_MOVED
				: HandOver.CLAIM_ENDED;
	}

	private boolean isKept(Thing child, Set<String> members) {
		return decide(child, ResourceRole.CONTROLLED, HandOver.NONE, members) instanceof AssignmentDecision.Keep;
	}

	private AssignmentDecision decide(Thing thing, ResourceRole role, HandOver handOver, Set<String> members) {
		HashRing ring = RINGS.computeIfAbsent(members, HashRing::of);
		return AssignmentDecision.of(new AssignmentFacts(DrainShard.labels(thing), DrainScene.RING, role,
				this.scene.key(), ring, handOver, false));
	}

	private void childFirst(DrainWorld world, Sharder sharder, Thing main, List<Step> steps) {
		if (!sharder.listed()) {
			steps.add(new Step("the sharder looks for what is controlled",
					world.with(sharder.listing(found(world, sharder)))));
			return;
		}
		Thing child = sharder.child();
		Set<String> members = sharder.members();
		String to = (child != null) ? to(decide(child, ResourceRole.CONTROLLED, HandOver.NONE, members)) : null;
		if (child == null || to == null) {
			again(world, sharder, steps);
			return;
		}
		String from = child.shard();
		boolean available = from != null && members.contains(from);
		// Who has the main object now, keeps what it controls.
		boolean looks = available && sharder.owner() == null && this.fault != DrainFault.TAKES_WITHOUT_LOOK;
		if (looks && world.main().version() != main.version()) {
			steps.add(new Step("the sharder finds another main object", world.with(seen(sharder, world.main()))));
		}
		else if (available ? Objects.equals(from, sharder.from()) : mayLeave(world, child)) {
			steps.add(new Step("the sharder gives what is controlled away",
					world.sent(DrainPlay.flight(NAME, What.GIVE_CHILD, child.version(), to))));
		}
		else if (available) {
			// It was moved by an earlier ring, or by others: it is looked for anew.
			steps.add(new Step("the sharder judges anew", world.with(sharder.judging(main, sharder.owner()))));
		}
	}

	/* What nobody answered may arrive at any time, unless it is sent again. */
	private static void again(DrainWorld world, Sharder sharder, List<Step> steps) {
		Flight open = sharder.unanswered();
		if (open != null) {
			steps.add(new Step("the sharder gives what is controlled away again", world.sent(open)));
		}
	}

	/* By the label of the shard that was asked, or what was moved before. */
	private static @Nullable Thing found(DrainWorld world, Sharder sharder) {
		Thing child = world.child();
		if (child == null || sharder.owner() == null || sharder.owner().equals(child.shard())) {
			return child;
		}
		return sharder.pending();
	}

	/*
	 * A pass over all controlled objects: what is with an available shard stays there if
	 * that has the main object, too, or may get it.
	 */
	private void passes(DrainWorld world, Sharder sharder, List<Step> steps) {
		Thing child = world.child();
		Set<String> members = sharder.members();
		boolean changesHands = sharder.listed() || world.awaits(NAME);
		if (changesHands || world.awaits(PASS) || child == null || child.shard() == null
				|| !members.contains(child.shard())) {
			return;
		}
		String to = to(decide(child, ResourceRole.CONTROLLED, HandOver.NONE, members));
		String owner = world.main().shard();
		boolean owned = owner != null && members.contains(owner);
		boolean astray = owned ? !child.shard().equals(owner) : sharder.main() == null;
		if (to != null && (astray || this.fault == DrainFault.TAKES_WITHOUT_LOOK)) {
			steps.add(new Step("a pass finds what is controlled astray",
					world.sent(DrainPlay.flight(PASS, What.GIVE_CHILD, child.version(), to))));
		}
	}

	private boolean mayLeave(DrainWorld world, Thing thing) {
		String from = thing.shard();
		// An available one has given it up by what was seen.
		return from == null || world.sharder().members().contains(from) || this.fault == DrainFault.MOVES_WITHOUT_HOLD
				|| (from.equals(world.sharder().held()) && isHeld(world));
	}

	private static boolean isHeld(DrainWorld world) {
		Sharder sharder = world.sharder();
		return sharder.held() != null && LeaseGate.judge(DrainScene.at(sharder.renewed()), DrainScene.LEASE,
				DrainScene.at(world.now())) instanceof FenceDecision.Allowed;
	}

	private void holds(DrainWorld world, Sharder sharder, List<Step> steps) {
		Moment now = DrainScene.at(world.now());
		String held = sharder.held();
		if (held == null) {
			takes(world, sharder, now, steps);
			return;
		}
		Lease lease = world.lease(held);
		LeaseRecord record = lease.record();
		if (!isHeld(world)) {
			steps.add(new Step("the sharder has held the Lease for too long", world.with(sharder.holding(null, 0, 0))));
			return;
		}
		if (lease.number() != sharder.number()) {
			return;
		}
		Thing main = sharder.main();
		boolean wanted = main == null || held.equals(main.shard())
				|| (sharder.child() != null && held.equals(sharder.child().shard())) || world.awaits(NAME);
		Hold hold = new Hold(DrainScene.at(sharder.renewed()), DrainScene.at(sharder.renewed()), DrainScene.LEASE,
				Duration.ZERO, false);
		HoldDecision decision = HoldDecision.of(hold, wanted, now);
		if (decision instanceof HoldDecision.Renew && wanted) {
			written(world, LeaseWrites.renew(record, DrainScene.LEASE, now.wall()), held, "renews its hold", null,
					steps);
		}
		else if (decision instanceof HoldDecision.GiveBack || this.fault == DrainFault.ENDS_HOLD_TOO_EARLY) {
			written(world, LeaseWrites.release(record, now.wall()), null, "gives the Lease back", halves(world, held),
					steps);
		}
	}

	private void takes(DrainWorld world, Sharder sharder, Moment now, List<Step> steps) {
		for (String name : List.of("a", "b")) {
			Lease lease = world.leases().get(name);
			boolean wanted = (sharder.main() != null && name.equals(sharder.main().shard()))
					|| (sharder.child() != null && name.equals(sharder.child().shard()));
			if (lease == null || !wanted || sharder.members().isEmpty()) {
				continue;
			}
			LeaseRecord record = lease.record();
			Moment since = DrainScene.at(Math.max(lease.changed(), sharder.since()));
			boolean dead = ShardState.of(record, now.wall()) == ShardState.DEAD;
			boolean over = dead || ShardLeaseDecision.of(new LeaseObservation(record, since, false), Duration.ZERO,
					LeaseTimes.LONGEST, DrainScene.at(sharder.since()), now) instanceof ShardLeaseDecision.Take;
			if (over || this.fault == DrainFault.TAKES_LIVE_LEASE) {
				written(world, LeaseWrites.hold(record, DrainScene.LEASE, now.wall()), name,
						"takes the Lease of " + name, null, steps);
			}
		}
	}

	/* Whoever comes back with a main object is to find what that controls. */
	private static @Nullable String halves(DrainWorld world, String held) {
		Thing child = world.child();
		boolean half = child != null && held.equals(world.main().shard()) && !held.equals(child.shard());
		return half ? "the Lease of " + held + " is free although what its main object controls has moved" : null;
	}

	private static void written(DrainWorld world, LeaseRecord record, @Nullable String held, String what,
			@Nullable String wrong, List<Step> steps) {
		DrainWorld written = world.written(record);
		steps.add(new Step("the sharder " + what, written.with(world.sharder()
			.holding(held, (held != null) ? written.lease(held).number() : 0, (held != null) ? world.now() : 0)),
				wrong));
	}

	/** A patch was carried out. */
	Sharder answered(Sharder sharder, Flight flight, Thing changed) {
		if (flight.by().equals(PASS)) {
			return toldOf(sharder, changed);
		}
		if (!flight.what().ofMain()) {
			return sharder.with(sharder.main(), changed, changed, null);
		}
		if (flight.what() == What.GIVE_MAIN) {
			// It has followed.
			return sharder.judging(changed, null).with(changed, null, null, null);
		}
		return seen(sharder, changed);
	}

	/* A hand-over that waits for a pass is told what that has left. */
	private static Sharder toldOf(Sharder sharder, @Nullable Thing child) {
		return sharder.listed() ? sharder.with(sharder.main(), child, child, sharder.unanswered()) : sharder;
	}

	/** A patch met another version: it looks again, and decides anew. */
	Sharder refused(DrainWorld world, Flight flight) {
		Sharder sharder = world.sharder();
		if (flight.by().equals(PASS)) {
			return toldOf(sharder, world.child());
		}
		if (flight.what() == What.DRAIN) {
			return seen(sharder, world.main());
		}
		if (flight.what() == What.GIVE_MAIN) {
			return sharder.with(world.main(), sharder.child(), sharder.pending(), null);
		}
		Thing child = world.child();
		boolean claimed = child != null && child.shard() != null && child.shard().equals(world.main().shard());
		boolean stays = claimed && sharder.members().contains(String.valueOf(child.shard()));
		return stays ? sharder.judging(null, sharder.owner()).with(null, null, child, null)
				: sharder.with(sharder.main(), child, sharder.pending(), null);
	}

	/** The answer to a patch did not come. */
	static Sharder unsure(DrainWorld world, Flight flight) {
		Sharder sharder = world.sharder();
		return (flight.what() == What.GIVE_CHILD)
				? sharder.with(sharder.main(), sharder.child(), sharder.pending(), flight)
				: sharder.judging(world.main(), sharder.owner());
	}

}

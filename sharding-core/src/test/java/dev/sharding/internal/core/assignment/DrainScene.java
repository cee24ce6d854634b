package dev.sharding.internal.core.assignment;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

import dev.sharding.internal.core.assignment.DrainWorld.Lease;
import dev.sharding.internal.core.assignment.DrainWorld.Phase;
import dev.sharding.internal.core.assignment.DrainWorld.Shard;
import dev.sharding.internal.core.assignment.DrainWorld.Sharder;
import dev.sharding.internal.core.assignment.DrainWorld.Thing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardIdentity;
import dev.sharding.internal.core.lease.ShardState;

/**
 * Where a play begins: the process {@code a-1} of shard {@code a} has the main object and
 * what that controls.
 */
enum DrainScene {

	/** Shard b has just come, and the object belongs to it; somebody edits the object. */
	JOIN("b", 0, 60, true, new Accidents(0, 1, 0, 1, 0)),

	/** The same, while a's first reconcile is still to make what is controlled. */
	NEW_CHILD("b", 0, 60, true, new Accidents(0, 1, 0, 1, 0)),

	/** As the first, while another sharder takes the lead. */
	NEW_LEADER("b", 0, 24, true, new Accidents(0, 1, 1, 1, 0)),

	/** Shard b comes, goes, and comes again, and another sharder takes the lead. */
	COME_AND_GO("b", 0, 22, false, new Accidents(0, 1, 1, 0, 3)),

	/** Shard a may be paused for as long as it likes, and come back. */
	CRASH("a", 6, 18, true, new Accidents(1, 0, 0, 0, 0)),

	/** The same while another sharder takes the lead. */
	CRASH_AND_LEADER("a", 5, 18, true, new Accidents(0, 0, 1, 0, 0)),

	/** The same, and another process of that name stands by. */
	NAMESAKE("a", 5, 15, true, new Accidents(0, 0, 0, 0, 0));

	static final Duration TICK = Duration.ofMillis(7_500);

	static final Duration LEASE = Duration.ofSeconds(15);

	static final String RING = "ring";

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private final ShardingKey key;

	private final int lastTick;

	private final int steps;

	private final boolean joined;

	private final Accidents accidents;

	DrainScene(String belongsTo, int lastTick, int steps, boolean joined, Accidents accidents) {
		this.key = IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> new ShardingKey("", "Secret", "default", "main-" + i))
			.filter((any) -> belongsTo.equals(HashRing.of(List.of("a", "b")).shardFor(any)))
			.findFirst()
			.orElseThrow();
		this.lastTick = lastTick;
		this.steps = steps;
		this.joined = joined;
		this.accidents = accidents;
	}

	ShardingKey key() {
		return this.key;
	}

	/** How many steps fit a build. */
	int steps() {
		return this.steps;
	}

	int lastTick() {
		return this.lastTick;
	}

	/**
	 * Whether no harm comes from what a sharder has sent while it led and arrives at any
	 * later time. Where shards come and go, it may move what the next one has already
	 * looked at.
	 */
	boolean mayFormerLeaderBeLate() {
		return this != COME_AND_GO;
	}

	/** Whether a process makes what it controls. */
	boolean creates() {
		return this == NEW_CHILD;
	}

	static Moment at(int tick) {
		Duration passed = TICK.multipliedBy(tick);
		return new Moment(NOW.plus(passed), passed.toNanos());
	}

	/** The available shards. */
	static Set<String> members(DrainWorld world) {
		Set<String> members = new TreeSet<>();
		world.leases().forEach((name, lease) -> {
			if (ShardState.of(lease.record(), at(world.now()).wall()).isAvailable()) {
				members.add(name);
			}
		});
		return members;
	}

	static ShardIdentity identity(Shard shard) {
		return new ShardIdentity(shard.name(), shard.id());
	}

	DrainWorld begin() {
		Map<String, Lease> leases = new TreeMap<>();
		List<Shard> shards = new ArrayList<>();
		Thing child = creates() ? null : new Thing(0, "a", false);
		LeaseRecord a = LeaseWrites.create(new ShardIdentity("a", "a-1"), LEASE, at(0).wall());
		leases.put("a", new Lease(a, 1, 0, false));
		shards.add(new Shard("a-1", "a", Phase.ACTIVE, 1, 0, new Thing(0, "a", false), child, true, true, true, true,
				null, true));
		if (this.joined) {
			LeaseRecord b = LeaseWrites.create(new ShardIdentity("b", "b-1"), LEASE, at(0).wall());
			leases.put("b", new Lease(b, 1, 0, false));
		}
		shards.add(new Shard("b-1", "b", this.joined ? Phase.ACTIVE : Phase.OUT, 1, 0, null, null, this.joined, true,
				false, false, null, false));
		if (this == NAMESAKE) {
			shards.add(new Shard("a-2", "a", Phase.STANDBY, 0, 0, null, null, false, true, false, false, null, false));
		}
		return new DrainWorld(0, new Thing(0, "a", false), child, leases, shards, Sharder.since(0, leases.keySet()),
				Set.of(), "a-1", 0, this.accidents);
	}

}

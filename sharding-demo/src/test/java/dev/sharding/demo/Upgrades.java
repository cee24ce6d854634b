package dev.sharding.demo;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import dev.sharding.internal.core.slot.SharderMark;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replaces processes by those of the build that {@link Builds} says, as a roll-out does,
 * while the users go on.
 */
final class Upgrades {

	private static final Duration STARTED_WITHIN = Duration.ofMinutes(4);

	private static final Duration ENDED_WITHIN = Duration.ofMinutes(1);

	private static final String UNKNOWN_SHARDER = "the leading sharder is not seen to leave slots to their next holder";

	private Upgrades() {
	}

	/** Ends the sharder, then starts another one: between them there is none. */
	static void replaceSharder(World world) throws IOException {
		leave(world, "sharder");
		Instant gone = Instant.now();
		// As long as there is none, nobody can be given anything, and it begins cold.
		world.marks().disturb(Marks.ALL, () -> {
			world.cast().enterSharder(world.sharder("sharder"));
			world.awaitLeader(gone);
			world.settle();
		});
		checkLeader(world);
	}

	/**
	 * Starts another sharder beside the one that leads, and ends that after a while.
	 * @param meanwhile what happens as long as the one before leads, and once more when
	 * the other one does
	 */
	static void replaceSharderBeside(World world, World.Action meanwhile) throws Exception {
		enterSharder(world, "standby");
		meanwhile.run(world);
		handLeadOver(world, "sharder");
		checkLeader(world);
		meanwhile.run(world);
		enterSharder(world, "sharder");
		handLeadOver(world, "standby");
		checkLeader(world);
		world.settle();
	}

	private static void enterSharder(World world, String name) throws IOException {
		int before = world.log(name).length();
		world.cast().enterSharder(world.sharder(name));
		Waiting.until(name + " to have started", STARTED_WITHIN, () -> {
			world.cast().checkAlive();
			return world.log(name).substring(before).contains("Started");
		});
	}

	private static void handLeadOver(World world, String name) {
		String before = world.leader();
		leave(world, name);
		Waiting.until("another sharder to lead", STARTED_WITHIN, () -> {
			world.cast().checkAlive();
			return !world.leader().isEmpty() && !world.leader().equals(before);
		});
	}

	/** A former sharder does not say that it leaves slots to their next holder. */
	private static void checkLeader(World world) {
		Lease election = world.election();
		Map<String, String> annotations = Objects.requireNonNullElse(election.getMetadata().getAnnotations(),
				Map.<String, String>of());
		boolean present = SharderMark.text(election.getSpec().getLeaseTransitions())
			.equals(annotations.get(ShardingLabels.HONOURS_SLOTS));
		assertThat(present).as("a sharder of this build leads").isEqualTo(!world.builds().isFormer("sharder"));
	}

	/**
	 * Replaces the shards one by one: first one as a StatefulSet does after a crash, then
	 * the other one as a Deployment with a surge, then the first one again as a
	 * StatefulSet does in a roll-out.
	 */
	static void replaceShards(World world) throws IOException {
		world.accidents().killAndRestart(world.shard("s1"));
		world.settle();
		join(world, "s3");
		leave(world, "s2");
		world.settle();
		join(world, "s2");
		leave(world, "s3");
		world.settle();
		leave(world, "s1");
		join(world, "s1");
	}

	private static void join(World world, String name) throws IOException {
		world.cast().enterShard(world.shard(name));
		world.cast().awaitHeld();
		world.settle();
	}

	private static void leave(World world, String name) {
		Actor leaving = world.cast().dismiss(name);
		leaving.terminate();
		assertThat(leaving.awaitEnd(ENDED_WITHIN)).as(name + " ends").isTrue();
	}

	/** The next holder goes on with the objects as they are. */
	static void takeSlotOver(World world, String from, String to) throws IOException {
		String slot = world.board().shardOf(from);
		Actor next = standBy(world, to);
		Actor leaving = world.cast().dismiss(from);
		world.cast().enter(next);
		leaving.terminate();
		world.cast().awaitHeld();
		assertThat(world.board().shardOf(to)).isEqualTo(slot);
		world.settle();
		assertThat(leaving.awaitEnd(ENDED_WITHIN)).isTrue();
	}

	/**
	 * Under a sharder that does not know slots: the next holder has nothing of the one
	 * before until that sharder has moved all of it, and gets its share by drains.
	 * @param killed whether the one before has no time to give its slot back
	 * @return how many objects had to move away, and as many back
	 */
	static long takeEmptySlotOver(World world, String from, String to, boolean killed) throws IOException {
		String slot = world.board().shardOf(from);
		int before = world.log(to).length();
		Actor next = standBy(world, to);
		long objects = IntStream.range(0, world.writer().created())
			.filter((number) -> !Names.comesAndGoes(number))
			.filter((number) -> world.board().ownerOf(Names.secret(number)).equals(from))
			.count();
		Actor leaving = world.cast().dismiss(from);
		world.cast().enter(next);
		if (killed) {
			leaving.kill();
			// It could have taken the slot for as long as the sharder may not.
			Waiting.until(to + " to say that it takes no slot", STARTED_WITHIN,
					() -> world.log(to).substring(before).contains(UNKNOWN_SHARDER));
		}
		else {
			leaving.terminate();
		}
		world.cast().awaitHeld();
		assertThat(world.board().shardOf(to)).isEqualTo(slot);
		// The Lease is seen to be held a moment before the process that took it says so.
		Waiting.until(to + " to say that the slot was empty", STARTED_WITHIN,
				() -> world.log(to).substring(before).contains("whose objects had been moved"));
		world.settle();
		assertThat(leaving.awaitEnd(ENDED_WITHIN)).isTrue();
		return objects;
	}

	private static Actor standBy(World world, String name) throws IOException {
		int before = world.log(name).length();
		Actor candidate = world.stage().startShard(world.shard(name));
		Waiting.until(name + " to stand by", STARTED_WITHIN, () -> {
			assertThat(candidate.isAlive()).as(candidate.died()).isTrue();
			return world.log(name).substring(before).contains("phase=STANDBY");
		});
		return candidate;
	}

}

package dev.sharding.demo;

import java.util.Map;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sharding.judge.Counter;
import dev.sharding.judge.Exposure;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * From a former build to this one and back, with users at work all the time. After each
 * step every counter of the judge is zero. {@code ./upgrade} builds the former one and
 * runs this.
 */
@Tag("long")
class UpgradeIT {

	private static final int OBJECTS = 120;

	private static final String[] SHARDERS = { "sharder", "standby" };

	private static final String[] SHARDS = { "s1", "s2", "s3" };

	@Test
	void losesNothingOnTheWayToThisBuildAndBackSharderFirst() throws Exception {
		try (World world = open("upgrade-sharder-first", 0)) {
			former(world);
			play(world, "former-alone", ShardPlays::drain, 1);
			world.stage().permit(world.stage().config());
			world.builds().present(SHARDERS);
			play(world, "sharder-up", Upgrades::replaceSharder, 0);
			world.builds().former(SHARDERS);
			play(world, "sharder-down-beside", UpgradeIT::drainUnderBoth, 1);
			world.builds().present(SHARDERS);
			play(world, "sharder-up-beside", UpgradeIT::drainUnderBoth, 1);
			world.builds().present(SHARDS);
			play(world, "shards-up", Upgrades::replaceShards, OBJECTS);
			play(world, "present-alone", ShardPlays::drain, 1);
			world.builds().former(SHARDS);
			play(world, "shards-down", Upgrades::replaceShards, OBJECTS);
			world.builds().former(SHARDERS);
			play(world, "sharder-down", Upgrades::replaceSharder, 0);
			world.stage().permit(world.builds().config());
			play(world, "former-again", ShardPlays::drain, 1);
		}
	}

	@Test
	void losesNothingOnTheWayToThisBuildAndBackShardsFirst() throws Exception {
		try (World world = open("upgrade-shards-first", 0)) {
			former(world);
			world.stage().permit(world.stage().config());
			world.builds().present(SHARDS);
			play(world, "shards-up", Upgrades::replaceShards, OBJECTS);
			play(world, "drain", ShardPlays::drain, 1);
			world.builds().present(SHARDERS);
			play(world, "sharder-up-beside", UpgradeIT::drainUnderBoth, 1);
			world.builds().former(SHARDERS);
			play(world, "sharder-down-beside", UpgradeIT::drainUnderBoth, 1);
			world.builds().former(SHARDS);
			play(world, "shards-down", Upgrades::replaceShards, OBJECTS);
		}
	}

	@Test
	void losesNothingWhereAFormerSharderLeadsShardsThatHaveSlots() throws Exception {
		try (World world = open("upgrade-slots", World.SHARDS.size())) {
			world.stage().permit(world.stage().config());
			play(world, "slots", (same) -> replaceAndBack(world), 0);
			world.builds().former(SHARDERS);
			play(world, "slots-sharder-down", UpgradeIT::waitUnderBoth, 0);
			assertThat(world.exposure().handOvers()).isZero();
			long[] moved = { 0 };
			world.playWithoutFinding("slots-under-former", takesBeforeTheGraceIsOver(world), (same) -> {
				moved[0] = Upgrades.takeEmptySlotOver(world, "s2", "s3", false)
						+ Upgrades.takeEmptySlotOver(world, "s3", "s2", true);
			});
			tell(world, "slots-under-former", (int) (2 * moved[0]));
			world.builds().present(SHARDERS);
			Map<String, String> owners = owners(world);
			play(world, "slots-sharder-up", UpgradeIT::waitUnderBoth, 0);
			// One that is made again while a shard settles moves when it has settled.
			assertThat(owners(world)).isEqualTo(owners);
			play(world, "slots-again", (same) -> replaceAndBack(world), 0);
		}
	}

	/** All processes are of the former build, with the rights that it had. */
	private static void former(World world) throws Exception {
		world.builds().former(SHARDERS);
		world.builds().former(SHARDS);
		world.stage().permit(world.builds().config());
	}

	private static void drainUnderBoth(World world) throws Exception {
		Upgrades.replaceSharderBeside(world, ShardPlays::drain);
	}

	private static void waitUnderBoth(World world) throws Exception {
		Upgrades.replaceSharderBeside(world, (same) -> Waiting.pause(Names.LEASE.multipliedBy(2)));
	}

	private static void replaceAndBack(World world) throws Exception {
		Upgrades.takeSlotOver(world, "s2", "s3");
		// A term that ends before it has lasted for a grace starts no new one.
		Waiting.pause(World.GRACE.multipliedBy(2));
		Upgrades.takeSlotOver(world, "s3", "s2");
	}

	/**
	 * The former build has no slots: what was given back its sharder takes at once, with
	 * the Lease, and so without a second owner. That it does not wait for the grace is
	 * all that the judge may find, and of nobody else.
	 */
	private static BiPredicate<Counter, String> takesBeforeTheGraceIsOver(World world) {
		return (counter, sentence) -> counter == Counter.LEASE_STOLEN
				&& sentence.contains(":" + world.cast().actor("sharder").user() + " received ")
				&& sentence.contains("its objects wait for the next holder");
	}

	/** Who has what stays. */
	private static Map<String, String> owners(World world) {
		return IntStream.range(0, world.writer().created())
			.filter((number) -> !Names.comesAndGoes(number))
			.mapToObj(Names::secret)
			.collect(Collectors.toMap((secret) -> secret, (secret) -> world.board().ownerOf(secret)));
	}

	private static World open(String name, int slots) throws Exception {
		return World.open(name, OBJECTS, slots, Builds.two(World.LAUNCHES));
	}

	private static void play(World world, String name, World.Action action, int handOvers) throws Exception {
		world.playWithoutFinding(name, action);
		tell(world, name, handOvers);
	}

	/** Nothing proves anything but what could have gone wrong. */
	private static void tell(World world, String name, int handOvers) throws Exception {
		Exposure exposure = world.exposure();
		System.out.println("Played '" + name + "' with " + OBJECTS + " objects and no violation: " + exposure);
		assertThat(exposure.handOvers()).as("hand-overs in " + name).isGreaterThanOrEqualTo(handOvers);
	}

}

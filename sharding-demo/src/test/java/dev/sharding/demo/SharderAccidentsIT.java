package dev.sharding.demo;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What happens to sharders. In each scenario, every counter of the judge is zero. */
class SharderAccidentsIT {

	private static Plays plays;

	@BeforeAll
	static void open() throws Exception {
		plays = Plays.open("sharder-accidents");
	}

	@AfterAll
	static void close() throws Exception {
		if (plays != null) {
			plays.close();
		}
	}

	@Test
	void isKilledBetweenTheMovesOfAControlledAndOfItsMainObject() throws Exception {
		plays.findNothing("kill-between", (world) -> {
			holdBetweenMoves(world);
			world.cast().dismiss("sharder").kill();
			world.holds().releaseAll();
			// As long as there is none, nobody can be given anything, and it begins cold.
			Instant killed = Instant.now();
			world.marks().disturb(Marks.ALL, () -> {
				world.cast().enterSharder(world.sharder("sharder"));
				world.awaitLeader(killed);
				world.settle();
			});
		});
	}

	@Test
	void handsOverToAShardThatIsKilledBetweenTheTwoMoves() throws Exception {
		plays.findNothing("kill-new-owner", (world) -> {
			holdBetweenMoves(world);
			world.cast().dismiss("s3").kill();
			world.holds().releaseAll();
		});
	}

	/** Returns when a controlled object is with s3 and its main object is not yet. */
	private static void holdBetweenMoves(World world) throws Exception {
		String secret = world.movesToThird();
		world.holds().hold("acknowledge", secret);
		world.cast().enterShard(world.shard("s3"));
		world.holds().awaitReached("acknowledge", secret);
		world.holds().hold("move", secret);
		world.holds().release("acknowledge", secret);
		world.holds().awaitReached("move", secret);
	}

	@Test
	void isPausedInTheMiddleOfAResyncWhileAnotherTakesOverAndThenWakes() throws Exception {
		plays.findNothing("pause-leader", (world) -> {
			Actor leader = world.cast().actor("sharder");
			Actor standby = world.cast().enterSharder(world.sharder("standby"));
			awaitLog(world, "standby", "Started");
			holdBetweenMoves(world);
			leader.pause();
			// It is not to be held when it wakes, and the other one not at all.
			world.holds().releaseAll();
			try {
				// The other finishes the rebalance, then membership changes once more.
				world.settle();
				world.cast().dismiss("s3").kill();
				world.settle();
			}
			finally {
				leader.resume();
			}
			Waiting.pause(Duration.ofSeconds(2));
			assertThat(standby.isAlive()).isTrue();
		});
	}

	@Test
	@Tag("long")
	void isKilledInTheMiddleOfAResyncWhileAnotherWaits() throws Exception {
		plays.findNothing("kill-leader", (world) -> {
			world.cast().enterSharder(world.sharder("standby"));
			awaitLog(world, "standby", "Started");
			holdBetweenMoves(world);
			world.cast().dismiss("sharder").kill();
			world.holds().releaseAll();
		});
	}

	private static void awaitLog(World world, String actor, String text) {
		Waiting.until(actor + " to say '" + text + "'", Duration.ofMinutes(4), () -> world.log(actor).contains(text));
	}

}

package dev.sharding.demo;

import java.time.Duration;

import dev.sharding.judge.Counter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The accidents of shards that are operators on java-operator-sdk.
 */
@Tag("long")
class OperatorAccidentsIT {

	private static final String OPERATOR = "dev.sharding.demo.operator.HeldOperator";

	private static World world;

	@BeforeAll
	static void open() throws Exception {
		world = World.open("operator-accidents", 60);
		world.cast(Fault.NONE, OPERATOR);
	}

	@AfterAll
	static void close() throws Exception {
		if (world != null) {
			world.close();
		}
	}

	@Test
	void isPausedBeyondItsLeaseAndWakesInTheMiddleOfAReconcile() throws Exception {
		world.playWithoutFinding("operator-pause", (world) -> {
			world.accidents().holdReconcile("s1");
			world.accidents().pauseInReconcile("s2");
		});
	}

	@Test
	void isAskedToLetGoWhileAReconcileRuns() throws Exception {
		world.playWithoutFinding("operator-drain", (world) -> {
			String secret = world.movesToThird();
			String owner = world.board().ownerOf(secret);
			world.holds().hold("reconcile", secret);
			world.writer().change(secret);
			world.holds().awaitReached("reconcile", secret);
			world.cast().enterShard(world.shard("s3"));
			world.cast().awaitHeld();
			Waiting.pause(Duration.ofSeconds(1));
			assertThat(world.board().ownerOf(secret)).isEqualTo(owner);
			world.holds().releaseAll();
			world.settle();
			Actor leaving = world.cast().dismiss("s3");
			leaving.terminate();
			world.settle();
			assertThat(leaving.awaitEnd(Duration.ofMinutes(1))).isTrue();
		});
	}

	/** Or the other ones would prove nothing. */
	@Test
	void isSeenToWriteLateWithoutItsFence() throws Exception {
		world.cast(Fault.NONE, "dev.sharding.demo.operator.LawlessOperator");
		try {
			assertThat(world.play("operator-without-fence", (world) -> world.accidents().pauseInReconcile("s1")))
				.containsKey(Counter.DOUBLE_RECONCILED);
		}
		finally {
			world.cast(Fault.NONE, OPERATOR);
		}
	}

	@Test
	void isKilled() throws Exception {
		world.playWithoutFinding("operator-kill", (world) -> world.accidents().killAndRestart(world.shard("s1")));
	}

}

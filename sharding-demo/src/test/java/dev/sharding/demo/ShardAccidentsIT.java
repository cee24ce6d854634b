package dev.sharding.demo;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What happens to shards. In each scenario, every counter of the judge is zero. */
class ShardAccidentsIT {

	private static World world;

	@BeforeAll
	static void open() throws Exception {
		world = World.open("shard-accidents", 60);
	}

	@AfterAll
	static void close() throws Exception {
		if (world != null) {
			world.close();
		}
	}

	@Test
	void reconcilesLongerThanItsLeaseAndThenWrites() throws Exception {
		judgeFindsNothing("sleep", (world) -> world.accidents().sleepInReconcile("s2"));
	}

	@Test
	void isRestartedUnderItsNameWithinItsLeaseWithADelayedWatch() throws Exception {
		judgeFindsNothing("restart", (world) -> {
			world.readLink().delay(Duration.ofMillis(300));
			world.accidents().killAndRestart(world.shard("s1"));
			world.cast().awaitHeld();
		});
	}

	@Test
	void findsThatTheApiServerDoesNotAnswerForLongerThanALease() throws Exception {
		judgeFindsNothing("api-pause", (world) -> {
			// What is on its way into a paused server is sent in time and arrives too
			// late: nothing that a client can prevent.
			world.writer().stopUpdates();
			Waiting.pause(Duration.ofSeconds(1));
			world.stage().apiServer().process().pause();
			try {
				Waiting.pause(Names.LEASE.plusSeconds(2));
			}
			finally {
				world.stage().apiServer().process().resume();
			}
			world.writer().startUpdates();
			world.cast().awaitHeld();
			world.cast().awaitAvailable();
		});
	}

	@Test
	void isAskedToLetGoWhileAReconcileRuns() throws Exception {
		judgeFindsNothing("drain", (world) -> {
			String secret = world.movesToThird();
			String owner = world.board().ownerOf(secret);
			world.holds().hold("reconcile", secret);
			world.writer().change(secret);
			world.holds().awaitReached("reconcile", secret);
			world.cast().enterShard(world.shard("s3"));
			awaitDraining(secret);
			Waiting.pause(Duration.ofSeconds(1));
			assertThat(world.board().ownerOf(secret)).isEqualTo(owner);
			world.holds().releaseAll();
			world.settle();
			// And gracefully back, under load.
			Actor leaving = world.cast().dismiss("s3");
			leaving.terminate();
			world.settle();
			assertThat(leaving.awaitEnd(Duration.ofMinutes(1))).isTrue();
		});
	}

	@Test
	void isKilledWhileItAcknowledges() throws Exception {
		judgeFindsNothing("kill-acknowledging", (world) -> {
			String secret = world.movesToThird();
			String owner = world.board().ownerOf(secret);
			world.holds().hold("acknowledge", secret);
			world.cast().enterShard(world.shard("s3"));
			world.holds().awaitReached("acknowledge", secret);
			world.cast().dismiss(owner).kill();
			world.holds().releaseAll();
		});
	}

	@Test
	void hasItsLeaseDeletedByHand() throws Exception {
		judgeFindsNothing("lease-deleted", (world) -> {
			world.accidents().holdReconcile("s2");
			world.admin().leases().inNamespace(Names.NAMESPACE).withName("s2").delete();
			Waiting.pause(Duration.ofSeconds(1));
			world.holds().releaseAll();
			world.cast().awaitHeld();
		});
	}

	@Test
	void hasTheNameOfAnotherThatRuns() throws Exception {
		judgeFindsNothing("twins", (world) -> {
			Actor twin = world.stage().startShard(world.shard("s2"));
			String log = "DuplicateShardName|already|another process";
			Waiting.until("the twin to see that its name is taken", Duration.ofSeconds(60), () -> !twin.isAlive()
					|| world.log("s2").lines().anyMatch((line) -> line.matches(".*(" + log + ").*")));
			world.writer().change(world.board().anyOf("s2"));
			Waiting.pause(Duration.ofSeconds(1));
			twin.kill();
		});
	}

	private static void awaitDraining(String secret) {
		Waiting.until("the drain of " + secret, Duration.ofSeconds(60), () -> world.board().draining(secret));
	}

	private static void judgeFindsNothing(String scenario, World.Action accident) throws Exception {
		assertThat(world.play(scenario, accident)).as("what the judge found").isEmpty();
	}

}

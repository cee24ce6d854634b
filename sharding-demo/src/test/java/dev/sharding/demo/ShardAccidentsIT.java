package dev.sharding.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens to shards. In each scenario, every counter of the judge is zero.
 */
class ShardAccidentsIT {

	private static Plays plays;

	@BeforeAll
	static void open() throws Exception {
		plays = Plays.open("shard-accidents");
	}

	@AfterAll
	static void close() throws Exception {
		if (plays != null) {
			plays.close();
		}
	}

	@Test
	void isPausedBeyondItsLeaseAndWakesInTheMiddleOfAReconcileWhileAnotherReconcilesLongerThanThat() throws Exception {
		plays.findNothing("pause-and-sleep", (world) -> {
			world.accidents().holdReconcile("s1");
			world.accidents().pauseInReconcile("s2");
		});
	}

	@Test
	void hasRenewalsThatHang() throws Exception {
		plays.findNothing("hang", (world) -> world.accidents().hangRenewal("s1", world.leaseLink()));
	}

	@Test
	void isRestartedUnderItsNameWithinItsLeaseWithADelayedWatchWhileAnotherMeetsItsNamesake() throws Exception {
		plays.findNothing("restart-and-twins", (world) -> {
			// The log has what s2 and others of its name said before, and say now.
			int before = world.log("s2").length();
			Actor twin = world.stage().startShard(world.shard("s2"));
			try {
				world.marks().disturbed("s1");
				world.readLink().delay(Duration.ofMillis(300));
				world.accidents().killAndRestart(world.shard("s1"));
				assertThat(twin.awaitEnd(Duration.ofSeconds(60))).as("the twin ends by itself").isTrue();
			}
			finally {
				twin.kill();
			}
			assertThat(world.log("s2").substring(before))
				.contains("Failed to acquire Lease demo/s2: another process renews it under the same name");
			world.writer().change(world.board().anyOf("s2"));
			Waiting.pause(Duration.ofSeconds(1));
			world.readLink().heal();
			world.marks().calm("s1");
		});
	}

	@Test
	void hasItsLeaseAgainBeforeItsWatchesShowWhatHappened() throws Exception {
		plays.findNothing("rejoin",
				(world) -> world.accidents().rejoinBlind("s1", world.leaseLink(), world.readLink(), false));
	}

	@Test
	void findsThatTheApiServerDoesNotAnswerForLongerThanALease() throws Exception {
		plays.findNothing("api-pause", (world) -> {
			// What is on its way into a paused server is sent in time and arrives too
			// late: nothing that a client can prevent.
			world.writer().stopUpdates();
			world.accidents().holdReconcile("s1");
			Waiting.pause(Duration.ofSeconds(1));
			world.probe().pause();
			world.marks().disturbed(Marks.ALL);
			world.marks().stopped(Marks.ALL, 0);
			world.stage().apiServer().process().pause();
			try {
				// The reconcile goes on when the Lease has ended: were it to write, the
				// server would find that when it wakes.
				Waiting.pause(Names.LEASE.plusSeconds(1));
				world.holds().letGo();
				Waiting.pause(Duration.ofSeconds(1));
			}
			finally {
				world.stage().apiServer().process().resume();
				world.marks().resumed(Marks.ALL);
				world.marks().calm(Marks.ALL);
				world.holds().releaseAll();
				world.probe().resume();
			}
			world.writer().startUpdates();
			world.cast().awaitHeld();
			world.cast().awaitAvailable();
		});
	}

	@Test
	void isAskedToLetGoWhileAReconcileRuns() throws Exception {
		plays.findNothing("drain", (world) -> {
			String secret = world.movesToThird();
			String owner = world.board().ownerOf(secret);
			world.holds().hold("reconcile", secret);
			world.writer().change(secret);
			world.holds().awaitReached("reconcile", secret);
			world.cast().enterShard(world.shard("s3"));
			awaitDraining(world, secret);
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
		plays.findNothing("kill-acknowledging", (world) -> {
			String before = world.movesToThird("s1");
			String after = world.movesToThird("s2");
			world.holds().hold("acknowledge", before);
			world.holds().hold("acknowledged", after);
			world.cast().enterShard(world.shard("s3"));
			world.holds().awaitReached("acknowledge", before);
			world.holds().awaitReached("acknowledged", after);
			assertThat(world.board().ownerOf(before)).isEqualTo("s1");
			world.cast().dismiss("s1").kill();
			world.cast().dismiss("s2").kill();
			world.holds().releaseAll();
		});
	}

	@Test
	void hasAWallClockThatIsAheadByItsLease() throws Exception {
		wrongClock("clock-ahead", Names.LEASE.toMillis());
	}

	@Test
	void hasAWallClockThatIsBehindByItsLease() throws Exception {
		wrongClock("clock-behind", -Names.LEASE.toMillis());
	}

	private static void wrongClock(String name, long millis) throws Exception {
		plays.findNothing(name, (world) -> {
			world.cast().dismiss("s2").kill();
			String before = world.board().instanceOf("s2");
			world.cast().enterShard(world.shard("s2").with("DEMO_CLOCK_OFFSET_MILLIS", String.valueOf(millis)));
			Waiting.until("s2 to hold its Lease", Duration.ofMinutes(4),
					() -> !world.board().instanceOf("s2").equals(before));
			world.cast().awaitAvailable();
			world.settle();
			world.accidents().sleepInReconcile("s2");
			world.settle();
			world.accidents().pauseInReconcile("s2");
			world.settle();
			world.cast().dismiss("s2").kill();
		});
	}

	@Test
	void hasItsLeaseDeletedByHand() throws Exception {
		plays.findNothing("lease-deleted", (world) -> {
			world.accidents().holdReconcile("s2");
			world.admin().leases().inNamespace(Names.NAMESPACE).withName("s2").delete();
			Waiting.pause(Duration.ofSeconds(1));
			world.holds().releaseAll();
			world.cast().awaitHeld();
		});
	}

	@Test
	void hasItsLeaseEditedByHand() throws Exception {
		plays.findNothing("lease-edited", (world) -> {
			world.accidents().holdReconcile("s2");
			editLease(world, "{\"spec\":{\"holderIdentity\":\"somebody\"}}");
			Waiting.until("the edit to show", Duration.ofSeconds(60), () -> !world.board().held(Set.of("s2")));
			// It lives, so it has its Lease back before its objects could move: in a term
			// that what it holds up is not of.
			world.cast().awaitHeld();
			world.holds().releaseAll();
			world.cast().awaitAvailable();
			world.settle();
			// And its duration, while it is stopped in a reconcile.
			world.accidents().holdReconcile("s2");
			world.cast().actor("s2").pause();
			editLease(world, "{\"spec\":{\"leaseDurationSeconds\":1}}");
			world.accidents().awaitTakenFrom("s2");
			world.cast().actor("s2").resume();
			world.holds().releaseAll();
			world.cast().awaitHeld();
			world.cast().awaitAvailable();
		});
	}

	private static void editLease(World world, String patch) {
		MergePatch.send(world.admin(), "/apis/coordination.k8s.io/v1/namespaces/" + Names.NAMESPACE + "/leases/s2",
				patch);
	}

	@Test
	void losesTheApiServerForAMomentInTheMiddleOfARebalance() throws Exception {
		plays.findNothing("api-restart", (world) -> {
			String secret = world.movesToThird();
			world.holds().hold("acknowledge", secret);
			world.cast().enterShard(world.shard("s3"));
			world.holds().awaitReached("acknowledge", secret);
			world.writer().stopUpdates();
			world.probe().pause();
			world.marks().disturbed(Marks.ALL);
			world.stage().apiServer().process().restart();
			world.marks().cut();
			world.lookAnew();
			world.probe().resume();
			world.holds().releaseAll();
			// No sharder leads and no watch tells until they have found it again.
			world.awaitLeader(Instant.now());
			world.cast().awaitHeld();
			world.settle();
			world.marks().calm(Marks.ALL);
			world.writer().startUpdates();
		});
	}

	private static void awaitDraining(World world, String secret) {
		Waiting.until("the drain of " + secret, Duration.ofSeconds(60), () -> world.board().draining(secret));
	}

}

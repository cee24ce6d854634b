package dev.sharding.demo;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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
		plays.findNothing("pause-and-sleep", ShardPlays::pauseAndSleep);
	}

	@Test
	@Tag("long")
	void hasRenewalsThatHang() throws Exception {
		plays.findNothing("hang", ShardPlays::hang);
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
		plays.findNothing("rejoin", ShardPlays::rejoin);
	}

	@Test
	@Tag("long")
	void findsThatTheApiServerDoesNotAnswerForLongerThanALease() throws Exception {
		plays.findNothing("api-pause", ShardPlays::pauseApiServer);
	}

	@Test
	@Tag("long")
	void isAskedToLetGoWhileAReconcileRuns() throws Exception {
		plays.findNothing("drain", ShardPlays::drain);
	}

	@Test
	void isKilledWhileItAcknowledges() throws Exception {
		plays.findNothing("kill-acknowledging", ShardPlays::killAcknowledging);
	}

	@Test
	@Tag("long")
	void hasAWallClockThatIsAheadByItsLease() throws Exception {
		plays.findNothing("clock-ahead", ShardPlays.wrongClock(Names.LEASE.toMillis()));
	}

	@Test
	@Tag("long")
	void hasAWallClockThatIsBehindByItsLease() throws Exception {
		plays.findNothing("clock-behind", ShardPlays.wrongClock(-Names.LEASE.toMillis()));
	}

	@Test
	@Tag("long")
	void hasItsLeaseDeletedByHand() throws Exception {
		plays.findNothing("lease-deleted", ShardPlays::deleteLease);
	}

	@Test
	@Tag("long")
	void hasItsLeaseEditedByHand() throws Exception {
		plays.findNothing("lease-edited", ShardPlays::editLease);
	}

	@Test
	@Tag("long")
	void losesTheApiServerForAMomentInTheMiddleOfARebalance() throws Exception {
		plays.findNothing("api-restart", ShardPlays::restartApiServer);
	}

}

package dev.sharding.demo;

import java.time.Duration;
import java.util.Set;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens to shards that have slots: the plays of {@link ShardAccidentsIT}, and
 * candidates. In each scenario, every counter of the judge is zero.
 */
class SlotAccidentsIT {

	private static Plays plays;

	@BeforeAll
	static void open() throws Exception {
		plays = Plays.openWithSlots("slot-accidents");
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
	void hasItsLeaseDeletedByHand() throws Exception {
		plays.findNothing("lease-deleted", ShardPlays::deleteLease);
	}

	@Test
	void isReplacedByACandidateThatGetsItsObjectsWithoutAMove() throws Exception {
		plays.findNothing("candidate", (world) -> {
			// There are three slots, and the third pod has one.
			world.cast().enterShard(world.shard("s3"));
			world.cast().awaitHeld();
			world.settle();
			String shard = world.board().shardOf("s2");
			String secret = world.board().anyOf("s2");
			Actor candidate = world.stage().startShard(world.shard("s4"));
			try {
				Waiting.until("s4 to stand by", Duration.ofMinutes(4),
						() -> world.log("s4").contains("Standing by for a slot"));
				world.cast().dismiss("s2").terminate();
				Waiting.until("s4 to have the slot of s2", Duration.ofSeconds(60),
						() -> world.board().held(Set.of("s4")));
				assertThat(world.board().shardOf("s4")).isEqualTo(shard);
				assertThat(world.board().ownerOf(secret)).isEqualTo("s4");
				// Who ends before its first renewal is waited for as one that was never
				// seen.
				Waiting.until("s4 to renew its Lease", Duration.ofSeconds(60), () -> {
					LeaseSpec lease = world.lease("s4").get().getSpec();
					return lease.getRenewTime().isAfter(lease.getAcquireTime());
				});
			}
			finally {
				candidate.kill();
			}
			world.writer().change(secret);
		});
	}

	@Test
	@Tag("long")
	void hasRenewalsThatHang() throws Exception {
		plays.findNothing("hang", ShardPlays::hang);
	}

	@Test
	@Tag("long")
	void takesNoSlotBeforeItsReadsAreAnswered() throws Exception {
		plays.findNothing("blind", ShardPlays::standByBlind);
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
	@Tag("long")
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
	void hasItsLeaseEditedByHand() throws Exception {
		plays.findNothing("lease-edited", ShardPlays::editLease);
	}

	@Test
	@Tag("long")
	void losesTheApiServerForAMomentInTheMiddleOfARebalance() throws Exception {
		plays.findNothing("api-restart", ShardPlays::restartApiServer);
	}

}

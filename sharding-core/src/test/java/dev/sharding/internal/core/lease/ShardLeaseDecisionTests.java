package dev.sharding.internal.core.lease;

import java.time.Duration;

import dev.sharding.internal.core.lease.ShardLeaseDecision.Delete;
import dev.sharding.internal.core.lease.ShardLeaseDecision.LookAgain;
import dev.sharding.internal.core.lease.ShardLeaseDecision.Take;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static dev.sharding.internal.core.lease.Observed.at;
import static dev.sharding.internal.core.lease.Observed.lease;
import static org.assertj.core.api.Assertions.assertThat;

class ShardLeaseDecisionTests {

	private static final Moment ALWAYS = at(-1_000);

	private static final Duration LONGEST = Duration.ofSeconds(60);

	@ParameterizedTest(name = "{0} after {2} s")
	@CsvSource({ "105 ready, shard-a, 0, AGAIN 15", "105 ready, shard-a, 8, AGAIN 7",
			"105 expired, shard-a, 15, AGAIN 15", "105 expired, shard-a, 29, AGAIN 1",
			"105 uncertain, shard-a, 30, TAKE", "uncertain, shard-a, 100, TAKE",
			"105 dead, shardlease-controller, 0, AGAIN 75", "dead, '', 74, AGAIN 1",
			"105 orphaned, shardlease-controller, 75, DELETE", "orphaned, '', 75, DELETE" })
	void decides(String state, String holder, int now, String expected) {
		LeaseObservation seen = LeaseObservation.first(lease(holder, "id", 0, 15), at(0));
		assertThat(decide(seen, ALWAYS, at(now))).isEqualTo(switch (expected.split(" ")[0]) {
			case "AGAIN" -> new LookAgain(Duration.ofSeconds(Long.parseLong(expected.split(" ")[1])));
			case "TAKE" -> new Take();
			default -> new Delete();
		});
	}

	@Test
	@DisplayName("An incomplete one is taken when its claims are over, which last for two durations from the edit on")
	void takesAnIncompleteOneThatNobodyChanged() {
		LeaseRecord incomplete = new LeaseRecord("shard-a", "shard-a", at(0).wall(), at(0).wall(), null, 3, "id");
		LeaseObservation seen = LeaseObservation.first(incomplete, at(0));
		ShardClaim claim = ShardClaim.first(incomplete, false, LONGEST, at(0));
		assertThat(ShardLeaseDecision.of(seen, claim.untilOver(true, Duration.ZERO, at(10)), LONGEST, ALWAYS, at(10)))
			.isEqualTo(new LookAgain(Duration.ofSeconds(20)));
		assertThat(ShardLeaseDecision.of(seen, claim.untilOver(true, Duration.ZERO, at(30)), LONGEST, ALWAYS, at(30)))
			.isEqualTo(new Take());
	}

	@Test
	void waitsForTheClaimsOfTheShardWhateverTheTimesSay() {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "id", 0, 1), at(0));
		assertThat(ShardLeaseDecision.of(seen, Duration.ofSeconds(4), LONGEST, ALWAYS, at(10)))
			.isEqualTo(new LookAgain(Duration.ofSeconds(4)));
	}

	@Test
	void takesWhatNobodyChangedForTwiceTheLongestDurationAlsoIfItWasRenewedInTheFuture() {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "id", 1_000_000, 15), at(0));
		assertThat(decide(seen, ALWAYS, at(119))).isEqualTo(new LookAgain(Duration.ofSeconds(1)));
		assertThat(decide(seen, ALWAYS, at(120))).isEqualTo(new Take());
		assertThat(decide(seen, at(100), at(120))).isEqualTo(new LookAgain(Duration.ofSeconds(100)));
	}

	private static ShardLeaseDecision decide(LeaseObservation seen, Moment reachableSince, Moment now) {
		return ShardLeaseDecision.of(seen, Duration.ZERO, LONGEST, reachableSince, now);
	}

	@Test
	void newLeaderObservesForItself() {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "id", 0, 15), at(40));
		assertThat(decide(seen, ALWAYS, at(40))).isEqualTo(new LookAgain(Duration.ofSeconds(15)));
		assertThat(decide(seen, ALWAYS, at(55))).isEqualTo(new Take());
	}

	@Test
	void outageRestartsObservation() {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "id", 0, 15), at(0));
		assertThat(decide(seen, at(100), at(104))).isEqualTo(new LookAgain(Duration.ofSeconds(11)));
		assertThat(decide(seen, at(100), at(115))).isEqualTo(new Take());
	}

	@Test
	void labelOfItsOwnDoesNotRestartObservation() {
		// The state label is no part of a record, so a look after the patch sees it
		// unchanged.
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "id", 0, 15), at(0))
			.next(lease("shard-a", "id", 0, 15), at(29));
		assertThat(decide(seen, ALWAYS, at(30))).isEqualTo(new Take());
	}

	@Test
	void shardWithClockFarBehindIsNotTaken() {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "id", -300, 15), at(0))
			.next(lease("shard-a", "id", -298, 15), at(2));
		assertThat(decide(seen, ALWAYS, at(4))).isEqualTo(new LookAgain(Duration.ofSeconds(13)));
	}

	@Property
	void takesShardThatDiesExactlyTwoDurationsAfterItsLastRenewal(@ForAll @IntRange(min = 1, max = 60) int duration,
			@ForAll @IntRange(min = 0, max = 1_000) int watchDelayMillis,
			@ForAll @IntRange(min = 1, max = 200_000) int millis) {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "id", 0, duration),
				at(Math.min(watchDelayMillis, duration * 1_000) / 1_000.0));
		ShardLeaseDecision decision = decide(seen, ALWAYS, at(millis / 1_000.0));
		assertThat(decision instanceof Take).isEqualTo(millis >= 2_000L * duration);
	}

	@Property
	void whoeverFollowsTheDelaysTakesTheLeaseAtTheFirstMoment(@ForAll @IntRange(max = 100) int firstSeen,
			@ForAll @IntRange(max = 100) int reachable) {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "id", 0, 15), at(firstSeen));
		int start = Math.max(firstSeen, reachable);
		double now = start;
		for (int looks = 0; decide(seen, at(reachable), at(now)) instanceof LookAgain again; looks++) {
			assertThat(again.delay()).isPositive();
			assertThat(looks).isLessThan(4);
			now += again.delay().toMillis() / 1_000.0;
		}
		assertThat(decide(seen, at(reachable), at(now))).isEqualTo(new Take());
		assertThat(now).isEqualTo(Math.max(30, start + 15));
	}

}

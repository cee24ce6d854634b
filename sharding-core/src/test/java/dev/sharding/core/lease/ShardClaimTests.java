package dev.sharding.core.lease;

import java.time.Duration;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static dev.sharding.core.lease.Observed.at;
import static dev.sharding.core.lease.Observed.lease;
import static org.assertj.core.api.Assertions.assertThat;

class ShardClaimTests {

	private static final Duration LONGEST = Duration.ofSeconds(60);

	private static final LeaseRecord RENEWED = lease("shard-a", "id", 0, 15);

	private static final ShardClaim OWN = first(RENEWED, 0);

	@Test
	void lastsForADurationAfterARenewalWasSeen() {
		assertLeft(OWN, 0, 15);
		ShardClaim renewed = next(OWN, lease("shard-a", "id", 2, 15), 2.5);
		assertLeft(renewed, 10, 7.5);
		assertLeft(renewed, 18, 0);
		assertThat(next(renewed, lease("shard-a", "id", 2, 15), 9)).isSameAs(renewed);
	}

	@Test
	void isOverOnceTheShardGaveItsLeaseBack() {
		LeaseRecord released = LeaseWrites.release(RENEWED, at(3).wall());
		assertThat(ShardClaim.isGivenBack(released)).isTrue();
		assertLeft(next(OWN, released, 3), 3, 0);
		assertLeft(next(OWN, released, 3).gone(LONGEST, at(4)), 4, 0);
	}

	@Test
	void isOverOnceTheSharderHasTheLeaseWhichHadWaited() {
		LeaseRecord taken = lease("shardlease-controller", "id", 30, 30);
		assertLeft(next(OWN, taken, 30), 30, 0);
		assertLeft(first(taken, 30), 30, 0);
		assertLeft(first(taken, 30).gone(LONGEST, at(31)), 31, 0);
		// Somebody who only says so does not end it.
		assertLeft(next(OWN, lease("shardlease-controller", "id", 3, 30), 3), 3, 12);
	}

	@Test
	void goesOnForADurationOfTheShardIfTheLeaseWasTakenByForce() {
		LeaseRecord forced = lease("shardlease-controller", "id", 4, 30);
		assertLeft(OWN.next(forced, true, LONGEST, at(4)), 5, 14);
		assertLeft(ShardClaim.first(forced, true, LONGEST, at(4)), 5, 14);
		assertLeft(ShardClaim.first(forced, true, LONGEST, at(4)).gone(LONGEST, at(6)), 6, 13);
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "the holder taken off, '', 0, 15, 30", "the holder and the renewal edited, somebody, 1, 15, 30",
			"the duration made shorter, shard-a, 0, 3, 30", "the duration and the renewal edited, shard-a, 1, 3, 30",
			"the duration made longer, shard-a, 0, 40, 80", "the renewal put back, shard-a, -100, 15, 15",
			"somebody with a long duration, somebody, 0, 1000, 120",
			"not believed any more, shard-a, 0, 2147483647, 120" })
	void isUnknownForTwoCappedDurationsAfterAnEdit(String edit, String holder, double renewed, int duration,
			double left) {
		assertLeft(next(OWN, lease(holder, "id", renewed, duration), 1), 1, left);
	}

	@Test
	void isUnknownForTwoDurationsAfterTheLeaseWasDeletedAsItMayHaveBeenRenewedUnseen() {
		assertLeft(OWN.gone(LONGEST, at(20)), 21, 29);
	}

	@Test
	void countsTwoDurationsOfTheShardIfAnEditTookATimeAway() {
		ShardClaim longer = first(lease("shard-a", "id", 0, 50), 0);
		LeaseRecord incomplete = new LeaseRecord("shard-a", "shard-a", null, at(0).wall(), null, 3, "id");
		assertLeft(next(longer, incomplete, 1), 1, 100);
		assertLeft(first(incomplete, 0), 0, 30);
	}

	@Test
	void isNotLongerBecauseWhatIsNotBelievedIsWrittenAnew() {
		ShardClaim phantom = next(first(lease("shard-a", "id", 0, 2_000_000_000), 0),
				lease("shard-a", "id", 50, 2_147_483_647), 50);
		assertLeft(phantom, 119, 1);
		assertLeft(phantom, 120, 0);
	}

	@Test
	void lastsForAllThatTheLeaseSaysWhereTheShardIsNotKnownToBeOurs() {
		ShardClaim go = first(lease("shard-a", null, 0, 3600), 0);
		assertThat(go.untilOver(false, at(600))).isEqualTo(Duration.ofSeconds(3000));
		assertThat(go.untilOver(true, at(120))).isZero();
		// An admin says that nobody acts.
		assertThat(
				next(go, LeaseWrites.release(lease("shard-a", null, 0, 3600), at(5).wall()), 5).untilOver(false, at(5)))
			.isZero();
	}

	@Test
	void doesNotTrustTheTimesOfSomebodyElsesClock() {
		// By its own times the record is an hour old.
		assertLeft(first(lease("shard-a", "id", -3600, 15), 0), 1, 14);
	}

	@Test
	void aLeaseWithoutHolderIsNotGivenBackIfItsTimesSayOtherwise() {
		assertThat(ShardClaim.isGivenBack(lease("", "id", 0, 15))).isFalse();
		assertThat(ShardClaim.isGivenBack(new LeaseRecord("shard-a", "", at(0).wall(), at(1).wall(), 1, 0, null)))
			.isFalse();
		assertThat(ShardClaim.isGivenBack(new LeaseRecord("shard-a", null, null, null, null, null, null))).isFalse();
	}

	/*
	 * A shard renews its Lease while somebody edits it and the sharder sees some of what
	 * is written: each byte of the history says which write it is and whether it is seen.
	 */
	@Property(tries = 20_000)
	void isNeverOverBeforeTheShardMustHaveStopped(@ForAll @IntRange(min = 1, max = 60) int duration,
			@ForAll @Size(max = 30) List<@IntRange(max = 255) Integer> history) {
		double lastRenewal = 0.5;
		LeaseRecord written = lease("shard-a", "id", lastRenewal, duration);
		ShardClaim claim = first(written, lastRenewal);
		double now = lastRenewal;
		for (int step : history) {
			now += 1 + step % 4;
			boolean seen = step % 16 < 12;
			if (step / 16 < 8) {
				lastRenewal = now;
				written = lease("shard-a", "id", now, duration);
			}
			else {
				written = edited(written, step / 16, now);
			}
			if (seen) {
				claim = next(claim, written, now);
			}
		}
		claim = next(claim, written, now);
		double end = lastRenewal + duration;
		if (now < end) {
			assertThat(claim.untilOver(true, at(now)))
				.isGreaterThanOrEqualTo(Duration.ofMillis((long) ((end - now) * 1_000)));
			assertThat(claim.gone(LONGEST, at(now)).untilOver(true, at(end - 0.01))).isPositive();
		}
		assertThat(claim.untilOver(true, at(now + 120))).isZero();
		assertThat(claim.gone(LONGEST, at(now)).untilOver(true, at(now + 120))).isZero();
	}

	/* What people do to a Lease, its release in due form left out, which is believed. */
	private static LeaseRecord edited(LeaseRecord written, int how, double now) {
		String holder = String.valueOf(written.holderIdentity());
		double renewed = Duration.between(Observed.NOW, written.renewTime()).toMillis() / 1_000.0;
		int duration = written.leaseDurationSeconds();
		return switch (how) {
			case 8 -> lease("", "id", renewed, duration);
			case 9 -> lease("somebody", "id", now, 1 + duration / 2);
			case 10 -> lease(holder, "id", renewed, 1);
			case 11 -> lease(holder, "id", now, 2_147_483_647);
			case 12 -> lease(holder, "id", renewed, 90);
			case 13 -> lease(holder, "id", now, 1);
			case 14 -> new LeaseRecord("shard-a", holder, null, written.renewTime(), duration, 3, "id");
			default -> lease("shard-a", null, renewed, duration);
		};
	}

	private static ShardClaim first(LeaseRecord lease, double now) {
		return ShardClaim.first(lease, false, LONGEST, at(now));
	}

	private static ShardClaim next(ShardClaim claim, LeaseRecord lease, double now) {
		return claim.next(lease, false, LONGEST, at(now));
	}

	private static void assertLeft(ShardClaim claim, double now, double seconds) {
		assertThat(claim.untilOver(true, at(now))).isEqualTo(Duration.ofMillis((long) (seconds * 1_000)));
	}

}

package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static dev.sharding.internal.core.lease.Observed.at;
import static dev.sharding.internal.core.lease.Observed.lease;
import static org.assertj.core.api.Assertions.assertThat;

class ShardClaimTests {

	private static final Duration LONGEST = Duration.ofSeconds(60);

	/* What a shard of the ring may do that was never seen. */
	private static final Duration UNSEEN = Duration.ofSeconds(15);

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
	void isNotOverIfACopyIsRestoredThatSaysSo() {
		LeaseRecord copy = LeaseWrites.release(RENEWED, at(-30).wall());
		ShardClaim gone = OWN.gone(LONGEST, at(5));
		assertLeft(gone, 6, 29);
		assertLeft(gone.returned(copy, false, LONGEST, at(6)), 6, 29);
		assertLeft(gone.next(copy, false, LONGEST, at(6)), 6, 0);
		LeaseRecord later = LeaseWrites.release(RENEWED, at(5).wall());
		assertLeft(gone.returned(later, false, LONGEST, at(6)), 6, 0);
		ShardClaim ended = next(OWN, LeaseWrites.release(RENEWED, at(3).wall()), 3).gone(LONGEST, at(5));
		assertLeft(ended.returned(copy, false, LONGEST, at(6)), 6, 0);
		assertLeft(gone.returned(lease("shard-a", "id", 6, 15), false, LONGEST, at(6)), 6, 29);
	}

	@Test
	void isOverOnceTheSharderHasTheLeaseWhichHadWaited() {
		LeaseRecord taken = lease("shardlease-controller", "id", 30, 30);
		assertLeft(next(OWN, taken, 30), 30, 0);
		assertLeft(first(taken, 30), 30, 0);
		assertLeft(first(taken, 30).gone(LONGEST, at(31)), 31, 0);
		// What others of its ring say later is nothing to it.
		assertThat(next(OWN, taken, 30).untilOver(true, Duration.ofSeconds(599), at(31))).isZero();
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
		assertThat(go.untilOver(false, UNSEEN, at(600))).isEqualTo(Duration.ofSeconds(3000));
		assertThat(go.untilOver(true, UNSEEN, at(120))).isZero();
		// An admin says that nobody acts.
		assertThat(next(go, LeaseWrites.release(lease("shard-a", null, 0, 3600), at(5).wall()), 5).untilOver(false,
				UNSEEN, at(5)))
			.isZero();
	}

	@Test
	void waitsForNoDurationOfAnEditThatTheShardHasWrittenOverSince() {
		ShardClaim go = next(first(lease("shard-a", null, 0, 15), 0), lease("shard-a", null, 2, 15), 2);
		ShardClaim edited = next(go, lease("shard-a", null, 2, 2_000_000_000), 3);
		assertThat(edited.untilOver(false, UNSEEN, at(3))).isEqualTo(Duration.ofSeconds(120));
		ShardClaim renewed = next(edited, lease("shard-a", null, 4, 15), 4);
		assertThat(renewed.untilOver(false, UNSEEN, at(123))).isZero();
		assertThat(next(renewed, lease("shard-a", null, 200, 15), 200).untilOver(false, UNSEEN, at(200)))
			.isEqualTo(Duration.ofSeconds(15));
	}

	@Test
	void waitsForNoDurationOfAnEditThatANewSharderSawFirstOnceTheShardWasSeenToRenew() {
		ShardClaim go = first(lease("shard-a", null, 0, 2_000_000_000), 0);
		assertThat(go.untilOver(false, UNSEEN, at(1_000_000_000))).isPositive();
		go = next(go, lease("shard-a", null, 2, 15), 2);
		assertThat(go.untilOver(false, UNSEEN, at(1_000_000_000))).isPositive();
		go = next(go, lease("shard-a", null, 4, 15), 4);
		assertThat(go.untilOver(false, UNSEEN, at(121))).isPositive();
		assertThat(go.untilOver(false, UNSEEN, at(122))).isZero();
	}

	@Test
	void countsAllThatAShardOfTheGoProjectRenewsWith() {
		ShardClaim go = next(first(lease("shard-a", null, 0, 3600), 0), lease("shard-a", null, 2, 3600), 2);
		assertThat(next(go, lease("shard-a", null, 2, 1), 3).untilOver(false, UNSEEN, at(3)))
			.isEqualTo(Duration.ofSeconds(7200));
		assertThat(next(go, lease("shard-a", null, 4, 3600), 4).untilOver(false, UNSEEN, at(3603)))
			.isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void doesNotBelieveAShortDurationBeforeARenewalWasSeen() {
		ShardClaim edited = first(lease("shard-a", "id", 0, 1), 0);
		assertLeft(edited, 1, 14);
		assertThat(edited.untilOver(true, Duration.ofSeconds(40), at(1))).isEqualTo(Duration.ofSeconds(39));
		assertLeft(edited.gone(LONGEST, at(3)), 3, 15);
		assertLeft(next(edited, lease("somebody", "id", 0, 1), 4), 4, 15);
		ShardClaim renewed = next(first(lease("shard-a", "id", 0, 3), 0), lease("shard-a", "id", 1, 3), 1);
		assertLeft(renewed, 1, 3);
	}

	@Test
	void countsTwoDurationsThatTheShardRenewedWithWhateverTheLeaseSaidLast() {
		ShardClaim edited = next(OWN, lease("shard-a", "id", 0, 1), 1);
		assertLeft(next(edited, lease("somebody", "id", 0, 1), 30), 30, 30);
		assertLeft(edited.gone(LONGEST, at(30)), 30, 30);
		assertLeft(edited.next(lease("shardlease-controller", "id", 40, 2), true, LONGEST, at(40)), 40, 15);
	}

	@Test
	void tellsWithWhichDurationTheShardRenewsWhateverTheLeaseSaysNow() {
		assertThat(first(lease("shard-a", "id", 0, 40), 0).renewsWith()).isEqualTo(Duration.ofSeconds(40));
		ShardClaim proven = next(OWN, lease("shard-a", "id", 2, 15), 2);
		assertThat(next(proven, lease("shard-a", "id", 2, 50), 3).renewsWith()).isEqualTo(Duration.ofSeconds(15));
	}

	@Test
	void beginsAnewWhenTheShardComesBackAfterTheSharderHadTheLease() {
		ShardClaim longer = next(first(lease("shard-a", "id", 0, 50), 0), lease("shard-a", "id", 2, 50), 2);
		ShardClaim back = next(next(longer, lease("shardlease-controller", "id", 100, 100), 100),
				lease("shard-a", "new", 210, 20), 210);
		assertLeft(back, 210, 20);
		assertLeft(next(back, lease("shard-a", "new", 212, 20), 212), 212, 20);
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
	 * A shard renews its Lease while somebody edits it, another sharder begins to lead,
	 * and who leads sees some of what is written: each number of the history says which
	 * of these it is, and whether it is seen. No two edits write the same duration, as
	 * somebody who does that again and again cannot be told from a shard.
	 */
	@Property(tries = 20_000)
	void isNeverOverBeforeTheShardMustHaveStopped(@ForAll @IntRange(min = 1, max = 60) int duration,
			@ForAll @Size(max = 30) List<@IntRange(max = 319) Integer> history) {
		Played played = play("id", duration, history);
		double end = played.lastRenewal + duration;
		double now = played.now;
		Duration unseen = unseen(duration);
		ShardClaim gone = played.claim.gone(LONGEST, at(now));
		if (now < end) {
			Duration left = Duration.ofMillis((long) ((end - now) * 1_000));
			assertThat(played.claim.untilOver(true, unseen, at(now))).isGreaterThanOrEqualTo(left);
			assertThat(played.claim.untilOver(false, unseen, at(now))).isGreaterThanOrEqualTo(left);
			assertThat(gone.untilOver(true, unseen, at(end - 0.01))).isPositive();
		}
		assertThat(played.claim.untilOver(true, unseen, at(now + 120))).isZero();
		assertThat(gone.untilOver(true, unseen, at(now + 120))).isZero();
	}

	/* The same for one that is not ours, and believes all that it writes. */
	@Property(tries = 20_000)
	void isNeverOverBeforeAShardOfTheGoProjectMustHaveStopped(@ForAll @IntRange(min = 1, max = 100) int duration,
			@ForAll @Size(max = 30) List<@IntRange(max = 319) Integer> history) {
		Played played = play(null, duration, history);
		double end = played.lastRenewal + duration;
		double now = played.now;
		Duration unseen = unseen(duration);
		if (now < end) {
			assertThat(played.claim.untilOver(false, unseen, at(now)))
				.isGreaterThanOrEqualTo(Duration.ofMillis((long) ((end - now) * 1_000)));
			assertThat(played.claim.gone(LONGEST, at(now)).untilOver(false, unseen, at(end - 0.01))).isPositive();
		}
		// Two renewals later the edits are forgotten, however long they were.
		ShardClaim renewed = next(next(played.claim, lease("shard-a", null, now + 1, duration), now + 1),
				lease("shard-a", null, now + 2, duration), now + 2);
		double longest = now + 2 + 2 * Math.max(60, duration);
		assertThat(renewed.untilOver(false, unseen, at(longest))).isZero();
		assertThat(next(renewed, lease("shard-a", null, longest, duration), longest).untilOver(false, unseen,
				at(longest + duration)))
			.isZero();
	}

	/* The other shards of the ring have the same duration. */
	private static Duration unseen(int duration) {
		return Duration.ofSeconds(Math.max(15, duration));
	}

	private static Played play(String id, int duration, List<Integer> history) {
		double lastRenewal = 0.5;
		double now = lastRenewal;
		LeaseRecord written = lease("shard-a", id, lastRenewal, duration);
		ShardClaim claim = first(written, now);
		for (int i = 0; i < history.size(); i++) {
			int step = history.get(i);
			now += 1 + step % 4;
			boolean seen = step % 16 < 12;
			int what = step / 16;
			if (what < 8) {
				lastRenewal = now;
				written = lease("shard-a", id, now, duration);
			}
			else if (what < 16) {
				written = edited(written, what, i + 1, now);
			}
			if (what >= 16) {
				claim = first(written, now);
			}
			else if (seen) {
				claim = next(claim, written, now);
			}
		}
		return new Played(next(claim, written, now), lastRenewal, now);
	}

	/**
	 * What came of a history.
	 */
	private record Played(ShardClaim claim, double lastRenewal, double now) {
	}

	/* What people do to a Lease, its release in due form left out, which is believed. */
	private static LeaseRecord edited(LeaseRecord written, int how, int number, double now) {
		String holder = String.valueOf(written.holderIdentity());
		String id = written.instanceId();
		double renewed = Duration.between(Observed.NOW, written.renewTime()).toMillis() / 1_000.0;
		int duration = written.leaseDurationSeconds();
		return switch (how) {
			case 8 -> lease("", id, renewed, duration);
			case 9 -> lease("somebody", id, now, 1 + duration / 2);
			case 10 -> lease(holder, id, renewed, number);
			case 11 -> lease(holder, id, now, 2_147_483_647 - number);
			case 12 -> lease(holder, id, renewed, 90 + number);
			case 13 -> lease(holder, id, now, number);
			case 14 -> new LeaseRecord("shard-a", holder, null, written.renewTime(), duration, 3, id);
			default -> lease(holder, null, renewed, duration);
		};
	}

	private static ShardClaim first(LeaseRecord lease, double now) {
		return ShardClaim.first(lease, false, LONGEST, at(now));
	}

	private static ShardClaim next(ShardClaim claim, LeaseRecord lease, double now) {
		return claim.next(lease, false, LONGEST, at(now));
	}

	private static void assertLeft(ShardClaim claim, double now, double seconds) {
		assertThat(claim.untilOver(true, UNSEEN, at(now))).isEqualTo(Duration.ofMillis((long) (seconds * 1_000)));
	}

}

package dev.sharding.core.lease;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static dev.sharding.core.lease.Observed.NOW;
import static dev.sharding.core.lease.Observed.at;
import static dev.sharding.core.lease.Observed.lease;
import static org.assertj.core.api.Assertions.assertThat;

class ShardClaimTests {

	private static final LeaseObservation OWN = LeaseObservation.first(lease("shard-a", "id", 0, 15), at(0));

	@Test
	void isOverOnceTheShardGaveItsLeaseBack() {
		LeaseRecord released = LeaseWrites.release(OWN.lease(), at(3).wall());
		assertThat(ShardClaim.isGivenBack(released)).isTrue();
		assertThat(ShardClaim.untilOver(OWN.next(released, at(3)), OWN, at(3))).isZero();
	}

	@Test
	void isOverOnceTheSharderHasTheLease() {
		LeaseObservation taken = OWN.next(lease("shardlease-controller", "id", 30, 30), at(30));
		assertThat(ShardClaim.untilOver(taken, null, at(30))).isZero();
	}

	@Test
	void lastsForADurationAfterTheLastRenewalIfTheHolderWasTakenOffByHand() {
		LeaseObservation edited = OWN.next(lease("", "id", 0, 15), at(5));
		assertThat(ShardClaim.untilOver(edited, OWN, at(5))).isEqualTo(Duration.ofSeconds(10));
		assertThat(ShardClaim.untilOver(edited, OWN, at(15))).isZero();
	}

	@Test
	void countsFromTheEditIfTheShardMayHaveRenewedUnseen() {
		LeaseObservation edited = OWN.next(lease("", "id", 8, 15), at(9));
		assertThat(ShardClaim.untilOver(edited, OWN, at(9))).isEqualTo(Duration.ofSeconds(15));
		assertThat(ShardClaim.untilOver(edited, null, at(20))).isEqualTo(Duration.ofSeconds(4));
	}

	@Test
	void doesNotTrustTheTimesOfSomebodyElsesClock() {
		// By its own times the record is an hour old.
		LeaseObservation own = LeaseObservation.first(lease("shard-a", "id", -3600, 15), at(0));
		LeaseObservation edited = own.next(lease("somebody", "id", -3600, 15), at(1));
		assertThat(ShardClaim.untilOver(edited, own, at(1))).isEqualTo(Duration.ofSeconds(14));
	}

	@Test
	void lastsForADurationAfterTheLastRenewalIfTheLeaseWasTakenByForce() {
		LeaseObservation forced = OWN.next(lease("shardlease-controller", "id", 4, 30), at(4));
		assertThat(ShardClaim.untilOverAfterForce(forced, OWN, at(5))).isEqualTo(Duration.ofSeconds(10));
		assertThat(ShardClaim.untilOverAfterForce(forced, OWN, at(15))).isZero();
		assertThat(ShardClaim.untilOverAfterForce(forced, null, at(5))).isEqualTo(Duration.ofSeconds(14));
	}

	@Test
	void isNotMadeShorterByAnEditOfTheDuration() {
		LeaseObservation edited = OWN.next(lease("shard-a", "id", 0, 3), at(1));
		LeaseObservation own = ShardClaim.own(OWN, edited);
		assertThat(own).isEqualTo(OWN);
		assertThat(ShardClaim.untilOver(edited, own, at(6))).isEqualTo(Duration.ofSeconds(9));
	}

	@Test
	void goesByAShorterDurationOnceAnotherProcessHasTheLease() {
		LeaseObservation restarted = OWN.next(lease("shard-a", "other", 2, 3), at(2));
		assertThat(ShardClaim.own(OWN, restarted)).isEqualTo(restarted);
	}

	@Test
	void isNotMadeLongerByAnEditOfTheDuration() {
		LeaseObservation edited = OWN.next(lease("shard-a", "id", 0, 2_000_000_000), at(1));
		LeaseObservation corrected = edited.next(lease("shard-a", "id", 0, 15), at(2));
		LeaseObservation own = ShardClaim.own(ShardClaim.own(OWN, edited), corrected);
		assertThat(ShardClaim.untilOver(corrected, own, at(5))).isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void isNotMadeShorterByAnEditOfTheDurationAndOfTheRenewal() {
		LeaseObservation renewed = OWN.next(lease("shard-a", "id", 1, 15), at(1));
		LeaseObservation edited = renewed.next(lease("shard-a", "id", 2, 1), at(2));
		LeaseObservation own = ShardClaim.own(renewed, edited);
		assertThat(ShardClaim.untilOver(edited, own, at(3))).isEqualTo(Duration.ofSeconds(14));
	}

	@Test
	void believesTheFirstRenewalThatIsSeenMoreThanWhatWasThereBefore() {
		LeaseObservation found = LeaseObservation.first(lease("shard-a", "id", 0, 3600), at(0));
		LeaseObservation renewed = found.next(lease("shard-a", "id", 4, 15), at(4));
		assertThat(ShardClaim.own(found, renewed)).isEqualTo(renewed);
	}

	@Test
	void goesByTheDurationOfTheShardIfAnEditTookATimeAway() {
		LeaseObservation longer = LeaseObservation.first(lease("shard-a", "id", 0, 60), at(0));
		LeaseObservation edited = longer.next(without(longer.lease(), "shard-a"), at(1));
		LeaseObservation own = ShardClaim.own(longer, edited);
		LeaseObservation takenOff = edited.next(without(longer.lease(), ""), at(2));
		assertThat(ShardClaim.untilOver(takenOff, own, at(20))).isEqualTo(Duration.ofSeconds(40));
	}

	private static LeaseRecord without(LeaseRecord lease, String holder) {
		return new LeaseRecord(lease.name(), holder, null, lease.renewTime(), lease.leaseDurationSeconds(), 3, "id");
	}

	@Test
	void lastsForADurationAfterTheLeaseWasDeletedAsItMayHaveBeenRenewedUnseen() {
		assertThat(ShardClaim.untilOverAfterDelete(OWN, OWN, false, at(19), at(20))).isEqualTo(Duration.ofSeconds(14));
		assertThat(ShardClaim.untilOverAfterDelete(OWN, OWN, false, at(19), at(34))).isZero();
	}

	@Test
	void isOverIfTheLeaseWasDeletedAfterTheShardHadEnded() {
		LeaseObservation released = OWN.next(LeaseWrites.release(OWN.lease(), at(3).wall()), at(3));
		assertThat(ShardClaim.untilOverAfterDelete(released, OWN, false, at(4), at(4))).isZero();
		LeaseObservation taken = OWN.next(lease("shardlease-controller", "id", 30, 30), at(30));
		assertThat(ShardClaim.untilOverAfterDelete(taken, OWN, false, at(31), at(31))).isZero();
	}

	@Test
	void lastsAsLongIfALeaseThatWasTakenByForceIsDeleted() {
		LeaseObservation forced = OWN.next(lease("shardlease-controller", "id", 1, 30), at(1));
		assertThat(ShardClaim.untilOverAfterDelete(forced, OWN, true, at(2), at(2))).isEqualTo(Duration.ofSeconds(13));
	}

	@Test
	void knowsNoRecordOfTheShardWhereSomebodyElseHasTheLease() {
		LeaseObservation taken = OWN.next(lease("shardlease-controller", "id", 0, 15), at(1));
		assertThat(ShardClaim.own(null, taken)).isNull();
		assertThat(ShardClaim.own(OWN, taken)).isEqualTo(OWN);
	}

	@Test
	void aLeaseWithoutHolderIsNotGivenBackIfItsTimesSayOtherwise() {
		assertThat(ShardClaim.isGivenBack(lease("", "id", 0, 15))).isFalse();
		assertThat(ShardClaim.isGivenBack(new LeaseRecord("shard-a", "", NOW, at(1).wall(), 1, 0, null))).isFalse();
		assertThat(ShardClaim.isGivenBack(new LeaseRecord("shard-a", null, null, null, null, null, null))).isFalse();
	}

}

package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.Seat;
import dev.sharding.internal.core.slot.SlotWrites;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.sharder.shardlease.LeaseBook.Absence;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseBookTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private static final ObjectKey KEY = new ObjectKey("ns", "shard-a");

	private static final Duration TWO_DURATIONS = Duration.ofSeconds(40);

	private final LeaseBook book = new LeaseBook(LeaseTrust.DEFAULT, Duration.ofSeconds(15));

	@Test
	void theClaimsOfALeaseThatVanishedGoOnIfSomebodyMakesAShorterOne() {
		vanished();
		TrackedLease made = this.book.see(KEY, lease("shard-a", 1, 5), at(5));
		assertThat(this.book.untilClaimOver(KEY, made, at(5))).isEqualTo(TWO_DURATIONS);
		assertThat(this.book.untilClaimOver(KEY, made, at(45))).isZero();
	}

	@Test
	void theClaimsGoOnIfSomebodyMakesOneWithoutHolder() {
		vanished();
		TrackedLease made = this.book.see(KEY, lease("", 1, 4), at(5));
		assertThat(this.book.untilClaimOver(KEY, made, at(5))).isEqualTo(TWO_DURATIONS);
	}

	@Test
	void theClaimsEndIfWhatIsMadeIsGivenBackInDueForm() {
		vanished();
		LeaseRecord released = LeaseWrites.release(LeaseRecords.of(lease("shard-a", 20, 5)), at(5).wall());
		TrackedLease made = this.book.see(KEY, LeaseRecords.write(lease("", 20, 5), released), at(5));
		assertThat(this.book.untilClaimOver(KEY, made, at(5))).isZero();
	}

	@Test
	void aShardThatComesBackWithItsLeaseEndsAsBefore() {
		Absence absence = vanished();
		this.book.see(KEY, lease("shard-a", 20, 5), at(5));
		TrackedLease back = this.book.see(KEY, lease("shard-a", 20, 40), at(40));
		assertThat(this.book.untilClaimOver(KEY, back, at(40))).isEqualTo(Duration.ofSeconds(20));
		this.book.forget(absence);
		assertThat(this.book.untilClaimOver(KEY, back, at(60))).isZero();
	}

	@Test
	void aClaimThatIsOverStaysOverWhenSomebodyEditsTheDurationOfANeighbour() {
		TrackedLease unproven = this.book.see(KEY, lease("shard-a", 15, 0), at(0));
		neighbour(15, 0, 0);
		neighbour(15, 2, 2);
		assertThat(this.book.untilClaimOver(KEY, unproven, at(16))).isZero();
		neighbour(50, 2, 17);
		assertThat(this.book.untilClaimOver(KEY, unproven, at(17))).isZero();
	}

	@Test
	void aRenewalChangesNoSeat() {
		assertThat(note(lease("shard-a", 20, 0), 0)).isTrue();
		assertThat(note(lease("shard-a", 20, 2), 2)).isFalse();
		assertThat(note(lease("", 20, 4), 4)).isTrue();
		assertThat(note(lease("", 20, 4), 4)).isFalse();
		assertThat(note(lease("shard-a", 20, 6), 6)).isTrue();
		assertThat(note(lease("shard-a", 100_000, 8), 8)).isTrue();
	}

	@Test
	void aRenewalChangesNoSeatWhileAnotherLeaseIsMissingBeforeThatSeatEnds() {
		neighbour(20, 0, 0);
		neighbour(20, 2, 2);
		note(lease("shard-a", 20, 0), 2);
		assertThat(note(lease("shard-a", 20, 2), 2)).isFalse();
		Absence absence = this.book.vanish(new ObjectKey("ns", "shard-b"), at(3));
		assertThat(absence).isNotNull();
		assertThat(count(3)).containsExactlyInAnyOrder("shard-a", "shard-b");
		assertThat(note(lease("shard-a", 20, 4), 4)).isFalse();
		assertThat(note(lease("shard-a", 20, 42), 42)).isFalse();
		assertThat(note(lease("shard-a", 20, 43), 43)).isTrue();
		assertThat(count(43)).containsExactly("shard-a");
		assertThat(note(lease("shard-a", 20, 45), 45)).isFalse();
	}

	@Test
	void aSeatIsAnotherOneWhenItsShardIsCordonedAndStaysSoWhileTheLeaseIsAbsent() {
		Lease lease = lease("shard-a", 20, 0);
		assertThat(note(lease, 0)).isTrue();
		assertThat(note(lease("shard-a", 20, 1), 1)).isFalse();
		Lease cordoned = new LeaseBuilder(lease("shard-a", 20, 1)).editMetadata()
			.withResourceVersion("2")
			.addToAnnotations(ShardingLabels.CORDONED, "true")
			.endMetadata()
			.build();
		assertThat(note(cordoned, 2)).isTrue();
		assertThat(this.book.vanish(KEY, at(3))).isNotNull();
		assertThat(this.book.countSeats("ring", at(3))).singleElement()
			.satisfies((seat) -> assertThat(seat.seat().isHeld() && seat.cordoned()).isTrue());
	}

	@Test
	void aShardThatWasGivenBackIsAMemberUntilItIsTaken() {
		Lease held = lease("shard-a", 20, 0);
		assertThat(note(held, 0)).isTrue();
		Lease back = givenBack(held, 3);
		assertThat(note(back, 3)).isTrue();
		assertThat(this.book.isAvailable(new ShardName("ring", "shard-a"), at(600))).isTrue();
		assertThat(this.book.countSeats("ring", at(600))).singleElement()
			.satisfies((seat) -> assertThat(seat.seat()).isEqualTo(Seat.GIVEN_BACK));
		LeaseRecord taken = LeaseWrites.hold(LeaseRecords.of(back), Duration.ofSeconds(15), at(601).wall());
		assertThat(note(LeaseRecords.write(back, taken), 601)).isTrue();
		assertThat(this.book.isAvailable(new ShardName("ring", "shard-a"), at(601))).isFalse();
	}

	@Test
	void whoReturnsWithItsLeaseHasItsPartOfTheObjectsAtOnce() {
		ObjectKey neighbour = new ObjectKey("ns", "shard-b");
		this.book.see(neighbour, settled(named(neighbour, lease("shard-b", 20, 0))), at(0));
		this.book.see(KEY, settled(lease("shard-a", 20, 0)), at(0));
		this.book.countSeats("ring", at(0));
		assertThat(this.book.vanish(KEY, at(3))).isNotNull();
		this.book.see(KEY, late(lease("shard-a", 20, 5)), at(5));
		ObjectKey newcomer = new ObjectKey("ns", "shard-c");
		this.book.see(newcomer, late(named(newcomer, lease("shard-c", 20, 5))), at(5));
		Map<ObjectKey, Seat> seats = new HashMap<>();
		this.book.countSeats("ring", at(5)).forEach((facts) -> seats.put(facts.lease(), facts.seat()));
		assertThat(seats).isEqualTo(Map.of(neighbour, Seat.AVAILABLE, KEY, Seat.AVAILABLE, newcomer, Seat.SETTLING));
	}

	private static Lease named(ObjectKey key, Lease lease) {
		return new LeaseBuilder(lease).editMetadata().withName(key.name()).endMetadata().build();
	}

	private static Lease givenBack(Lease held, double now) {
		Lease noted = new LeaseBuilder(held).editMetadata()
			.addToAnnotations(ShardingLabels.INSTANCE_ID, "id")
			.addToAnnotations(ShardingLabels.GRACE, "30")
			.endMetadata()
			.build();
		return LeaseRecords.write(noted,
				SlotWrites.giveBack(LeaseRecords.slotLease(noted), new TermProgress(true, true, true), at(now).wall()));
	}

	private static Lease settled(Lease lease) {
		return new LeaseBuilder(lease).editMetadata()
			.addToAnnotations(ShardingLabels.SETTLED, NOW.plusSeconds(1).toString())
			.endMetadata()
			.build();
	}

	/* Acquired after all marks. */
	private static Lease late(Lease lease) {
		return new LeaseBuilder(lease).editSpec()
			.withAcquireTime(NOW.plusSeconds(5).atZone(ZoneOffset.UTC))
			.endSpec()
			.build();
	}

	private List<String> count(double now) {
		return this.book.countSeats("ring", at(now)).stream().map((seat) -> seat.lease().name()).toList();
	}

	private boolean note(Lease lease, double seen) {
		boolean changed = this.book.noteSeat(KEY, this.book.see(KEY, lease, at(seen)), at(seen));
		if (changed) {
			this.book.countSeats("ring", at(seen));
		}
		return changed;
	}

	private void neighbour(int duration, double renewed, double seen) {
		this.book.see(new ObjectKey("ns", "shard-b"),
				new LeaseBuilder(lease("shard-b", duration, renewed)).editMetadata()
					.withName("shard-b")
					.endMetadata()
					.build(),
				at(seen));
	}

	/** A Lease of 20 s that was renewed, and was gone after four seconds. */
	private Absence vanished() {
		this.book.listed(at(-100));
		this.book.see(KEY, lease("shard-a", 20, 0), at(0));
		this.book.see(KEY, lease("shard-a", 20, 2), at(2));
		Absence absence = this.book.vanish(KEY, at(4));
		assertThat(absence).isNotNull();
		assertThat(this.book.untilOver(absence, at(5))).isEqualTo(Duration.ofSeconds(39));
		return absence;
	}

	private static Lease lease(String holder, int duration, double renewed) {
		return new LeaseBuilder().withNewMetadata()
			.withNamespace(KEY.namespace())
			.withName(KEY.name())
			.withUid("uid")
			.withResourceVersion("1")
			.addToLabels(ShardingLabels.LEASE_RING, "ring")
			.addToAnnotations(ShardingLabels.INSTANCE_ID, "id")
			.endMetadata()
			.withNewSpec()
			.withHolderIdentity(holder)
			.withLeaseDurationSeconds(duration)
			.withAcquireTime(NOW.atZone(ZoneOffset.UTC))
			.withRenewTime(at(renewed).wall().atZone(ZoneOffset.UTC))
			.endSpec()
			.build();
	}

	private static Moment at(double seconds) {
		Duration passed = Duration.ofMillis((long) (seconds * 1_000));
		return new Moment(NOW.plus(passed), passed.toNanos());
	}

}

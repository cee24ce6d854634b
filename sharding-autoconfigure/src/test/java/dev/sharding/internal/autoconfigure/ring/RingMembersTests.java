package dev.sharding.internal.autoconfigure.ring;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.autoconfigure.ring.RingMembers.HashOwners;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.ShardIdentity;
import dev.sharding.internal.core.slot.SlotHolder;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotWrites;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;

class RingMembersTests {

	private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");

	@Test
	void knowsWhoseAHashIsIfAllShardsAreSeen() {
		HashOwners owners = HashOwners.of(Map.of("a", lease("a"), "b", lease("b")), NOW, 2, "here");
		assertThat(owners.hashRing()).isNotNull();
		assertThat(owners.reason()).isNull();
	}

	@Test
	void doesNotGuessWhoseAHashIsIfLeasesAreElsewhere() {
		HashOwners owners = HashOwners.of(Map.of("a", lease("a"), "b", lease("b")), NOW, 3, "here");
		assertThat(owners.hashRing()).isNull();
		assertThat(owners.reason()).contains("3 available shards", "of which 2", "'here'");
		assertThat(HashOwners.of(Map.of("a", lease("a")), NOW, null, "here").reason()).contains("no sharder");
	}

	@Test
	void hashesBelongToAMemberThatNobodyHoldsAndNotYetToOneThatCameLately() {
		HashOwners owners = HashOwners.of(
				Map.of("a", settled(lease("a"), NOW.minusSeconds(60)), "b", givenBack("b"), "c", lease("c"), "d",
						LeaseRecords.write(lease("d"), new LeaseRecord("d", "", NOW, NOW, 1, 1, "id"))),
				NOW, 2, "here");
		assertThat(owners.hashRing()).isNotNull();
		assertThat(owners.hashRing().shards()).containsExactly("a", "b", "c");
		assertThat(owners.hashRing().takers()).containsExactly("a", "b");
	}

	private static Lease lease(String name) {
		Lease none = new LeaseBuilder().withNewMetadata().withName(name).withUid("uid").endMetadata().build();
		return LeaseRecords.write(none, created(name));
	}

	private static SlotLease created(String name) {
		return SlotWrites.create(
				new SlotHolder(new ShardIdentity(name, "id"), Duration.ofSeconds(15), Duration.ofSeconds(30), 3, null),
				"ring", false, NOW);
	}

	private static Lease settled(Lease lease, Instant when) {
		return new LeaseBuilder(lease).editMetadata()
			.addToAnnotations(ShardingLabels.SETTLED, when.toString())
			.endMetadata()
			.build();
	}

	private static Lease givenBack(String name) {
		Lease held = lease(name);
		return LeaseRecords.write(held,
				SlotWrites.giveBack(LeaseRecords.slotLease(held), new TermProgress(true, true, true), NOW));
	}

}

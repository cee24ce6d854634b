package dev.sharding.internal.sharder.overview;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sharding.internal.sharder.activity.Action;
import dev.sharding.internal.sharder.activity.ObjectRef;
import dev.sharding.internal.sharder.activity.RingWork;
import dev.sharding.internal.sharder.activity.Transit;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OverviewLawTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private static final Map<String, Boolean> RESOURCES = new TreeMap<>(Map.of("configmaps", false, "secrets", true));

	@Test
	void aShardHasTheStateOfItsLeaseAndItsObjects() {
		RingWork work = new RingWork(
				Map.of("secrets", new RingWork.Count(NOW.minusSeconds(60), Map.of("a", 3, "gone", 1, "", 2))),
				Map.of("a", 1), List.of(), 0, List.of());
		RingOverview ring = OverviewLaw.of(ring(), RESOURCES, List.of(lease("b", 40), lease("a", 5)),
				membership(Map.of("Lease ns/b", "too long"), "a"), work, Map.of(), NOW);
		assertThat(ring.resources()).extracting(RingOverview.Resource::name).containsExactly("secrets", "configmaps");
		assertThat(ring.resources()).extracting(RingOverview.Resource::objects).containsExactly(6, 0);
		assertThat(ring.resources().get(0).countedAt()).isEqualTo("2025-12-31T23:59:00Z");
		assertThat(ring.resources().get(1).countedAt()).isNull();
		assertThat(ring.shards()).extracting(ShardOverview::name).containsExactly("a", "b", "gone");
		assertThat(ring.shards()).extracting(ShardOverview::state).containsExactly("ready", "not believed", "no Lease");
		ShardOverview a = ring.shards().get(0);
		assertThat(a.expires()).isEqualTo("2026-01-01T00:00:10Z");
		assertThat(a.objects()).isEqualTo(Map.of("secrets", 3));
		assertThat(a.draining()).isOne();
		assertThat(ring.shards().get(1).doubt()).isEqualTo("too long");
	}

	@Test
	void aShardHasThePodThatHoldsItAndSaysWhatItWaitsFor() {
		Lease held = lease("a", 5);
		held.getMetadata().getLabels().put(ShardingLabels.POD, "app-1");
		Lease givenBack = lease("b", 5);
		givenBack.getMetadata().getLabels().put(ShardingLabels.POD, "app-2");
		givenBack.getSpec().setHolderIdentity("");
		Membership membership = new Membership(3, new TreeSet<>(List.of("a", "c")), new TreeSet<>(), new TreeMap<>(),
				new TreeSet<>(), new TreeMap<>(), new TreeSet<>(List.of("a")), new TreeSet<>(List.of("b")));
		RingOverview ring = OverviewLaw.of(ring(), RESOURCES, List.of(held, givenBack, lease("c", 5)), membership,
				new RingWork(Map.of(), Map.of(), List.of(), 0, List.of()), Map.of(), NOW);
		assertThat(ring.shards()).extracting(ShardOverview::pod).containsExactly("app-1", null, null);
		assertThat(ring.shards()).extracting(ShardOverview::member).containsExactly("settling", "given back", null);
	}

	@Test
	void whatIsWithoutOwnerForLongIsAnOrphanAndSoIsWhatCouldNotBePlaced() {
		ObjectRef old = new ObjectRef("secrets", "ns", "old");
		ObjectRef controlled = new ObjectRef("configmaps", "ns", "controlled");
		RingWork work = new RingWork(Map.of(), Map.of(), List.of(
				new Transit(old, Transit.Kind.UNOWNED, "gone", NOW.minus(OverviewLaw.ORPHANED_AFTER)),
				new Transit(new ObjectRef("secrets", "ns", "new"), Transit.Kind.UNOWNED, null,
						NOW.minus(OverviewLaw.ORPHANED_AFTER).plusMillis(1)),
				new Transit(new ObjectRef("secrets", "ns", "slow"), Transit.Kind.DRAINING, "a", NOW.minusSeconds(600))),
				2, List.of(new Action(7, NOW, Action.Kind.LET_GO, old, "a", null)));
		RingOverview ring = OverviewLaw.of(ring(), RESOURCES, List.of(), membership(Map.of()), work,
				Map.of(old, "denied", controlled, "denied as well"), NOW);
		assertThat(ring.orphans()).extracting(RingOverview.Misplaced::name).containsExactly("old", "controlled");
		assertThat(ring.orphans()).extracting(RingOverview.Misplaced::reason)
			.containsExactly("denied", "denied as well");
		assertThat(ring.orphans()).extracting(RingOverview.Misplaced::state)
			.containsExactly("without owner", "not placed");
		assertThat(ring.moving()).extracting(RingOverview.Misplaced::name).containsExactly("new", "slow");
		assertThat(ring.latest())
			.containsExactly(new RingOverview.Event(7, NOW.toString(), "let go", "secrets", "ns", "old", "a", null));
	}

	private static ControllerRing ring() {
		ControllerRing ring = new ControllerRing();
		ring.setMetadata(new ObjectMetaBuilder().withName("seen").build());
		return ring;
	}

	private static Membership membership(Map<String, String> invalid, String... available) {
		return new Membership(available.length, new TreeSet<>(List.of(available)), new TreeSet<>(),
				new TreeMap<>(invalid), new TreeSet<>(), new TreeMap<>(), new TreeSet<>(), new TreeSet<>());
	}

	private static Lease lease(String name, int secondsAgo) {
		ZonedDateTime renewed = NOW.minusSeconds(secondsAgo).atZone(ZoneOffset.UTC);
		return new LeaseBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName(name)
			.addToLabels(ShardingLabels.LEASE_RING, "seen")
			.endMetadata()
			.withNewSpec()
			.withHolderIdentity(name)
			.withLeaseDurationSeconds(15)
			.withAcquireTime(renewed)
			.withRenewTime(renewed)
			.endSpec()
			.build();
	}

}

package dev.sharding.internal.sharder.webhook;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.ShardIdentity;
import dev.sharding.internal.core.slot.SlotHolder;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotWrites;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import dev.sharding.internal.sharder.watch.SharedWatches;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the webhook knows of rings.
 */
@ControlPlaneTest
class RingViewsIT {

	private static final String RING = "views";

	private static final String MARKS = "views-of-marks";

	@Test
	@DisplayName("The leader's part of the process has started the watches: a webhook that has not begun is told nothing")
	void hearsOfNothingBeforeItStarts(KubernetesClient client) {
		ControllerRing ring = ring(client, RING);
		AtomicInteger changes = new AtomicInteger();
		try (SharedWatches watches = new SharedWatches(client);
				RingViews views = new RingViews(watches, LeaseTrust.DEFAULT, InstantSource.system(), System::nanoTime,
						new WebhookMetrics(new SimpleMeterRegistry()), changes::incrementAndGet)) {
			watches.rings().start();
			await().until(watches.rings().synced()::isDone);
			assertThat(changes).hasValue(0);
			await().until(views.start()::isDone);
			await().untilAsserted(() -> assertThat(changes).hasPositiveValue());
			assertThat(views.view(RING)).isNotNull();
		}
		finally {
			client.resource(ring).delete();
		}
	}

	@Test
	@DisplayName("Who gets what follows from what the Leases say: a newcomer that is not marked gets nothing, what was given back stays until it is taken")
	void followsTheMarksOnTheLeases(KubernetesClient client, @TestNamespace String namespace) {
		ControllerRing ring = ring(client, MARKS);
		Instant now = Instant.now();
		put(client, namespace, "a", (held) -> held);
		put(client, namespace, "b", (held) -> held);
		try (SharedWatches watches = new SharedWatches(client);
				RingViews views = new RingViews(watches, LeaseTrust.DEFAULT, InstantSource.system(), System::nanoTime,
						new WebhookMetrics(new SimpleMeterRegistry()), () -> {
						})) {
			await().until(views.start()::isDone);
			awaitRing(views, Set.of("a", "b"), Set.of("a", "b"));
			mark(client, namespace, "a", now.minusSeconds(60));
			awaitRing(views, Set.of("a"), Set.of("a", "b"));
			mark(client, namespace, "b", now.plusSeconds(60));
			awaitRing(views, Set.of("a", "b"), Set.of("a", "b"));
			put(client, namespace, "c", (held) -> SlotWrites.takeOver(held, holder("c"), MARKS, now.plusSeconds(120)));
			awaitRing(views, Set.of("a", "b"), Set.of("a", "b", "c"));
			change(client, namespace, "b",
					(held) -> SlotWrites.giveBack(held, new TermProgress(true, true, true), Instant.now()));
			mark(client, namespace, "c", now.plusSeconds(121));
			awaitRing(views, Set.of("a", "b", "c"), Set.of("a", "b", "c"));
			// Nobody renews what was given back, which says that it lasts a second.
			assertThat(views.view(MARKS).silence()).isEqualTo(Duration.ofMinutes(5));
			change(client, namespace, "b",
					(waiting) -> new SlotLease(
							LeaseWrites.hold(waiting.record(), Duration.ofSeconds(15), Instant.now()), waiting.ring(),
							waiting.uid(), SlotWrites.unmarked(waiting)));
			awaitRing(views, Set.of("a", "c"), Set.of("a", "c"));
		}
		finally {
			client.resource(ring).delete();
			client.leases().inNamespace(namespace).delete();
		}
	}

	@Test
	@DisplayName("A shard that made its Lease again gets new objects as before, until the leader has marked it anew")
	void keepsThePartOfAShardThatMadeItsLeaseAgain(KubernetesClient client, @TestNamespace String namespace) {
		ControllerRing ring = ring(client, MARKS);
		Instant before = Instant.now().minusSeconds(60);
		put(client, namespace, "a", (held) -> held);
		mark(client, namespace, "a", before);
		put(client, namespace, "b", (held) -> held);
		mark(client, namespace, "b", before);
		try (SharedWatches watches = new SharedWatches(client);
				RingViews views = new RingViews(watches, LeaseTrust.DEFAULT, InstantSource.system(), System::nanoTime,
						new WebhookMetrics(new SimpleMeterRegistry()), () -> {
						})) {
			await().until(views.start()::isDone);
			awaitRing(views, Set.of("a", "b"), Set.of("a", "b"));
			client.leases().inNamespace(namespace).withName("b").delete();
			await().until(() -> watches.leasesOf(MARKS).size() == 1);
			put(client, namespace, "b", (held) -> held);
			await().until(() -> watches.leasesOf(MARKS).size() == 2);
			await().during(Duration.ofMillis(500))
				.untilAsserted(() -> assertThat(views.view(MARKS).shards().takers()).isEqualTo(Set.of("a", "b")));
			mark(client, namespace, "b", Instant.now());
			awaitRing(views, Set.of("a", "b"), Set.of("a", "b"));
			change(client, namespace, "b", (held) -> SlotWrites.release(held, Instant.now()));
			awaitRing(views, Set.of("a"), Set.of("a"));
		}
		finally {
			client.resource(ring).delete();
			client.leases().inNamespace(namespace).delete();
		}
	}

	@Test
	@DisplayName("A replica that has heard of no Lease for longer than one lasts knows that its view may be of the past")
	void knowsWhenItsViewIsOfThePast(KubernetesClient client, @TestNamespace String namespace) {
		ControllerRing ring = ring(client, MARKS);
		put(client, namespace, "old", (held) -> held);
		AtomicLong ahead = new AtomicLong();
		try (SharedWatches watches = new SharedWatches(client);
				RingViews views = new RingViews(watches, LeaseTrust.DEFAULT, InstantSource.system(),
						() -> System.nanoTime() + ahead.get(), new WebhookMetrics(new SimpleMeterRegistry()), () -> {
						})) {
			await().until(views.start()::isDone);
			awaitRing(views, Set.of("old"), Set.of("old"));
			assertThat(views.view(MARKS).isOfThePresent()).isTrue();
			ahead.addAndGet(Duration.ofMinutes(6).toNanos());
			assertThat(views.view(MARKS).isOfThePresent()).isFalse();
			mark(client, namespace, "old", Instant.now());
			// What has piled up has a second to come.
			await().until(() -> views.view(MARKS).isOfThePresent());
		}
		finally {
			client.resource(ring).delete();
			client.leases().inNamespace(namespace).delete();
		}
	}

	private static ControllerRing ring(KubernetesClient client, String name) {
		CustomResourceDefinitions.apply(client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
		ControllerRing ring = new ControllerRing();
		ring.setMetadata(new ObjectMetaBuilder().withName(name).build());
		ring.setSpec(new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), null));
		return client.resource(ring).create();
	}

	private static void awaitRing(RingViews views, Set<String> takers, Set<String> shards) {
		await().untilAsserted(() -> {
			RingView view = views.view(MARKS);
			assertThat(view).isNotNull();
			assertThat(view.shards().takers()).isEqualTo(takers);
			assertThat(view.shards().shards()).isEqualTo(shards);
		});
	}

	private static SlotHolder holder(String shard) {
		return new SlotHolder(new ShardIdentity(shard, "id-of-" + shard), Duration.ofMinutes(5), Duration.ofSeconds(30),
				3, null);
	}

	private static void put(KubernetesClient client, String namespace, String shard, UnaryOperator<SlotLease> change) {
		Lease none = new LeaseBuilder().withNewMetadata()
			.withNamespace(namespace)
			.withName(shard)
			.addToLabels(ShardingLabels.LEASE_RING, MARKS)
			.endMetadata()
			.build();
		client
			.resource(LeaseRecords.write(none,
					change.apply(SlotWrites.create(holder(shard), MARKS, false, Instant.now()))))
			.create();
	}

	private static void change(KubernetesClient client, String namespace, String shard,
			UnaryOperator<SlotLease> change) {
		client.leases()
			.inNamespace(namespace)
			.withName(shard)
			.edit((lease) -> LeaseRecords.write(lease, change.apply(LeaseRecords.slotLease(lease))));
	}

	private static void mark(KubernetesClient client, String namespace, String shard, Instant settled) {
		client.leases()
			.inNamespace(namespace)
			.withName(shard)
			.edit((lease) -> new LeaseBuilder(lease).editMetadata()
				.addToAnnotations(ShardingLabels.SETTLED, settled.toString())
				.endMetadata()
				.build());
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(90));
	}

}

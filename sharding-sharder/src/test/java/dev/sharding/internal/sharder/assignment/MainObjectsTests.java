package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.assignment.metadata.AssignmentMetrics;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.RingConnection;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.metadata.Sources;
import dev.sharding.internal.sharder.assignment.placement.AwayShards;
import dev.sharding.internal.sharder.assignment.placement.DrainBudget;
import dev.sharding.internal.sharder.assignment.placement.Drains;
import dev.sharding.internal.sharder.assignment.placement.InFlightLimit;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.shardlease.ShardHolds;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many main objects are changing hands at a time. Nobody answers here, so none of
 * them ever ends.
 */
class MainObjectsTests {

	private static final String RING = "my-ring";

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private final EventLoop loop = new EventLoop("main-objects");

	private final KubernetesClient client = new KubernetesClientBuilder()
		.withConfig(new ConfigBuilder().withAutoConfigure(false).withMasterUrl("http://127.0.0.1:1").build())
		.build();

	private final PatchQueue queue = new PatchQueue(new InFlightLimit(1), System::nanoTime, this.loop::schedule);

	private final MainObjects mainObjects = mainObjects();

	private MainObjects mainObjects() {
		RingScope scope = new RingScope(RING, Map.of(SECRETS, List.of()), NamespaceFilter.excluding(List.of()),
				Set.of());
		ApiRequests requests = new ApiRequests(this.client);
		RingConnection connection = new RingConnection(this.client, requests,
				new AssignmentMetrics(new SimpleMeterRegistry(), RING), InstantSource.system(), System::nanoTime);
		HashRing ring = HashRing.of(List.of("shard-a"));
		Drains drains = new Drains(System::nanoTime);
		Placer placer = new Placer(connection, scope, this.queue, this.loop, () -> ring, () -> false, new AwayShards(),
				drains, () -> {
				});
		ResourceProblems problems = new ResourceProblems(() -> {
		});
		PlacementReports reports = new PlacementReports(problems);
		LeaseHolds leaseHolds = new LeaseHolds(new NobodyIsHeld(), this.loop);
		PendingDependents pendingDependents = new PendingDependents(scope, placer, leaseHolds, this.loop, reports,
				System::nanoTime);
		MetadataLists metadata = new MetadataLists(requests, scope, connection.throttle());
		ControlledLists lists = new ControlledLists(scope, metadata, this.loop, problems);
		Sources sources = new Sources(connection, scope, metadata, this.loop);
		HandOvers handOvers = new HandOvers(scope, lists, sources,
				new UnavailableShards(scope, lists, placer, pendingDependents, reports,
						() -> new Room(1, System::nanoTime, this.loop::schedule), this.loop),
				pendingDependents, placer, this.loop, reports, HandOverOrder.CONTROLLED_OBJECTS_FIRST);
		DrainLimiter pacer = new DrainLimiter(sources, placer, DrainBudget.NONE, this.loop, System::nanoTime, () -> {
		});
		return new MainObjects(scope, placer, handOvers, drains, pacer, leaseHolds, pendingDependents, this.loop,
				reports, connection.activity(), () -> {
				});
	}

	@AfterEach
	void close() {
		this.queue.close();
		this.loop.close();
		this.client.close();
	}

	@Test
	void hasNoRoomForMoreAsLongAsThatMayEnd() throws Exception {
		CompletableFuture<Void> room = onLoop(() -> {
			judge(0, 10);
			return this.mainObjects.room(10);
		});
		assertThat(room).isNotDone();
		assertThat(onLoop(() -> this.mainObjects.room(11))).isDone();
		assertThat(onLoop(() -> this.mainObjects.isChangingHands(key(3)))).isTrue();
		assertThat(onLoop(() -> this.mainObjects.isChangingHands(key(10)))).isFalse();
	}

	@Test
	void makesRoomAlthoughAllAreStuck() throws Exception {
		CompletableFuture<Void> room = onLoop(() -> {
			judge(0, 10);
			return this.mainObjects.room(10);
		});
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(room::isDone);
		assertThat(this.mainObjects.size()).isEqualTo(10);
	}

	private void judge(int from, int to) {
		IntStream.range(from, to)
			.mapToObj((i) -> new ShardedObject(SECRETS, new ObjectKey("default", "s-" + i), "7", key(i), Map.of()))
			.forEach((object) -> this.mainObjects.judge(object, Past.UNKNOWN));
	}

	private static ShardingKey key(int number) {
		return new ShardingKey("", "Secret", "default", "s-" + number);
	}

	private <T> T onLoop(Supplier<T> task) throws Exception {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.loop.execute(() -> result.complete(task.get()));
		return result.get(1, TimeUnit.MINUTES);
	}

	private static final class NobodyIsHeld implements ShardHolds {

		@Override
		public CompletableFuture<@Nullable ShardHold> hold(String shard) {
			return new CompletableFuture<>();
		}

		@Override
		public void force(String shard) {
		}

	}

}

package dev.sharding.internal.sharder.assignment;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.assignment.metadata.AssignmentMetrics;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists.Page;
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
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How much is taken in of a namespace that came to the ring. Nobody answers here.
 */
class AdoptionTests {

	private static final String RING = "my-ring";

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private final AtomicInteger failed = new AtomicInteger();

	private final EventLoop loop = new EventLoop("adoption");

	private final KubernetesClient client = new KubernetesClientBuilder()
		.withConfig(new ConfigBuilder().withAutoConfigure(false).withMasterUrl("http://127.0.0.1:1").build())
		.build();

	private final PatchQueue queue = new PatchQueue(new InFlightLimit(1), System::nanoTime, this.loop::schedule);

	private final DrainLimiter pacer;

	private final Adoption adoption;

	AdoptionTests() {
		RingScope scope = new RingScope(RING, Map.of(SECRETS, List.of()), NamespaceFilter.excluding(List.of()),
				Set.of());
		ApiRequests requests = new ApiRequests(this.client);
		RingConnection connection = new RingConnection(this.client, requests,
				new AssignmentMetrics(new SimpleMeterRegistry(), RING), InstantSource.system(), System::nanoTime);
		// All that shard-a has belongs to others.
		HashRing ring = HashRing.of(List.of("shard-a", "shard-b"), Set.of("shard-a"));
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
		Supplier<Room> rooms = () -> new Room(1, System::nanoTime, this.loop::schedule);
		HandOvers handOvers = new HandOvers(scope, lists, sources,
				new UnavailableShards(scope, lists, placer, pendingDependents, reports, rooms, this.loop),
				pendingDependents, placer, this.loop, reports, HandOverOrder.CONTROLLED_OBJECTS_FIRST);
		this.pacer = new DrainLimiter(sources, placer, DrainBudget.NONE, this.loop, () -> 0, () -> {
		});
		MainObjects mainObjects = new MainObjects(scope, placer, handOvers, drains, this.pacer, leaseHolds,
				pendingDependents, this.loop, reports, connection.activity(), () -> {
				});
		this.adoption = new Adoption(scope, lists, placer, drains, leaseHolds, pendingDependents, mainObjects,
				this.loop, reports, rooms, (resource) -> true, (resource) -> false, () -> {
				}, this.failed::incrementAndGet);
	}

	@AfterEach
	void close() {
		this.queue.close();
		this.loop.close();
		this.client.close();
	}

	@Test
	@DisplayName("Of a large namespace whose objects all have to be drained a bounded number waits; a resync finds the rest")
	void leavesTheRestToAResync() throws Exception {
		Function<Page, CompletableFuture<?>> arriving = this.adoption.arriving(SECRETS);
		for (int page = 0; page < 20; page++) {
			List<ShardedObject> objects = IntStream.range(500 * page, 500 * (page + 1))
				.mapToObj(AdoptionTests::object)
				.toList();
			arriving.apply(new Page(objects, "7", page == 0, page == 19)).get(1, TimeUnit.MINUTES);
		}
		assertThat(onLoop(this.pacer::waiting)).isBetween(5_000, 5_500);
		assertThat(this.failed.get()).isPositive();
	}

	private static ShardedObject object(int number) {
		String name = "s-" + number;
		return new ShardedObject(SECRETS, new ObjectKey("default", name), "7",
				new ShardingKey("", "Secret", "default", name), Map.of(ShardingLabels.shard(RING), "shard-a"));
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

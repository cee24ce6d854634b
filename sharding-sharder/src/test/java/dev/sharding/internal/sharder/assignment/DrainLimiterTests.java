package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.assignment.metadata.AssignmentMetrics;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
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
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many drains wait for their turn. Nobody answers here.
 */
class DrainLimiterTests {

	private static final String RING = "my-ring";

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private final AtomicLong nanos = new AtomicLong();

	private final AtomicInteger putBack = new AtomicInteger();

	private final EventLoop loop = new EventLoop("drain-pacer");

	private final KubernetesClient client = new KubernetesClientBuilder()
		.withConfig(new ConfigBuilder().withAutoConfigure(false).withMasterUrl("http://127.0.0.1:1").build())
		.build();

	private final PatchQueue queue = new PatchQueue(new InFlightLimit(1), this.nanos::get, this.loop::schedule);

	private final DrainLimiter pacer = pacer();

	private DrainLimiter pacer() {
		RingScope scope = new RingScope(RING, Map.of(SECRETS, List.of()), NamespaceFilter.excluding(List.of()),
				Set.of());
		RingConnection connection = new RingConnection(this.client, new ApiRequests(this.client),
				new AssignmentMetrics(new SimpleMeterRegistry(), RING), InstantSource.system(), this.nanos::get);
		Placer placer = new Placer(connection, scope, this.queue, this.loop,
				() -> HashRing.of(List.of("shard-a", "shard-b")), () -> false, new AwayShards(),
				new Drains(this.nanos::get), () -> {
				});
		Sources sources = new Sources(connection, scope,
				new MetadataLists(connection.requests(), scope, connection.throttle()), this.loop);
		return new DrainLimiter(sources, placer, DrainBudget.NONE, this.loop, this.nanos::get,
				this.putBack::incrementAndGet);
	}

	@AfterEach
	void close() {
		this.queue.close();
		this.loop.close();
		this.client.close();
	}

	@Test
	void putsBackWhatWaitsForAnOwnerWhoDoesNotAnswer() throws Exception {
		List<CompletableFuture<Placement>> drains = onLoop(() -> drain(0, 300));
		assertThat(onLoop(this.pacer::waiting)).isGreaterThan(250);
		assertThat(this.putBack).hasValue(0);
		this.nanos.addAndGet(Duration.ofSeconds(3).toNanos());
		drains.addAll(onLoop(() -> drain(300, 301)));
		assertThat(this.putBack).hasValue(0);
		this.nanos.addAndGet(Duration.ofSeconds(11).toNanos());
		drains.addAll(onLoop(() -> drain(301, 400)));
		assertThat(onLoop(this.pacer::waiting)).isLessThanOrEqualTo(20);
		assertThat(this.putBack.get()).isGreaterThan(300);
		assertThat(drains).filteredOn(CompletableFuture::isDone).hasSize(this.putBack.get());
	}

	private List<CompletableFuture<Placement>> drain(int from, int to) {
		List<CompletableFuture<Placement>> drains = new ArrayList<>();
		for (int i = from; i < to; i++) {
			String name = "s-" + i;
			ShardingKey key = new ShardingKey("", "Secret", "default", name);
			drains.add(this.pacer.drain(new ShardedObject(SECRETS, new ObjectKey("default", name), "7", key,
					Map.of(ShardingLabels.shard(RING), "shard-a")), key, "shard-a"));
		}
		return drains;
	}

	private <T> T onLoop(Supplier<T> task) throws Exception {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.loop.execute(() -> result.complete(task.get()));
		return result.get(1, TimeUnit.MINUTES);
	}

}

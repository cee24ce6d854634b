package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What shards have made, where there is memory for one of them at a time.
 */
@ControlPlaneTest
class SourcesIT {

	private static final String RING = "sources";

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private static final ShardedResource CONFIG_MAPS = new ShardedResource(ResourceType.of(ConfigMap.class).metadata(),
			ResourceRole.CONTROLLED);

	private final EventLoop loop = new EventLoop("sources");

	/* What the test adds to the time. */
	private final AtomicLong ahead = new AtomicLong();

	private final KubernetesClient client;

	private final String namespace;

	private final Sources sources;

	SourcesIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		RingScope scope = new RingScope(RING, Map.of(SECRETS, List.of(CONFIG_MAPS)),
				NamespaceFilter.excluding(List.of()), Set.of());
		RingConnection connection = new RingConnection(client, new ApiRequests(client),
				new AssignmentMetrics(new SimpleMeterRegistry(), RING), InstantSource.system(),
				() -> System.nanoTime() + this.ahead.get());
		this.sources = new Sources(connection, scope,
				new MetadataLists(connection.requests(), scope, connection.throttle()), this.loop, () -> 1);
	}

	@AfterEach
	void close() throws Exception {
		onLoop(() -> {
			this.sources.close();
			return true;
		});
		this.loop.close();
	}

	@Test
	void knowsWhatOneShardHasMadeAtATime() throws Exception {
		String version = configMap("a-1", "main-a", "shard-a");
		configMap("a-2", "main-a", "shard-a");
		configMap("other", "main-other", "shard-a");
		configMap("b-1", "main-b", "shard-b");
		awaitReady("shard-a");
		assertThat(madeFor("shard-a", "main-a")).extracting((object) -> object.key().name())
			.containsExactlyInAnyOrder("a-1", "a-2");
		assertThat(madeFor("shard-a", "main-a"))
			.contains(new ShardedObject(CONFIG_MAPS, new ObjectKey(this.namespace, "a-1"), version, main("main-a"),
					Map.of(ShardingLabels.shard(RING), "shard-a")));
		assertThat(onLoop(() -> this.sources.isReady(object("shard-b")))).isFalse();

		// The watch goes on.
		this.client.configMaps().inNamespace(this.namespace).withName("a-1").delete();
		String later = configMap("a-3", "main-a", "shard-a");
		assertThat(onLoop(() -> this.sources.of("shard-a").told(CONFIG_MAPS, later)).get(1, TimeUnit.MINUTES)).isTrue();
		assertThat(madeFor("shard-a", "main-a")).extracting((object) -> object.key().name())
			.containsExactlyInAnyOrder("a-2", "a-3");

		// Who answers keeps its place; who does not yields it to who waits.
		onLoop(() -> {
			this.sources.asked("shard-a");
			this.sources.answered("shard-a");
			return true;
		});
		pass(Duration.ofSeconds(4));
		onLoop(() -> this.sources.isReady(object("shard-a")));
		pass(Duration.ofSeconds(4));
		assertThat(onLoop(() -> this.sources.isReady(object("shard-b")))).isFalse();
		onLoop(() -> {
			this.sources.asked("shard-a");
			return this.sources.isReady(object("shard-a"));
		});
		pass(Duration.ofSeconds(3));
		onLoop(() -> this.sources.isReady(object("shard-a")));
		pass(Duration.ofSeconds(3));
		awaitReady("shard-b");
		assertThat(madeFor("shard-b", "main-b")).hasSize(1);
		assertThat(onLoop(() -> this.sources.of("shard-a") == null)).isTrue();
	}

	@Test
	void waitsForAWatchThatIsLateAsLongAsItGoesOn() throws Exception {
		configMap("late-1", "main-late", "shard-late");
		awaitReady("shard-late");
		AtomicBoolean enough = new AtomicBoolean();
		CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
			for (int i = 2; !enough.get(); i++) {
				configMap("late-" + i, "main-late", "shard-late");
				LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
			}
		});
		try {
			// On a busy machine a write may take so long that it looks as if it went on
			// no more.
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
				long before = System.nanoTime();
				String last = configMap("passing", "main-b", "shard-c");
				this.client.configMaps().inNamespace(this.namespace).withName("passing").delete();
				String later = Long.toString(Long.parseLong(last) + 60);
				boolean told = onLoop(() -> this.sources.of("shard-late").told(CONFIG_MAPS, later)).get(1,
						TimeUnit.MINUTES);
				return told && System.nanoTime() - before > Duration.ofMillis(1200).toNanos();
			});
		}
		finally {
			enough.set(true);
			writer.join();
		}
		String never = Long.toString(Long.MAX_VALUE);
		assertThat(onLoop(() -> this.sources.of("shard-late").told(CONFIG_MAPS, never)).get(1, TimeUnit.MINUTES))
			.isFalse();
	}

	private void pass(Duration time) {
		this.ahead.addAndGet(time.toNanos());
	}

	private void awaitReady(String shard) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> onLoop(() -> this.sources.isReady(object(shard)) && this.sources.of(shard) != null));
	}

	private List<ShardedObject> madeFor(String shard, String main) throws Exception {
		return onLoop(() -> this.sources.of(shard).madeFor(main(main)));
	}

	private ShardingKey main(String name) {
		return new ShardingKey("", "Secret", this.namespace, name);
	}

	private ShardedObject object(String shard) {
		return new ShardedObject(SECRETS, new ObjectKey(this.namespace, "main"), "7", main("main"),
				Map.of(ShardingLabels.shard(RING), shard));
	}

	private String configMap(String name, String owner, String shard) {
		return this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.addToLabels(ShardingLabels.shard(RING), shard)
				.addNewOwnerReference()
				.withApiVersion("v1")
				.withKind("Secret")
				.withName(owner)
				.withUid("none")
				.withController(true)
				.endOwnerReference()
				.endMetadata()
				.build())
			.create()
			.getMetadata()
			.getResourceVersion();
	}

	private <T> T onLoop(Supplier<T> task) throws Exception {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.loop.execute(() -> result.complete(task.get()));
		return result.get(1, TimeUnit.MINUTES);
	}

}

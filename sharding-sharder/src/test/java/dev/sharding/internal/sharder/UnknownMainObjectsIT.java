package dev.sharding.internal.sharder;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Controlled objects in the wrong place, whose main objects a pass does not list.
 */
@ControlPlaneTest
class UnknownMainObjectsIT {

	private static final List<ControlledResource> CONFIG_MAPS = List.of(new ControlledResource("", "configmaps"));

	private static final HashRing BOTH = HashRing.of(List.of("shard-a", "shard-b"));

	private final World world;

	private final AnswerProxy proxy;

	private final KubernetesClient client;

	private final AtomicInteger patches = new AtomicInteger();

	/* What the sharder hears of patches of Secrets, which the API server has made. */
	private volatile @Nullable Answer patched;

	private volatile boolean silent;

	private volatile boolean unlistable;

	UnknownMainObjectsIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "unknown-main");
		this.proxy = AnswerProxy.before(controlPlane.admin(), (request) -> {
		}, this::answer);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
	}

	@AfterEach
	void close() {
		this.world.close();
		this.client.close();
		this.proxy.close();
	}

	@Test
	@DisplayName("What a cluster-scoped object controls has a key, and so a place, of its own")
	void placesWhatClusterScopedObjectsControl() {
		this.world.withRing((spec) -> new ControllerRingSpec(
				List.of(new MainResource("scheduling.k8s.io", "priorityclasses", CONFIG_MAPS)), null));
		List.of("shard-a", "shard-b").forEach(this.world::shard);
		PriorityClass owner = this.world.client
			.resource(new PriorityClassBuilder().withNewMetadata()
				.withName(nameOf("scheduling.k8s.io", "PriorityClass"))
				.endMetadata()
				.withValue(1)
				.build())
			.create();
		try {
			controlledBy(owner);
			start();
			World.await()
				.untilAsserted(() -> assertThat(this.world.configMapShard(owner.getMetadata().getName()))
					.isEqualTo("shard-a"));
		}
		finally {
			this.world.client.resource(owner).delete();
		}
	}

	@Test
	@DisplayName("A ring begins without a resource, as the API server does not tell of it: what it controls stays")
	void leavesWhatUnknownObjectsControl() {
		this.world.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets", CONFIG_MAPS),
				new MainResource("apps", "deployments", CONFIG_MAPS)), null));
		List.of("shard-a", "shard-b").forEach(this.world::shard);
		Deployment owner = this.world.client
			.resource(new DeploymentBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(nameOf("apps", "Deployment"))
				.withLabels(this.world.assignedTo("shard-b"))
				.endMetadata()
				.withNewSpec()
				.withReplicas(0)
				.withNewSelector()
				.addToMatchLabels("app", "a")
				.endSelector()
				.withNewTemplate()
				.withNewMetadata()
				.addToLabels("app", "a")
				.endMetadata()
				.withNewSpec()
				.addNewContainer()
				.withName("a")
				.withImage("a")
				.endContainer()
				.endSpec()
				.endTemplate()
				.endSpec()
				.build())
			.create();
		String name = owner.getMetadata().getName();
		controlledBy(owner);
		this.silent = true;
		start();
		this.world.awaitPasses(1);
		assertThat(this.world.configMapShard(name)).isEqualTo("shard-b");
		this.silent = false;
		World.await()
			.untilAsserted(() -> assertThat(this.world.client.apps()
				.deployments()
				.inNamespace(this.world.namespace)
				.withName(name)
				.get()
				.getMetadata()
				.getLabels()).containsKey(ShardingLabels.drain(this.world.ring)));
		assertThat(this.world.configMapShard(name)).isEqualTo("shard-b");
	}

	@Test
	@DisplayName("A main object that somebody writes all the time gets its owner, with what it controls")
	void placesWhatChangesAllTheTime() {
		this.world.withRing();
		List.of("shard-a", "shard-b").forEach(this.world::shard);
		String name = this.world.secretOf("shard-a", "shard-a", "shard-b");
		Secret busy = this.world.secret(name);
		this.world.configMap(name, busy, this.world.assignedTo("shard-b"));
		AtomicInteger writes = new AtomicInteger();
		ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor();
		writer.scheduleWithFixedDelay(
				() -> this.world.client.secrets()
					.inNamespace(this.world.namespace)
					.withName(name)
					.patch(PatchContext.of(PatchType.JSON_MERGE),
							"{\"metadata\":{\"annotations\":{\"writes\":\"%d\"}}}".formatted(writes.incrementAndGet())),
				0, 50, TimeUnit.MILLISECONDS);
		try {
			World.await().until(() -> writes.get() > 5);
			start();
			World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
			assertThat(this.world.configMapShard(name)).isEqualTo("shard-a");
		}
		finally {
			writer.shutdownNow();
		}
	}

	@Test
	@DisplayName("A drain that a webhook takes off again is not asked for all the time")
	void asksSeldomForADrainThatIsTakenOff() {
		this.world.withRing();
		List.of("shard-a", "shard-b").forEach(this.world::shard);
		String name = this.world.secretOf("shard-a", "shard-a", "shard-b");
		Secret secret = this.world.secret(name, this.world.assignedTo("shard-b"));
		this.patched = new Answer(200, Map.of(),
				"""
						{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"%s","namespace":"%s",\
						"uid":"%s","resourceVersion":"%s","labels":{"%s":"shard-b"}}}"""
					.formatted(name, this.world.namespace, secret.getMetadata().getUid(),
							secret.getMetadata().getResourceVersion(), ShardingLabels.shard(this.world.ring)));
		start();
		World.await().until(() -> this.patches.get() > 0);
		Instant first = Instant.now();
		World.await().until(() -> first.plusSeconds(5).isBefore(Instant.now()));
		assertThat(this.patches.get()).isBetween(2, 10);
	}

	@Test
	@DisplayName("A resource that cannot be listed makes no new object of another one unknown")
	void newObjectsAreKnownThoughAnotherResourceCannotBeListed() {
		this.unlistable = true;
		this.world.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets", CONFIG_MAPS),
				new MainResource("apps", "deployments", List.of())), null));
		this.world.shard("shard-a");
		start();
		this.world.awaitPasses(1);
		AtomicInteger made = new AtomicInteger();
		World.await().until(() -> {
			String name = "new-" + made.incrementAndGet();
			this.world.secret(name);
			World.await().until(() -> "shard-a".equals(this.world.secretShard(name)));
			return this.world.client.secrets()
				.inNamespace(this.world.namespace)
				.withName(name)
				.get()
				.getMetadata()
				.getLabels()
				.containsKey(ShardingLabels.first(this.world.ring));
		});
	}

	private void start() {
		this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
	}

	private @Nullable Answer answer(Request request) {
		if (this.unlistable && request.path().endsWith("/deployments")) {
			return new Answer(403, Map.of(), "{\"kind\":\"Status\",\"code\":403,\"message\":\"no right\"}");
		}
		if (request.method().equals("PATCH") && request.path().contains("/secrets/")) {
			this.patches.incrementAndGet();
			return this.patched;
		}
		return (this.silent && request.path().startsWith("/apis/apps")) ? new Answer(503, Map.of(), "{}") : null;
	}

	/* Its key belongs to shard-a. */
	private String nameOf(String group, String kind) {
		return IntStream.iterate(0, (next) -> next + 1)
			.mapToObj((number) -> this.world.ring + "-" + number)
			.filter((name) -> "shard-a".equals(BOTH.shardFor(new ShardingKey(group, kind, this.world.namespace, name))))
			.findFirst()
			.orElseThrow();
	}

	private void controlledBy(HasMetadata owner) {
		this.world.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(owner.getMetadata().getName())
				.withLabels(this.world.assignedTo("shard-b"))
				.addNewOwnerReference()
				.withApiVersion(owner.getApiVersion())
				.withKind(owner.getKind())
				.withName(owner.getMetadata().getName())
				.withUid(owner.getMetadata().getUid())
				.withController(true)
				.endOwnerReference()
				.endMetadata()
				.build())
			.create();
	}

}

package dev.sharding.shard;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.RequestThrottle;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.assignment.LabelPatch;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.handover.HandOverOptions;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A shard that takes an object over sees what the previous owner made for it, and a shard
 * that stops gives everything back.
 */
@ControlPlaneTest
class TakeOverIT {

	/** 1,000 by {@code -Dsharding.test.handOvers=1000}. */
	private static final int HAND_OVERS = Integer.getInteger("sharding.test.handOvers", 40);

	private static final int OBJECTS = 10;

	private final ShardWorld world;

	private final Map<String, AtomicInteger> reconciles = new ConcurrentHashMap<>();

	/** Whether the controller owns ConfigMaps by its specification. */
	private boolean owns = true;

	private final CompletableFuture<Void> held = new CompletableFuture<>();

	private final ControlPlane cluster;

	TakeOverIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.world = new ShardWorld(client, namespace).patient();
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void theNewOwnerNeverCreatesASecondChild() {
		running("s1");
		running("s2");
		List<String> names = new ArrayList<>();
		for (int i = 0; i < OBJECTS; i++) {
			names.add("a" + i);
			this.world.secretOf("s1", "a" + i);
		}
		ShardWorld.soon().until(() -> children().size() == OBJECTS);
		int done = 0;
		for (int round = 0; done < HAND_OVERS; round++) {
			String to = (round % 2 == 0) ? "s2" : "s1";
			Map<String, Integer> before = new ConcurrentHashMap<>();
			names.forEach((name) -> before.put(name, reconcilesOf(to, name).get()));
			names.forEach(this.world::drain);
			for (String name : names) {
				ShardWorld.soon().until(() -> !this.world.hasShardingLabels(name));
				children().stream().filter((child) -> isOf(child, name)).forEach((child) -> label(child, to));
				this.world.assign(name, to);
			}
			for (String name : names) {
				ShardWorld.soon().until(() -> reconcilesOf(to, name).get() > before.get(name));
				done++;
			}
			assertThat(children()).hasSize(OBJECTS);
		}
		ShardWorld.forAWhile().untilAsserted(() -> assertThat(children()).hasSize(OBJECTS));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void waitsUntilTheChildrenOfWhatItTakesOverAreThere(boolean owned) {
		this.owns = owned;
		CountDownLatch mayLearn = new CountDownLatch(1);
		Shard shard = withBlockedChildren(mayLearn);
		takeOver();
		ShardWorld.forAWhile().until(() -> reconcilesOf("s1", "a").get() == 0);
		mayLearn.countDown();
		ShardWorld.soon().until(() -> reconcilesOf("s1", "a").get() > 0);
		assertThat(children()).hasSize(1);
		assertThat(shard.phase()).isEqualTo(RuntimePhase.RUNNING);
	}

	/*
	 * A worker that comes for another reason, such as an event of a child, in the moment
	 * in which the object can be read, but its observers have not heard of it.
	 */
	@Test
	void whoReadsTheObjectBeforeItsObserversHaveHeardOfItWaitsAsWell() {
		CountDownLatch mayLearn = new CountDownLatch(1);
		CountDownLatch mayHear = new CountDownLatch(1);
		Shard shard = this.world.shard("s1");
		Informer<Secret> secrets = ((InformerCaches) shard.caches()).informer(ShardWorld.SECRETS, true);
		secrets.addObserver((event) -> {
			if (event instanceof InformerEvent.Added<Secret> added && !added.initial()) {
				await(mayHear);
			}
		});
		running(shard, "s1");
		blockChildren(shard, mayLearn);
		try {
			takeOver();
			ObjectKey key = new ObjectKey(this.world.namespace, "a");
			ShardWorld.soon().until(() -> secrets.store().get(key) != null);
			shard.controllers().get(0).enqueue(key);
			ShardWorld.forAWhile().until(() -> reconcilesOf("s1", "a").get() == 0);
		}
		finally {
			mayHear.countDown();
			mayLearn.countDown();
		}
		ShardWorld.soon().until(() -> reconcilesOf("s1", "a").get() > 0);
		assertThat(children()).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatProvablyHadNoOwnerDoesNotWait(boolean atCreation) {
		CountDownLatch mayLearn = new CountDownLatch(1);
		withBlockedChildren(mayLearn);
		try {
			if (atCreation) {
				this.world.secret("a", first("s1", ShardingLabels.FIRST_AT_CREATION), (metadata) -> {
				});
			}
			else {
				assignFirst(this.world.secret("a", Map.of(), (metadata) -> {
				}), "s1");
			}
			ShardWorld.soon().until(() -> reconcilesOf("s1", "a").get() > 0);
		}
		finally {
			mayLearn.countDown();
		}
	}

	/*
	 * All in the first second of the object: ours assigns it, and then a sharder that
	 * leaves the mark where it is moves it on.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatChangesHandsWithItsMarkWaits(boolean acknowledged) {
		CountDownLatch mayLearn = new CountDownLatch(1);
		withBlockedChildren(mayLearn);
		try {
			Secret secret = this.world.secret("a", Map.of(), (metadata) -> {
			});
			assignFirst(secret, "s2");
			label(this.world.client.resource(child(secret)).create(), "s1");
			if (acknowledged) {
				this.world.merge("a",
						"{\"metadata\":{\"labels\":{\"%s\":null}}}".formatted(ShardingLabels.shard(this.world.ring)));
			}
			this.world.assign("a", "s1");
			ShardWorld.forAWhile().until(() -> reconcilesOf("s1", "a").get() == 0);
		}
		finally {
			mayLearn.countDown();
		}
		ShardWorld.soon().until(() -> reconcilesOf("s1", "a").get() > 0);
		assertThat(children()).hasSize(1);
	}

	@Test
	void theMarkGoesWithTheAcknowledgement() {
		running("s1");
		assignFirst(this.world.secret("a", Map.of("x", "y"), (metadata) -> {
		}), "s1");
		ShardWorld.soon().until(() -> reconcilesOf("s1", "a").get() > 0);
		this.world.drain("a");
		ShardWorld.soon().untilAsserted(() -> assertThat(this.world.labels("a")).isEqualTo(Map.of("x", "y")));
	}

	@Test
	void withoutTheCheckItDoesNotWait() {
		this.world.options = this.world.options.withHandOver(HandOverOptions.DEFAULTS.withTakeOverCheck(false));
		CountDownLatch mayLearn = new CountDownLatch(1);
		withBlockedChildren(mayLearn);
		takeOver();
		try {
			ShardWorld.soon().until(() -> reconcilesOf("s1", "a").get() > 0);
		}
		finally {
			mayLearn.countDown();
		}
	}

	@Test
	void withoutTheCheckASecondChildIsCreated() throws Exception {
		int before = childrenMadeWhileTheWatchOfChildrenIsHeldBack(false);
		ShardWorld.soon().until(() -> children().size() == before + 1);
	}

	@Test
	void withTheCheckNoSecondChildIsCreatedThoughTheWatchIsHeldBack() throws Exception {
		int before = childrenMadeWhileTheWatchOfChildrenIsHeldBack(true);
		ShardWorld.forAWhile().until(() -> children().size() == before && reconcilesOf("s1", "a").get() == 0);
		this.held.complete(null);
		ShardWorld.soon().until(() -> reconcilesOf("s1", "a").get() > 0);
		assertThat(children()).hasSize(before);
	}

	/*
	 * Of two events, the assignment of an object comes, and the child that its previous
	 * owner made does not: each resource has a watch of its own.
	 */
	private int childrenMadeWhileTheWatchOfChildrenIsHeldBack(boolean check) throws Exception {
		this.world.options = this.world.options.withHandOver(HandOverOptions.DEFAULTS.withTakeOverCheck(check));
		AtomicBoolean holding = new AtomicBoolean();
		TcpProxy proxy = TcpProxy.to(this.cluster.apiServer());
		this.world.alsoClose(proxy);
		RequestThrottle throttle = (request) -> (request.query().containsKey("watch") && holding.get()
				&& request.path().endsWith("/configmaps")) ? new HeldPassage(this.held) : null;
		KubernetesClient client = ThrottledClient.of(
				new KubernetesClientBuilder().withConfig(this.cluster.admin().through(proxy).config()).build(),
				throttle);
		this.world.alsoClose(client);
		Shard shard = running(this.world.shard("s1", client, null), "s1");
		holding.set(true);
		proxy.cut();
		takeOver();
		assertThat(shard.phase()).isEqualTo(RuntimePhase.RUNNING);
		return 1;
	}

	@Test
	void aStopUnderLoadEndsOrGivesBackEveryReconcileAndReleasesTheLease() throws Exception {
		List<String> begun = new CopyOnWriteArrayList<>();
		List<String> ended = new CopyOnWriteArrayList<>();
		Shard shard = this.world.shard("s1");
		ResourceCache<Secret> secrets = shard.caches().of(ShardWorld.SECRETS);
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			begun.add(secret.getMetadata().getName());
			for (int i = 0; i < 3; i++) {
				String value = String.valueOf(i);
				secret = secrets.patch(secret, (copy) -> ShardWorld.annotated(copy, "step", value));
			}
			ended.add(secret.getMetadata().getName());
			return Result.done();
		}).build());
		for (int i = 0; i < 100; i++) {
			this.world.secretOf("s1", "s" + i);
		}
		shard.start();
		ShardWorld.soon().until(() -> ended.size() >= 10);
		shard.close();
		Lease lease = this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(this.world.shardName("s1"))
			.get();
		assertThat(lease.getSpec().getHolderIdentity()).isEmpty();
		assertThat(ended).containsExactlyInAnyOrderElementsOf(begun);
		List<String> atTheEnd = List.copyOf(begun);
		ShardWorld.forAWhile().until(() -> begun.equals(atTheEnd));
		List<String> halfDone = this.world.client.secrets()
			.inNamespace(this.world.namespace)
			.list()
			.getItems()
			.stream()
			.filter((secret) -> Set.of("0", "1").contains(ShardWorld.annotation(secret, "step")))
			.map((secret) -> secret.getMetadata().getName())
			.toList();
		assertThat(halfDone).isEmpty();
	}

	/** A shard that does not learn of ConfigMaps until it may. */
	private Shard withBlockedChildren(CountDownLatch mayLearn) {
		Shard shard = running("s1");
		blockChildren(shard, mayLearn);
		return shard;
	}

	private static void blockChildren(Shard shard, CountDownLatch mayLearn) {
		((InformerCaches) shard.caches()).informer(ShardWorld.CONFIG_MAPS, true).addObserver((event) -> {
			if (event instanceof InformerEvent.Added<ConfigMap>) {
				await(mayLearn);
			}
		});
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void assignFirst(Secret secret, String shard) {
		this.world.merge(secret.getMetadata().getName(),
				LabelPatch
					.assignFirst(this.world.ring, this.world.shardName(shard),
							secret.getMetadata().getResourceVersion())
					.toJson());
	}

	private Map<String, String> first(String shard, String mark) {
		return Map.of(ShardingLabels.shard(this.world.ring), this.world.shardName(shard),
				ShardingLabels.first(this.world.ring), mark);
	}

	private void takeOver() {
		Secret secret = this.world.secret("a", Map.of(), (metadata) -> {
		});
		label(this.world.client.resource(child(secret)).create(), "s1");
		this.world.assign("a", "s1");
	}

	private Shard running(String name) {
		return running(this.world.shard(name), name);
	}

	private Shard running(Shard shard, String name) {
		ResourceCache<ConfigMap> configMaps = shard.caches().of(ShardWorld.CONFIG_MAPS);
		if (!this.owns) {
			shard.addSharded(ShardWorld.CONFIG_MAPS);
		}
		ControllerSpec.Builder<Secret> spec = ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			reconcilesOf(name, secret.getMetadata().getName()).incrementAndGet();
			if (configMaps.list().stream().noneMatch((child) -> isOf(child, secret.getMetadata().getName()))) {
				configMaps.create(child(secret));
			}
			return Result.done();
		});
		shard.add((this.owns ? spec.owns(ShardWorld.CONFIG_MAPS) : spec).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		return shard;
	}

	private record HeldPassage(CompletableFuture<Void> admitted) implements RequestThrottle.Passage {

		@Override
		public void received(ByteBuffer chunk) {
			// Counts nothing.
		}

		@Override
		public void ended(@Nullable Throwable failure) {
			// Costs nothing.
		}

	}

	private AtomicInteger reconcilesOf(String shard, String name) {
		return this.reconciles.computeIfAbsent(shard + "/" + name, (absent) -> new AtomicInteger());
	}

	private List<ConfigMap> children() {
		return this.world.client.configMaps().inNamespace(this.world.namespace).list().getItems();
	}

	private static boolean isOf(ConfigMap child, String name) {
		return child.getMetadata().getOwnerReferences().stream().anyMatch((owner) -> owner.getName().equals(name));
	}

	private void label(ConfigMap child, String shard) {
		this.world.client.resource(child)
			.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"labels\":{\"%s\":\"%s\"}}}"
				.formatted(ShardingLabels.shard(this.world.ring), this.world.shardName(shard)));
	}

	private ConfigMap child(Secret secret) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.world.namespace)
			.withGenerateName(secret.getMetadata().getName() + "-")
			.withOwnerReferences(new OwnerReferenceBuilder().withApiVersion("v1")
				.withKind("Secret")
				.withName(secret.getMetadata().getName())
				.withUid(secret.getMetadata().getUid())
				.withController(true)
				.build())
			.endMetadata()
			.build();
	}

}

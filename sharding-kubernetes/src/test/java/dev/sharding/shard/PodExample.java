package dev.sharding.shard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.CustomResourceDefinitions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The controller with which a stale cache shows at once: an object owns one Pod with a
 * generated name, users change the prefix of that name all the time, and each change
 * deletes the Pod and creates another. A watch of its own counts the Pods.
 */
final class PodExample implements Reconciler<PrefixedPod>, AutoCloseable {

	private static final ResourceType<Pod> PODS = ResourceType.of(Pod.class);

	private static final ResourceType<PrefixedPod> PREFIXED_PODS = ResourceType.of(PrefixedPod.class);

	private static final int OBJECTS = 4;

	private final KubernetesClient client;

	private final ShardWorld world;

	private final Freshness freshness;

	private final Way way;

	private final ResourceCache<Pod> pods;

	private final ResourceCache<PrefixedPod> objects;

	private final Informer<Pod> judge;

	private final AtomicInteger reconciles = new AtomicInteger();

	private final Map<String, Semaphore> turns = new ConcurrentHashMap<>();

	/**
	 * Names of the Pods that there are, by the uid of their owner; for the judge only.
	 */
	private final Map<String, Set<String>> alive = new ConcurrentHashMap<>();

	private final AtomicInteger seenPods = new AtomicInteger();

	private final AtomicInteger mostAtOnce = new AtomicInteger();

	private final AtomicInteger tooMany = new AtomicInteger();

	PodExample(KubernetesClient client, String namespace, Freshness freshness) {
		this(client, namespace, freshness, Way.UPDATE_STATUS);
	}

	/**
	 * @param way how it writes
	 */
	PodExample(KubernetesClient client, String namespace, Freshness freshness, Way way) {
		this.client = client;
		this.freshness = freshness;
		this.way = way;
		CustomResourceDefinitions.apply(client, "/crds/prefixedpods.yaml");
		client
			.resource(new ServiceAccountBuilder().withNewMetadata()
				.withNamespace(namespace)
				.withName("default")
				.endMetadata()
				.build())
			.serverSideApply();
		this.judge = new Informer<>(client, InformerSpec.of(PODS).inNamespaces(Set.of(namespace)));
		this.judge.addHandler(this::count);
		this.judge.start();
		this.judge.synced().orTimeout(60, TimeUnit.SECONDS).join();
		this.world = new ShardWorld(client, namespace);
		Shard shard = this.world.shard("s1");
		this.pods = shard.caches().of(Pod.class);
		this.objects = shard.caches().of(PrefixedPod.class);
		shard.add(ControllerSpec.of(PREFIXED_PODS, this).owns(PODS).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
	}

	@Override
	public Result reconcile(PrefixedPod object) {
		this.reconciles.incrementAndGet();
		this.turns.computeIfAbsent(object.getMetadata().getName(), (name) -> new Semaphore(0)).release();
		if (this.way == Way.OUTSIDE) {
			return reconcileOutside(object);
		}
		List<Pod> present = this.pods.list(ListOptions.all()
			.inNamespace(object.getMetadata().getNamespace())
			.controlledBy(object)
			.freshness(this.freshness));
		if (present.isEmpty()) {
			return withStatus(object, this.pods.create(podOf(object)));
		}
		Pod pod = present.get(0);
		if (!pod.getMetadata().getName().startsWith(object.getSpec().podNamePrefix)) {
			this.pods.delete(pod);
			return Result.requeue();
		}
		return (object.getStatus() == null || !pod.getMetadata().getName().equals(object.getStatus().generatedPodName))
				? withStatus(object, pod) : Result.done();
	}

	/*
	 * As if Pods were nothing of Kubernetes: no cache shows them, and only the status
	 * tells which one is ours, from before it is made.
	 */
	private Result reconcileOutside(PrefixedPod object) {
		String known = (object.getStatus() != null) ? object.getStatus().generatedPodName : null;
		PodResource pod = (known != null) ? pod(known) : null;
		boolean fits = known != null && known.startsWith(object.getSpec().podNamePrefix);
		if (pod != null && pod.get() != null) {
			if (fits) {
				return Result.done();
			}
			pod.withGracePeriod(0).delete();
			return Result.requeue();
		}
		String name = fits ? known : object.getSpec().podNamePrefix + UUID.randomUUID();
		Result result = withStatus(object, new PodBuilder().withNewMetadata().withName(name).endMetadata().build());
		this.client.resource(new PodBuilder(podOf(object)).editMetadata().withName(name).endMetadata().build())
			.create();
		return result;
	}

	private PodResource pod(String name) {
		return this.client.pods().inNamespace(this.world.namespace).withName(name);
	}

	/** Changes prefixes until there have been so many reconciles. */
	PodExample play(int wanted) throws Exception {
		return playUntil(() -> this.reconciles.get() >= wanted);
	}

	/** Changes prefixes until an object has two Pods, or until so many reconciles. */
	PodExample playUntilTwoPods(int atMost) throws Exception {
		return playUntil(() -> this.mostAtOnce.get() > 1 || this.reconciles.get() >= atMost);
	}

	private PodExample playUntil(BooleanSupplier enough) throws Exception {
		ExecutorService users = Executors.newFixedThreadPool(OBJECTS);
		List<Future<?>> running = new ArrayList<>();
		for (int i = 0; i < OBJECTS; i++) {
			String name = "object-" + i;
			Semaphore turn = this.turns.computeIfAbsent(name, (absent) -> new Semaphore(0));
			this.client.resource(object(name)).create();
			running.add(users.submit(() -> {
				for (int change = 0; !enough.getAsBoolean(); change++) {
					if (turn.tryAcquire(2, 20, TimeUnit.SECONDS)) {
						changePrefix(name, "p" + change + "-");
					}
				}
				return true;
			}));
		}
		users.shutdown();
		for (Future<?> each : running) {
			each.get(30, TimeUnit.MINUTES);
		}
		return this;
	}

	/** Waits until each object has its one Pod and says so. */
	void settle() {
		ShardWorld.soon().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
			Set<String> wanted = new HashSet<>();
			for (PrefixedPod object : this.client.resources(PrefixedPod.class)
				.inNamespace(this.world.namespace)
				.list()
				.getItems()) {
				String name = object.getStatus().generatedPodName;
				assertThat(name).startsWith(object.getSpec().podNamePrefix);
				wanted.add(name);
			}
			assertThat(wanted).hasSize(OBJECTS);
			assertThat(this.client.pods().inNamespace(this.world.namespace).list().getItems())
				.extracting((pod) -> pod.getMetadata().getName())
				.containsExactlyInAnyOrderElementsOf(wanted);
		});
	}

	int reconciles() {
		return this.reconciles.get();
	}

	/** How many Pods of one object were seen together, at most. */
	int mostPodsAtOnce() {
		this.judge.refresh().orTimeout(60, TimeUnit.SECONDS).join();
		System.out.printf(
				"freshness=%s way=%s: %d reconciles, %d Pods, %d of them beside another one of their object%n",
				this.freshness, this.way, this.reconciles.get(), this.seenPods.get(), this.tooMany.get());
		return this.mostAtOnce.get();
	}

	@Override
	public void close() throws Exception {
		this.world.close();
		this.judge.close();
		this.client.resources(PrefixedPod.class).inNamespace(this.world.namespace).delete();
		this.client.pods().inNamespace(this.world.namespace).delete();
	}

	private Result withStatus(PrefixedPod object, Pod pod) {
		PrefixedPod.Status status = new PrefixedPod.Status();
		status.generatedPodName = pod.getMetadata().getName();
		if (this.way == Way.PATCH_STATUS) {
			this.objects.patchStatus(object, (current) -> {
				current.setStatus(status);
				return current;
			});
			return Result.requeue();
		}
		object.setStatus(status);
		switch (this.way) {
			case APPLY_STATUS -> this.objects.applyStatus(object);
			case ENSURE_STATUS, OUTSIDE -> this.objects.ensureStatus(object);
			default -> this.objects.updateStatus(object);
		}
		return Result.requeue();
	}

	private void count(InformerEvent<Pod> event) {
		if (event instanceof InformerEvent.Added<Pod> added) {
			Set<String> pods = this.alive.computeIfAbsent(owner(added.object()), (uid) -> new HashSet<>());
			pods.add(added.object().getMetadata().getName());
			this.seenPods.incrementAndGet();
			this.mostAtOnce.accumulateAndGet(pods.size(), Math::max);
			this.tooMany.addAndGet((pods.size() > 1) ? 1 : 0);
		}
		else if (event instanceof InformerEvent.Removed<Pod> removed) {
			this.alive.get(owner(removed.last())).remove(removed.last().getMetadata().getName());
		}
	}

	private static String owner(Pod pod) {
		return pod.getMetadata().getOwnerReferences().get(0).getUid();
	}

	private void changePrefix(String name, String prefix) {
		this.client.resources(PrefixedPod.class)
			.inNamespace(this.world.namespace)
			.withName(name)
			.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"podNamePrefix\":\"" + prefix + "\"}}");
	}

	private PrefixedPod object(String name) {
		PrefixedPod object = new PrefixedPod();
		object.setMetadata(new ObjectMetaBuilder().withNamespace(this.world.namespace)
			.withName(name)
			.withLabels(this.world.assigned("s1"))
			.build());
		object.setSpec(new PrefixedPod.Spec());
		object.getSpec().podNamePrefix = "first-";
		return object;
	}

	private static Pod podOf(PrefixedPod object) {
		return new PodBuilder().withNewMetadata()
			.withNamespace(object.getMetadata().getNamespace())
			.withGenerateName(object.getSpec().podNamePrefix)
			.withOwnerReferences(new OwnerReferenceBuilder().withApiVersion(object.getApiVersion())
				.withKind(object.getKind())
				.withName(object.getMetadata().getName())
				.withUid(object.getMetadata().getUid())
				.withController(true)
				.build())
			.endMetadata()
			.withNewSpec()
			.withAutomountServiceAccountToken(false)
			.addNewContainer()
			.withName("main")
			.withImage("example.com/main")
			.endContainer()
			.endSpec()
			.build();
	}

	/** How it says in the status which Pod there is, and where it looks for that. */
	enum Way {

		/** The status as a whole, the Pods of an owner in the cache. */
		UPDATE_STATUS,
		/** What changes of the status. */
		PATCH_STATUS,
		/** The status as applied by the server. */
		APPLY_STATUS,
		/** The same, if it differs. */
		ENSURE_STATUS,
		/** The status first, and no cache for what it names. */
		OUTSIDE

	}

}

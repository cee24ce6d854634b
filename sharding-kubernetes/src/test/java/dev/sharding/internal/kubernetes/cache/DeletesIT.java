package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.DeleteOptions;
import dev.sharding.cache.DeleteOptions.Propagation;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Every way to end an object, on a real API server: when the call has returned, each form
 * of read shows what the API server has, no more and no less (contract C3).
 */
@ControlPlaneTest
class DeletesIT {

	private static final String FINALIZER = "test.sharding.dev/wait";

	private static final int STEPS = Integer.getInteger("deletes.steps", 150);

	private static final DeleteOptions PLAIN = DeleteOptions.defaults();

	private final KubernetesClient client;

	private final String namespace;

	private final InformerCaches caches;

	private ResourceCache<Pod> pods;

	private ResourceCache<ConfigMap> maps;

	DeletesIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		this.caches = new InformerCaches(client, new ApiRequests(client),
				new CacheScope(Set.of(namespace), "", "", "cache-test", false),
				new ObjectCopier(client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
	}

	@BeforeEach
	void start() {
		this.pods = this.caches.of(Pod.class);
		this.maps = this.caches.of(ConfigMap.class);
		this.caches.index(ResourceType.of(Pod.class), "name", (pod) -> List.of(pod.getMetadata().getName()));
		this.caches.index(ResourceType.of(ConfigMap.class), "name", (map) -> List.of(map.getMetadata().getName()));
		this.caches.start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
	}

	@AfterEach
	void close() {
		this.caches.close();
		this.client.configMaps()
			.inNamespace(this.namespace)
			.list()
			.getItems()
			.forEach((map) -> this.client.resource(map)
				.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}"));
		this.client.configMaps().inNamespace(this.namespace).delete();
		this.client.pods().inNamespace(this.namespace).withGracePeriod(0).delete();
		this.client.policy().v1().podDisruptionBudget().inNamespace(this.namespace).delete();
	}

	@Test
	void aPodThatEndsGracefullyIsSeenWithItsDeletionTimestamp() {
		Pod pod = this.pods.create(pod("graceful", "node"));
		this.pods.delete(pod, PLAIN.gracePeriod(Duration.ofSeconds(17)));
		agree(this.pods, pod);
		Pod ending = this.pods.get(ObjectKey.of(pod), Freshness.READ_YOUR_WRITES).orElseThrow();
		assertThat(ending.getMetadata().getDeletionTimestamp()).isNotNull();
		assertThat(ending.getMetadata().getDeletionGracePeriodSeconds()).isEqualTo(17);
		this.pods.delete(ending, PLAIN.gracePeriod(Duration.ZERO));
		agree(this.pods, pod);
		assertThat(this.pods.get(ObjectKey.of(pod), Freshness.READ_YOUR_WRITES)).isEmpty();
		comesToRest();
	}

	@Test
	void aBusyPodIsDeletedInWhateverStateItIs() throws InterruptedException {
		AtomicBoolean busy = new AtomicBoolean(true);
		Pod pod = this.pods.create(pod("busy", "node"));
		Thread kubelet = new Thread(() -> {
			for (int i = 0; busy.get(); i++) {
				this.client.resource(pod)
					.patch(PatchContext.of(PatchType.JSON_MERGE),
							"{\"metadata\":{\"annotations\":{\"n\":\"" + i + "\"}}}");
			}
		});
		kubelet.start();
		try {
			Awaitility.await()
				.atMost(Duration.ofSeconds(90))
				.until(() -> !live(pod).getMetadata()
					.getResourceVersion()
					.equals(pod.getMetadata().getResourceVersion()));
			assertConflict(() -> this.pods.delete(pod, PLAIN.onlyIfUnchanged()));
			this.pods.delete(pod);
			assertThat(this.pods.get(ObjectKey.of(pod), Freshness.READ_YOUR_WRITES))
				.hasValueSatisfying((read) -> assertThat(read.getMetadata().getDeletionTimestamp()).isNotNull());
		}
		finally {
			busy.set(false);
			kubelet.join();
		}
		this.pods.delete(pod, PLAIN.gracePeriod(Duration.ZERO));
		agree(this.pods, pod);
		comesToRest();
	}

	@Test
	void aNamesakeIsLeftAlone() {
		ConfigMap old = this.maps.create(map("namesake", false));
		this.maps.delete(old);
		ConfigMap anew = this.maps.create(map("namesake", false));
		assertConflict(() -> this.maps.delete(old));
		assertConflict(() -> this.maps.delete(old, PLAIN.onlyIfUnchanged()));
		agree(this.maps, anew);
		// What has neither uid nor version stands for what is seen.
		this.maps.delete(map("namesake", false));
		agree(this.maps, anew);
		assertThat(live(anew)).isNull();
		this.maps.delete(map("namesake", false));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.maps.delete(map("namesake", false), PLAIN.onlyIfUnchanged()))
			.withMessageContaining(this.namespace + "/namesake if it is unchanged: it has no resource version");
		comesToRest();
	}

	@Test
	void whatTheCacheHasNotSeenYetIsDeletedByItsName() {
		ConfigMap unseen = this.client.resource(map("unseen", false)).create();
		this.maps.delete(map("unseen", false));
		agree(this.maps, unseen);
		assertThat(live(unseen)).isNull();
		comesToRest();
	}

	@Test
	void dependentsAreDealtWithAsAsked() {
		for (Propagation propagation : Propagation.values()) {
			ConfigMap map = this.maps.create(map(propagation.name().toLowerCase(Locale.ROOT), false));
			this.maps.delete(map, PLAIN.propagation(propagation));
			agree(this.maps, map);
			ConfigMap left = live(map);
			if (propagation == Propagation.BACKGROUND) {
				assertThat(left).isNull();
			}
			else {
				assertThat(left.getMetadata().getFinalizers())
					.containsExactly((propagation == Propagation.ORPHAN) ? "orphan" : "foregroundDeletion");
			}
		}
		comesToRest();
	}

	@Test
	void anEvictionIsSeenAtOnce() {
		Pod unscheduled = this.pods.create(pod("unscheduled", null));
		this.pods.evict(unscheduled, PLAIN);
		agree(this.pods, unscheduled);
		assertThat(live(unscheduled)).isNull();
		Pod scheduled = this.pods.create(pod("scheduled", "node"));
		this.pods.evict(scheduled, PLAIN.gracePeriod(Duration.ofSeconds(11)));
		agree(this.pods, scheduled);
		assertThat(live(scheduled).getMetadata().getDeletionGracePeriodSeconds()).isEqualTo(11);
		this.pods.delete(scheduled, PLAIN.gracePeriod(Duration.ZERO));
		this.pods.evict(scheduled, PLAIN);
		agree(this.pods, scheduled);
		assertConflict(() -> this.pods.evict(this.pods.create(pod("scheduled", "node"))
			.edit()
			.editMetadata()
			.withUid("another")
			.endMetadata()
			.build(), PLAIN));
		ConfigMap map = this.maps.create(map("map", false));
		assertThatIllegalArgumentException().isThrownBy(() -> this.maps.evict(map, PLAIN))
			.withMessageContaining("only Pods can be evicted");
		comesToRest();
	}

	@Test
	void anEvictionThatADisruptionBudgetForbidsChangesNothing() {
		this.client
			.resource(new PodDisruptionBudgetBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("budget")
				.endMetadata()
				.withNewSpec()
				.withMinAvailable(new IntOrString(1))
				.withNewSelector()
				.addToMatchLabels("name", "needed")
				.endSelector()
				.endSpec()
				.build())
			.create();
		Pod pod = this.pods.create(pod("needed", "node"));
		Pod running = this.pods.patchStatus(pod,
				(wanted) -> new PodBuilder(wanted).editOrNewStatus()
					.withPhase("Running")
					.addNewCondition()
					.withType("Ready")
					.withStatus("True")
					.endCondition()
					.endStatus()
					.build());
		agree(this.pods, running);
		// The controller that judges budgets does not run here, which is a no as well.
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> this.pods.evict(running, PLAIN))
			.satisfies((ex) -> assertThat(ex.status()).isEqualTo(429))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo("TooManyRequests"))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isPositive());
		agree(this.pods, running);
		assertThat(live(running).getMetadata().getDeletionTimestamp()).isNull();
	}

	@Test
	void fiftyAreDeletedAsACollection() {
		List<ConfigMap> made = IntStream.range(0, 50)
			.mapToObj((i) -> this.maps.create(map("many-" + i, i % 2 == 0)))
			.toList();
		ConfigMap other = this.maps.create(new ConfigMapBuilder(map("other", false)).editMetadata()
			.addToLabels("kind", "kept")
			.endMetadata()
			.build());
		ListOptions ours = ListOptions.all().inNamespace(this.namespace).withLabels(Map.of("kind", "test"));
		assertThat(this.maps.deleteCollection(ours, PLAIN)).isEqualTo(50);
		made.forEach((map) -> agree(this.maps, map));
		agree(this.maps, other);
		assertThat(this.maps.list(ours)).hasSize(25)
			.allSatisfy((map) -> assertThat(map.getMetadata().getDeletionTimestamp()).isNotNull());
		this.maps.list(ours).forEach((map) -> this.maps.patch(map, DeletesIT::free));
		assertThat(this.maps.list(ours)).isEmpty();
		made.forEach((map) -> agree(this.maps, map));
		assertThat(this.maps.deleteCollection(ours, PLAIN)).isZero();
		assertThatIllegalArgumentException().isThrownBy(() -> this.maps.deleteCollection(ours.limit(1), PLAIN));
		assertThatIllegalArgumentException().isThrownBy(() -> ours.controlledBy(map("without-uid", false)))
			.withMessageContaining("'metadata.uid' of the controller");
		comesToRest();
	}

	@Test
	void deletesOfAnotherClientCanBeHandedIn() {
		List<ConfigMap> made = IntStream.range(0, 20)
			.mapToObj((i) -> this.maps.create(map("raw-" + i, i % 3 == 0)))
			.toList();
		this.client.configMaps().inNamespace(this.namespace).withLabel("kind", "test").delete();
		made.forEach(this.maps::handInDeleted);
		made.forEach((map) -> agree(this.maps, map));
		Pod pod = this.pods.create(pod("raw", "node"));
		this.client.pods().inNamespace(this.namespace).withName("raw").evict();
		this.pods.handInDeleted(pod);
		agree(this.pods, pod);
		comesToRest();
	}

	@Test
	void noSequenceOfWritesLeavesAReaderBehind() {
		long seed = Long.getLong("deletes.seed", System.nanoTime());
		Random random = new Random(seed);
		for (int step = 0; step < STEPS; step++) {
			String name = "r" + random.nextInt(3);
			ConfigMap seen = this.maps.get(this.namespace, name).orElse(null);
			String what = (seen == null) ? "create" : act(random.nextInt(7), seen);
			if (seen == null) {
				this.maps.create(map(name, random.nextBoolean()));
			}
			agree(this.maps, map(name, false), "seed %d, step %d, %s of %s".formatted(seed, step, what, name));
		}
		comesToRest();
	}

	private String act(int choice, ConfigMap seen) {
		boolean ending = seen.getMetadata().getDeletionTimestamp() != null;
		return switch (choice) {
			case 0 -> done("delete", () -> this.maps.delete(seen));
			case 1 -> done("delete if unchanged", () -> this.maps.delete(seen, PLAIN.onlyIfUnchanged()));
			case 2 -> done("foreign delete", () -> {
				this.client.resource(seen).delete();
				this.maps.handInDeleted(seen);
			});
			case 3 -> done("delete by name", () -> this.maps.delete(map(seen.getMetadata().getName(), false)));
			case 4 -> done("delete of all", () -> this.maps
				.deleteCollection(ListOptions.all().withLabels(Map.of("name", seen.getMetadata().getName())), PLAIN));
			case 5 -> done("patch", () -> this.maps.patch(seen, (map) -> ending ? free(map) : touched(map)));
			default -> done("apply", () -> this.maps.apply(touched(map(seen.getMetadata().getName(), ending))));
		};
	}

	private static String done(String what, Runnable action) {
		action.run();
		return what;
	}

	private <T extends HasMetadata> void agree(ResourceCache<T> cache, T object) {
		agree(cache, object, "reads of " + ObjectKey.of(object));
	}

	/** Nobody else writes here, so that readers must see what the API server has. */
	private <T extends HasMetadata> void agree(ResourceCache<T> cache, T object, String what) {
		ObjectKey key = ObjectKey.of(object);
		T live = live(object);
		List<String> expected = (live != null) ? List.of(live.getMetadata().getResourceVersion()) : List.of();
		assertThat(versions(cache.get(key, Freshness.READ_YOUR_WRITES).stream().toList(), key)).as(what)
			.isEqualTo(expected);
		assertThat(versions(cache.list(ListOptions.all().inNamespace(this.namespace)), key)).as(what)
			.isEqualTo(expected);
		assertThat(versions(cache.list(ListOptions.all().withLabels(Map.of("name", key.name()))), key)).as(what)
			.isEqualTo(expected);
		assertThat(versions(cache.byIndex("name", key.name()), key)).as(what).isEqualTo(expected);
	}

	private static <T extends HasMetadata> List<String> versions(List<T> found, ObjectKey key) {
		return found.stream()
			.filter((each) -> ObjectKey.of(each).equals(key))
			.map((each) -> each.getMetadata().getResourceVersion())
			.toList();
	}

	@SuppressWarnings("NullAway")
	private <T extends HasMetadata> T live(T object) {
		return this.client.resource(object).get();
	}

	private static void assertConflict(Runnable write) {
		assertThatExceptionOfType(ApiException.class).isThrownBy(write::run)
			.satisfies((ex) -> assertThat(ex.status()).isEqualTo(409));
	}

	/** A later write tells at once what deletes would otherwise be asked about. */
	private void comesToRest() {
		this.maps.create(map("end", false));
		this.pods.create(pod("end", "node"));
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.pollInterval(Duration.ofMillis(100))
			.until(() -> this.caches.overlayStatuses().values().stream().allMatch(OverlayStatus::isEmpty));
	}

	private static ConfigMap free(ConfigMap map) {
		return new ConfigMapBuilder(map).editMetadata().withFinalizers().endMetadata().build();
	}

	private static ConfigMap touched(ConfigMap map) {
		return new ConfigMapBuilder(map).addToData("touched", Long.toString(System.nanoTime())).build();
	}

	private ConfigMap map(String name, boolean held) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.addToLabels("name", name)
			.addToLabels("kind", "test")
			.withFinalizers(held ? List.of(FINALIZER) : List.of())
			.endMetadata()
			.build();
	}

	private Pod pod(String name, @Nullable String node) {
		return new PodBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.addToLabels("name", name)
			.endMetadata()
			.withNewSpec()
			.withNodeName(node)
			.addNewContainer()
			.withName("main")
			.withImage("none")
			.endContainer()
			.endSpec()
			.build();
	}

}

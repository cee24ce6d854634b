package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Own writes that are refused, or whose fate is unknown.
 */
class OverlayFaultIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	private final OverlayWorld world;

	OverlayFaultIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new OverlayWorld(cluster, client, namespace);
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void aWriteThatNeverGotThereHasNotHappened() {
		InformerCaches caches = this.world.caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap made = cache.create(this.world.configMap("a", "1"));
		this.world.writes.refuse();
		assertUnknown(() -> cache.create(this.world.configMap("b", "1")));
		assertUnknown(() -> cache.update(OverlayWorld.changed(made, "2")));
		assertUnknown(() -> cache.delete(made));
		this.world.writes.heal();
		assertThat(cache.get(this.world.namespace, "a").orElseThrow().getData()).containsEntry("n", "1");
		assertThat(cache.get(this.world.namespace, "b")).isEmpty();
		assertThat(cache.list(this.world.here())).hasSize(1);
		this.world.comesToRest(caches);
	}

	@Test
	void aWriteWhoseAnswerIsLostIsSeenThoughTheWatchIsSilent() {
		InformerCaches caches = this.world.caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap changed = cache.create(this.world.configMap("changed", "1"));
		ConfigMap gone = cache.create(this.world.configMap("gone", "1"));
		OverlayWorld.soon().until(() -> cache.list(this.world.here().freshness(Freshness.ANY)).size() == 2);
		this.world.watches.pauseResponses();
		loseAnswer(() -> cache.create(this.world.configMap("made", "1")), () -> this.world.onServer("made") != null);
		assertThat(cache.get(this.world.namespace, "made")).isPresent();
		loseAnswer(() -> cache.update(OverlayWorld.changed(changed, "2")),
				() -> "2".equals(this.world.onServer("changed").getData().get("n")));
		loseAnswer(() -> cache.delete(gone), () -> this.world.onServer("gone") == null);
		assertThat(cache.list(this.world.here())).extracting((map) -> map.getMetadata().getName())
			.containsExactlyInAnyOrder("made", "changed");
		assertThat(cache.byIndex("n", "2")).hasSize(1);
		assertThat(cache.get(this.world.namespace, "gone")).isEmpty();
		assertThat(cache.list(this.world.here().freshness(Freshness.ANY))).as("the watch").hasSize(2);
		this.world.watches.heal();
		this.world.comesToRest(caches);
		assertThat(cache.list(this.world.here())).hasSize(3);
	}

	@Test
	void whoReadsInDoubtWaitsNoLongerThanItSays() {
		InformerCaches caches = this.world.caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		String version = cache.create(this.world.configMap("a", "1")).getMetadata().getResourceVersion();
		OverlayWorld.soon().until(() -> cache.list(this.world.here().freshness(Freshness.ANY)).size() == 1);
		this.world.watches.pauseResponses();
		CompletableFuture<Void> lost = this.world.inFlight(() -> cache.create(this.world.configMap("b", "1")),
				() -> this.world.onServer("b") != null);
		this.world.writes.cut();
		assertThat(lost).failsWithin(Duration.ofSeconds(60)).withThrowableOfType(ExecutionException.class);
		Freshness brief = Freshness.atLeast(version).within(Duration.ofMillis(500));
		for (Runnable read : List.<Runnable>of(() -> cache.get(new ObjectKey(this.world.namespace, "b"), brief),
				() -> cache.list(this.world.here().freshness(brief)), () -> cache.byIndex("n", "1", brief),
				() -> cache.get(new ObjectKey(this.world.namespace, "b"), brief.orLive()))) {
			assertThat(CompletableFuture.runAsync(read)).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.havingCause()
				.isInstanceOfSatisfying(ConsistentReadException.class,
						(ex) -> assertThat(ex.reason()).isEqualTo(Reason.DEADLINE));
		}
		this.world.writes.heal();
		// So brief a read may still be too late where the machine is slow.
		OverlayWorld.soon()
			.ignoreExceptionsInstanceOf(ConsistentReadException.class)
			.untilAsserted(
					() -> assertThat(cache.get(new ObjectKey(this.world.namespace, "b"), brief.orLive())).isPresent());
		this.world.watches.heal();
		this.world.comesToRest(caches);
	}

	@Test
	void aForbiddenWriteLeavesNothing() {
		KubernetesClient reader = this.world.cluster
			.userIn("reader", this.world.namespace,
					new PolicyRuleBuilder().withApiGroups("")
						.withResources("configmaps")
						.withVerbs("get", "list", "watch")
						.build())
			.client();
		ConfigMap made = this.world.client.resource(this.world.configMap("a", "1")).create();
		InformerCaches caches = this.world.caches(reader, reader);
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		List<Runnable> attempts = List.of(() -> cache.create(this.world.configMap("b", "1")),
				() -> cache.update(OverlayWorld.changed(made, "2")),
				() -> cache.patch(made, (map) -> OverlayWorld.changed(map, "2")),
				() -> cache.apply(this.world.configMap("a", "2")), () -> cache.delete(made));
		for (Runnable attempt : attempts) {
			assertThatExceptionOfType(ApiException.class).isThrownBy(attempt::run)
				.satisfies((ex) -> assertThat(ex.status()).isEqualTo(403));
		}
		assertThat(cache.list(this.world.here())).singleElement()
			.satisfies((map) -> assertThat(map.getData()).containsEntry("n", "1"));
		assertThat(caches.overlayStatuses().values()).allMatch(OverlayStatus::isEmpty);
	}

	/** Sends a write of which the API server learns, and its sender nothing. */
	private void loseAnswer(Runnable write, Callable<Boolean> happened) {
		CompletableFuture<Void> sent = this.world.inFlight(write, happened);
		this.world.writes.refuse();
		assertThat(sent).failsWithin(Duration.ofSeconds(60))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(ApiException.class);
		this.world.writes.heal();
	}

	private static void assertUnknown(Runnable write) {
		assertThatExceptionOfType(ApiException.class).isThrownBy(write::run)
			.satisfies((ex) -> assertThat(ex.isAnswered()).isFalse());
	}

}

package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.sharding.internal.kubernetes.informer.store.Reflector;
import dev.sharding.internal.kubernetes.informer.store.Store;
import dev.sharding.internal.kubernetes.informer.store.StorePart;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Whoever asks for a list gets one that starts later, whatever list is under way.
 */
@ControlPlaneTest
class RelistIT {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final KubernetesClient admin;

	private final String namespace;

	private final TcpProxy line;

	private final KubernetesClient client;

	private final CountingSerialization serialization = new CountingSerialization();

	private final StorePart<ConfigMap> part;

	private final Reflector<ConfigMap> reflector;

	private final Thread thread;

	private final List<Long> told = new CopyOnWriteArrayList<>();

	RelistIT(ControlPlane cluster, KubernetesClient admin, @TestNamespace String namespace) {
		this.admin = admin;
		this.namespace = namespace;
		this.line = TcpProxy.to(cluster.apiServer());
		this.client = cluster.admin().through(this.line).client();
		InformerSpec<ConfigMap> spec = InformerSpec.of(ResourceType.of(ConfigMap.class))
			.inNamespaces(Set.of(namespace))
			.withTimings(InformerTimings.DEFAULT.withRetry(Duration.ofMillis(50), Duration.ofMillis(500)));
		Store<ConfigMap> store = new Store<>(Set.of(namespace), Map.of(), (event) -> {
		});
		this.part = store.parts().get(0);
		ApiRequests api = new ApiRequests(this.client);
		this.reflector = new Reflector<>("test", api, api, this.serialization, spec, this.part,
				new ReflectorStatus("test", InstantSource.system(), System::nanoTime, () -> {
				}), () -> 0L, System::nanoTime);
		this.thread = new Thread(this.reflector, "reflector");
		this.thread.setDaemon(true);
	}

	@AfterEach
	void close() {
		this.reflector.close();
		this.thread.interrupt();
		this.line.close();
	}

	@Test
	void aListUnderWayIsEndedAndAnotherBegun() {
		for (int i = 0; i < 10; i++) {
			large("large-" + i);
		}
		// Half a minute for all of it.
		this.line.throttle(40_000);
		this.thread.start();
		// Long enough for the answer to begin, and not for its end.
		await().pollDelay(Duration.ofSeconds(2)).atMost(PATIENCE).until(this.part::isRelisting);
		this.part.afterNextRelist(() -> this.told.add(this.part.relists()));
		this.reflector.relist();
		this.line.heal();
		await().atMost(PATIENCE).until(() -> !this.told.isEmpty());
		assertThat(this.told).containsExactly(2L);
		await().atMost(PATIENCE).until(() -> this.reflector.status().isWatching());
		assertThat(this.part.relists()).isEqualTo(2);
	}

	@Test
	void aListThatFailsIsFollowedByOneThatCounts() {
		beginToList();
		this.part.afterNextRelist(() -> this.told.add(this.part.relists()));
		this.line.refuse();
		this.line.heal();
		await().atMost(PATIENCE).until(() -> !this.told.isEmpty());
		assertThat(this.told).containsExactly(1L);
	}

	@Test
	void aRelistThatFailsIsTriedAgain() {
		this.thread.start();
		await().atMost(PATIENCE).until(() -> this.reflector.status().isWatching());
		this.part.afterNextRelist(() -> this.told.add(this.part.relists()));
		this.line.refuse();
		this.reflector.relist();
		// Long enough for the list to begin and fail.
		await().pollDelay(Duration.ofSeconds(2)).atMost(PATIENCE).until(this.part::isRelisting);
		this.line.heal();
		await().atMost(PATIENCE).until(() -> !this.told.isEmpty());
		assertThat(this.told).containsExactly(2L);
		await().atMost(PATIENCE).until(() -> this.reflector.status().isWatching());
	}

	@Test
	void aWatchGivesWayToAList() {
		this.thread.start();
		await().atMost(PATIENCE).until(() -> this.reflector.status().isWatching());
		this.part.afterNextRelist(() -> this.told.add(this.part.relists()));
		this.reflector.relist();
		await().atMost(PATIENCE).until(() -> !this.told.isEmpty());
		assertThat(this.told).containsExactly(2L);
	}

	@Test
	void aRelistParsesOnlyWhatChanged() {
		for (int i = 0; i < 5; i++) {
			large("object-" + i);
		}
		this.thread.start();
		await().atMost(PATIENCE).until(() -> this.reflector.status().isWatching());
		// Counted, as a controller may add one of its own to the namespace meanwhile.
		Map<ObjectKey, String> before = Objects.requireNonNull(this.part.versions()).objects();
		this.serialization.parsed();
		this.line.refuse();
		await().atMost(PATIENCE).until(() -> !this.reflector.status().isWatching());
		this.admin.configMaps().inNamespace(this.namespace).withName("object-3").edit((object) -> {
			object.setData(Map.of("d", "changed"));
			return object;
		});
		this.part.afterNextRelist(() -> this.told.add(this.part.relists()));
		this.reflector.relist();
		this.line.heal();
		await().atMost(PATIENCE).until(() -> !this.told.isEmpty());
		Map<ObjectKey, String> after = Objects.requireNonNull(this.part.versions()).objects();
		long changed = after.entrySet().stream().filter((entry) -> !before.entrySet().contains(entry)).count();
		assertThat(changed).isBetween(1L, 2L);
		assertThat(this.serialization.parsed()).isEqualTo((int) changed);
	}

	@Test
	void aListThatIsAskedForWhileAWatchIsOpenedIsNotForgotten() {
		this.thread.start();
		await().atMost(PATIENCE).until(() -> this.reflector.status().isWatching());
		this.line.pauseResponses();
		this.reflector.reopen();
		// Long enough for the pause before the next watch, whose answer does not come.
		await().pollDelay(Duration.ofSeconds(2)).atMost(PATIENCE).until(() -> !this.reflector.status().isWatching());
		this.part.afterNextRelist(() -> this.told.add(this.part.relists()));
		this.reflector.relist();
		this.line.heal();
		await().atMost(PATIENCE).until(() -> !this.told.isEmpty());
		assertThat(this.told).containsExactly(2L);
	}

	private void large(String name) {
		this.admin
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.endMetadata()
				.addToData("d", "x".repeat(100_000))
				.build())
			.create();
	}

	private void beginToList() {
		this.line.pauseResponses();
		this.thread.start();
		await().atMost(PATIENCE).until(() -> this.part.isRelisting() && this.line.connections() > 0);
	}

}

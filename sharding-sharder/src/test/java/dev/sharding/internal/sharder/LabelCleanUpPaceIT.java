package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Labels of a ring that is gone, on objects whose patches meet trouble.
 */
@ControlPlaneTest
class LabelCleanUpPaceIT {

	private static final int OBJECTS = 300;

	private static final Duration ASKED = Duration.ofSeconds(4);

	private final World world;

	private final AnswerProxy proxy;

	private final KubernetesClient client;

	private final Gate requests = new Gate();

	/* When somebody was told to wait, or zero; negative before anybody may be. */
	private final AtomicLong told = new AtomicLong(-1);

	LabelCleanUpPaceIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "cleanup-pace");
		this.proxy = AnswerProxy.before(controlPlane.admin(), this.requests::pass, this::answer);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
		// The sharder keeps its account of rings there; whoever elects a leader makes it.
		client.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.serverSideApply();
	}

	@BeforeEach
	void assign() {
		this.world.withRing();
		this.world.shard("shard-a");
		ExecutorService threads = Executors.newFixedThreadPool(12);
		World.awaitAll(IntStream.range(0, OBJECTS)
			.mapToObj((i) -> threads.submit(() -> this.world.secret("s-" + i, this.world.assignedTo("shard-a"))))
			.toList());
		threads.shutdown();
		this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		this.world.awaitPasses(1);
	}

	@AfterEach
	void close() {
		this.requests.open();
		this.world.close();
		this.client.close();
		this.proxy.close();
	}

	@Test
	@DisplayName("The API server is overloaded and says for how long: next to nothing is sent meanwhile, and then the rest")
	void waitsWhereTheApiServerAsksForIt() {
		this.told.set(0);
		this.world.client.resource(this.world.ring()).delete();
		World.await().untilAsserted(() -> assertThat(this.world.secretShards().values()).containsOnlyNulls());
		long since = this.told.get();
		assertThat(since).isPositive();
		// Those that were under way at that moment, or were just about to start.
		assertThat(this.proxy.requests()).filteredOn(this::isPatch)
			.filteredOn((request) -> request.nanos() - since > 0 && request.nanos() - since < ASKED.toNanos())
			.hasSizeLessThan(60);
	}

	@Test
	@DisplayName("A patch hangs: all others are made meanwhile")
	void doesNotWaitForWhatHangs() {
		this.requests.close((request) -> isPatch(request) && request.path().endsWith("/s-0"));
		this.world.client.resource(this.world.ring()).delete();
		this.requests.awaitHeld();
		World.await().atMost(Duration.ofSeconds(25)).untilAsserted(() -> {
			Map<String, String> shards = this.world.secretShards();
			shards.remove("s-0");
			assertThat(shards).hasSize(OBJECTS - 1);
			assertThat(shards.values()).containsOnlyNulls();
		});
		this.requests.open();
		World.await().untilAsserted(() -> assertThat(this.world.secretShards().values()).containsOnlyNulls());
	}

	private @Nullable Answer answer(Request request) {
		if (isPatch(request) && this.told.compareAndSet(0, System.nanoTime())) {
			return new Answer(429, Map.of("Retry-After", String.valueOf(ASKED.toSeconds())), "{}");
		}
		return null;
	}

	private boolean isPatch(Request request) {
		return request.method().equals("PATCH")
				&& request.path().startsWith("/api/v1/namespaces/" + this.world.namespace + "/secrets/");
	}

}

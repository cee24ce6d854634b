package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sharding.internal.kubernetes.resource.ResourceDiscovery;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers that do not come: the sharder comes back for the second page of a list, does
 * all there is to do, and nothing twice (of what has no owner {@link AdoptionIT} tells),
 * and for a Lease that it has made and nobody told it so.
 */
@ControlPlaneTest
class SpoiledAnswersIT {

	/* More than a page. The whole proof takes 1,100. */
	private static final int SECRETS = Integer.getInteger("proof.spoiled", 520);

	/* In seconds; who was never seen is waited for as long as the others last. */
	private static final int SHORT = 4;

	private final World world;

	private final AnswerProxy proxy;

	private final KubernetesClient client;

	private final ExecutorService threads = Executors.newFixedThreadPool(12);

	/* Which request gets another answer, once, and which. */
	private final AtomicReference<@Nullable Predicate<Request>> spoiled = new AtomicReference<>();

	private volatile Answer answer = Spoiling.BROKEN.answer;

	SpoiledAnswersIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "spoiled");
		this.proxy = AnswerProxy.before(controlPlane.admin(), this::answer);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
		// The sharder keeps its account of rings there; whoever elects a leader makes it.
		client.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.serverSideApply();
	}

	@AfterEach
	void close() {
		this.threads.shutdownNow();
		this.world.close();
		this.client.close();
		this.proxy.close();
	}

	@ParameterizedTest
	@EnumSource
	void aResyncMovesAllObjectsOfAShardThatIsGone(Spoiling how) {
		withRing();
		create("shard-gone");
		spoil(SpoiledAnswersIT::isFurtherPage, how.answer);
		start();
		this.world.lasting("shard-a", SHORT);
		World.await()
			.atMost(Duration.ofMinutes(3))
			.untilAsserted(
					() -> assertThat(this.world.secretShards().values()).hasSize(SECRETS).containsOnly("shard-a"));
		assertThat(this.spoiled).as("what was not spoiled").hasNullValue();
		// What two lists bring is perhaps sent twice; the API server refuses the second.
		World.await().until(() -> this.world.count("movements", "secrets") >= SECRETS);
		assertThat(this.world.count("movements", "secrets")).isEqualTo(SECRETS);
	}

	@ParameterizedTest
	@EnumSource
	void aCleanUpTakesTheLabelsOffAllObjectsOfARingThatIsGone(Spoiling how) {
		withRing();
		this.world.shard("shard-a");
		create("shard-a");
		start();
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(1));
		spoil(SpoiledAnswersIT::isFurtherPage, how.answer);
		this.world.client.resource(this.world.ring()).delete();
		World.await()
			.atMost(Duration.ofMinutes(3))
			.untilAsserted(() -> assertThat(this.world.secretShards().values()).hasSize(SECRETS).containsOnlyNulls());
		assertWrittenOnce();
	}

	@Test
	void theObjectsOfAShardWithoutALeaseMoveThoughNobodyHearsThatOneWasMadeForIt() {
		withRing();
		this.world.secret("s-0", this.world.assignedTo("shard-gone"));
		spoil((request) -> request.method().equals("POST") && request.path().endsWith("/leases"),
				Spoiling.BROKEN.answer);
		start();
		this.world.lasting("shard-a", SHORT);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-0")).isEqualTo("shard-a"));
		assertThat(this.spoiled).as("what was not spoiled").hasNullValue();
	}

	@Test
	void aResourceThatTheApiServerDoesNotAnswerAboutIsAskedForAgain() {
		ControllerRingSpec spec = new ControllerRingSpec(
				List.of(new MainResource("", "secrets", List.of(new ControlledResource("apps", "deployments")))), null);
		spoil((request) -> request.path().startsWith("/apis/apps"), Spoiling.BROKEN.answer);
		RingDiscovery.Found found = new RingDiscovery(new ResourceDiscovery(this.client)).find(spec).join();
		assertThat(this.spoiled).as("what was not spoiled").hasNullValue();
		assertThat(found.absent()).isEmpty();
		assertThat(found.resources().values()).singleElement().asInstanceOf(InstanceOfAssertFactories.LIST).hasSize(1);
	}

	private void assertWrittenOnce() {
		assertThat(this.spoiled).as("what was not spoiled").hasNullValue();
		Map<String, Long> patches = this.proxy.requests()
			.stream()
			.filter((request) -> request.method().equals("PATCH") && request.path().contains("/secrets/"))
			.collect(Collectors.groupingBy(Request::path, Collectors.counting()));
		assertThat(patches).hasSize(SECRETS).allSatisfy((path, times) -> assertThat(times).isEqualTo(1));
	}

	private void withRing() {
		this.world
			.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), null));
	}

	private void start() {
		this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual().withUnseen(Duration.ofSeconds(1)),
				this.world.metrics, InstantSource.system(), System::nanoTime, RequestGuard.NONE,
				HandOverOrder.CONTROLLED_OBJECTS_FIRST));
	}

	private void create(String shard) {
		World.awaitAll(IntStream.range(0, SECRETS)
			.mapToObj((i) -> this.threads.submit(() -> this.world.secret("s-" + i, this.world.assignedTo(shard))))
			.toList());
	}

	private void spoil(Predicate<Request> which, Answer instead) {
		this.answer = instead;
		this.spoiled.set(which);
	}

	private @Nullable Answer answer(Request request) {
		Predicate<Request> which = this.spoiled.get();
		return (which != null && which.test(request) && this.spoiled.compareAndSet(which, null)) ? this.answer : null;
	}

	private static boolean isFurtherPage(Request request) {
		return request.method().equals("GET") && request.path().endsWith("/secrets")
				&& request.query().contains("continue=") && !request.query().contains("watch=");
	}

	enum Spoiling {

		EXPIRED(new Answer(410, Map.of(), "{}")), BUSY(new Answer(429, Map.of("Retry-After", "1"), "{}")),
		BROKEN(new Answer(500, Map.of(), "not even JSON"));

		private final Answer answer;

		Spoiling(Answer answer) {
			this.answer = answer;
		}

	}

}

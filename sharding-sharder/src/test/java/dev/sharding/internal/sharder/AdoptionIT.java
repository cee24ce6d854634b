package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * More objects without owner than fit a page: they are taken in page by page. What is in
 * memory is told by the pages that were asked for.
 */
@ControlPlaneTest
class AdoptionIT {

	private static final int PAGE = 500;

	private static final int SECRETS = 3 * PAGE - 100;

	private final World world;

	private final Gate requests = new Gate();

	private final AnswerProxy proxy;

	private final KubernetesClient client;

	private final ExecutorService threads = Executors.newFixedThreadPool(12);

	private volatile Predicate<Request> spoiled = (request) -> false;

	private volatile Answer answer = new Answer(410, Map.of(), "{}");

	AdoptionIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "adoption");
		this.proxy = AnswerProxy.before(controlPlane.admin(), this.requests::pass, this::answer);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
		// The sharder keeps its account of rings there; whoever elects a leader makes it.
		client.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.serverSideApply();
	}

	@AfterEach
	void close() {
		this.requests.open();
		this.threads.shutdownNow();
		this.world.close();
		this.client.close();
		this.proxy.close();
	}

	@Test
	@DisplayName("Patches that hang: no further page of what has no owner is asked for")
	void asksForNoPageThatThereIsNoRoomFor() {
		this.world.withRing((spec) -> withoutControlled(spec));
		create(SECRETS, (i) -> this.world.secret("s-" + i));
		this.requests.close((request) -> request.method().equals("PATCH"));
		start();
		this.world.shard("shard-a");
		this.requests.awaitHeld();
		World.await()
			.during(Duration.ofSeconds(3))
			.untilAsserted(() -> assertThat(this.proxy.requests()).filteredOn(AdoptionIT::isPage).hasSize(1));
		this.requests.open();
		awaitAdopted();
	}

	@Test
	@DisplayName("An object that is created in the middle does not wait for the pages that are to come")
	void anObjectThatIsCreatedInTheMiddleGetsItsOwner() {
		this.world.withRing();
		create(SECRETS, (i) -> this.world.secret("s-" + i));
		this.requests.close(AdoptionIT::isFurtherPage);
		start();
		this.world.shard("shard-a");
		this.requests.awaitHeld();
		Promptness.assertWithinASecond(this.world.client, this.world.namespace,
				(attempt) -> this.world.secret("created-" + attempt),
				(attempt) -> "shard-a".equals(this.world.secretShard("created-" + attempt)));
		this.requests.open();
		awaitAdopted();
	}

	@Test
	@DisplayName("The snapshot of the list expires between two pages: it begins anew, and nothing is written twice")
	void beginsAnewWhenTheListExpires() {
		this.answer = new Answer(410, Map.of(), "{}");
		adoptsInSpiteOf(AdoptionIT::isFurtherPage);
	}

	@Test
	@DisplayName("The API server wants to be left alone between two pages: that page is asked for later")
	void comesBackWhenTheApiServerIsBusy() {
		this.answer = new Answer(429, Map.of("Retry-After", "1"), "{}");
		adoptsInSpiteOf(AdoptionIT::isFurtherPage);
		assertThat(this.proxy.requests()).filteredOn(AdoptionIT::isPage)
			.extracting(Request::query)
			.filteredOn((query) -> !query.contains("continue"))
			.hasSize(1);
	}

	@Test
	@DisplayName("The sharder ends in the middle and another one begins: nothing is written twice")
	void anotherSharderDoesTheRest() {
		this.world.withRing();
		create(SECRETS, (i) -> this.world.secret("s-" + i));
		this.requests.close(AdoptionIT::isFurtherPage);
		Sharder first = start();
		this.world.shard("shard-a");
		this.requests.awaitHeld();
		World.await().until(() -> this.world.count("assignments", "secrets") > 100);
		first.close();
		this.requests.open();
		start();
		awaitAdopted();
		assertAssignedOnce();
	}

	@Test
	@DisplayName("What has no owner goes to its shard after what it controls, which is with anybody or nobody, and that is listed once")
	void movesWhatTheyControlFirst() {
		this.world.withRing();
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		this.world.shard("shard-c");
		this.world.release("shard-c");
		int pairs = PAGE + 100;
		List<String> labels = List.of("shard-a", "shard-b", "shard-c", "");
		create(pairs, (i) -> {
			Secret secret = this.world.secret("s-" + i);
			String shard = labels.get(i % labels.size());
			this.world.configMap("s-" + i, secret, shard.isEmpty() ? Map.of() : this.world.assignedTo(shard));
		});
		start();
		World.await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
			Map<String, String> placed = this.world.secretShards();
			assertThat(placed).isEqualTo(this.world.expected(placed, "shard-a", "shard-b"));
		});
		assertThat(this.proxy.requests())
			.filteredOn((request) -> isList(request) && request.path().endsWith("/configmaps")
					&& !request.query().contains("continue") && !request.query().contains("labelSelector"))
			.hasSizeLessThanOrEqualTo(2);
		Map<String, Integer> order = writes();
		List<String> early = new ArrayList<>();
		IntStream.range(0, pairs).mapToObj((i) -> "s-" + i).forEach((name) -> {
			int main = order.getOrDefault("secrets/" + name, -1);
			if (order.getOrDefault("configmaps/" + name, -1) > main) {
				early.add(name);
			}
		});
		assertThat(early).isEmpty();
		Map<String, String> controlled = this.world.configMapShards();
		controlled.remove("kube-root-ca.crt");
		assertThat(controlled).isEqualTo(this.world.expected(controlled, "shard-a", "shard-b"));
	}

	@Test
	@DisplayName("Objects outside of the namespaces of the ring hold nothing up and stay as they are")
	void passesOverWhatIsNotTheRings() {
		create(SECRETS, (i) -> this.world.secret("s-" + i));
		this.world.withRing((spec) -> new ControllerRingSpec(spec.resources(),
				new LabelSelectorBuilder().addToMatchLabels("sharded", "adoption").build()));
		start();
		this.world.shard("shard-a");
		World.await()
			.untilAsserted(() -> assertThat(this.proxy.requests()).filteredOn(AdoptionIT::isPage)
				.hasSizeGreaterThanOrEqualTo(SECRETS / PAGE));
		assertThat(this.world.secretShards().values()).containsOnlyNulls();
		assertThat(this.proxy.requests())
			.noneMatch((request) -> request.method().equals("PATCH") && request.path().contains("/secrets/"));
	}

	@Test
	@DisplayName("The labels of a ring that is gone are taken off page by page, and what one sharder did another one does not do again")
	void takesLabelsOffPageByPage() {
		this.world.withRing((spec) -> withoutControlled(spec));
		this.world.shard("shard-a");
		create(SECRETS, (i) -> this.world.secret("s-" + i, this.world.assignedTo("shard-a")));
		Sharder first = start();
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(1));
		this.requests.close((request) -> isList(request) && request.path().endsWith("/secrets")
				&& request.query().contains("continue") && request.query().contains("labelSelector"));
		this.world.client.resource(this.world.ring()).delete();
		this.requests.awaitHeld();
		assertThat(this.world.secretShards().values()).filteredOn(Objects::isNull).hasSize(PAGE);
		first.close();
		this.requests.open();
		start();
		World.await()
			.atMost(Duration.ofMinutes(3))
			.untilAsserted(() -> assertThat(this.world.secretShards().values()).containsOnlyNulls());
		assertWrittenOnce();
	}

	private void adoptsInSpiteOf(Predicate<Request> spoiling) {
		this.world.withRing();
		create(SECRETS, (i) -> this.world.secret("s-" + i));
		this.spoiled = spoiling;
		start();
		this.world.shard("shard-a");
		awaitAdopted();
		assertThat(this.spoiled).isNotSameAs(spoiling);
		assertAssignedOnce();
	}

	/*
	 * What is under way when a list begins anew may be sent twice; the API server refuses
	 * that. The labels are there before the sharder has read and counted the last
	 * answers.
	 */
	private void assertAssignedOnce() {
		World.await().until(() -> this.world.count("assignments", "secrets") >= SECRETS);
		assertThat(this.world.count("assignments", "secrets")).isEqualTo(SECRETS);
	}

	private void assertWrittenOnce() {
		Map<String, Long> patches = this.proxy.requests()
			.stream()
			.filter((request) -> request.method().equals("PATCH") && request.path().contains("/secrets/"))
			.collect(Collectors.groupingBy(Request::path, Collectors.counting()));
		assertThat(patches).hasSize(SECRETS).allSatisfy((path, times) -> assertThat(times).isEqualTo(1));
	}

	/* The last write of each object. */
	private Map<String, Integer> writes() {
		return this.proxy.requests()
			.stream()
			.filter((request) -> request.method().equals("PATCH")
					&& request.path().startsWith("/api/v1/namespaces/" + this.world.namespace + "/"))
			.collect(Collectors.toMap((request) -> request.path()
				.substring(request.path().indexOf(this.world.namespace))
				.replace(this.world.namespace + "/", ""), Request::number, Math::max));
	}

	private void awaitAdopted() {
		World.await()
			.atMost(Duration.ofMinutes(3))
			.pollInterval(Duration.ofMillis(500))
			.untilAsserted(() -> assertThat(this.world.secretShards().values()).containsOnly("shard-a"));
	}

	private Sharder start() {
		return this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
	}

	private static ControllerRingSpec withoutControlled(ControllerRingSpec spec) {
		return new ControllerRingSpec(
				List.of(new ControllerRingSpec.MainResource("", spec.resources().get(0).resource(), List.of())), null);
	}

	private void create(int count, IntConsumer creating) {
		World.awaitAll(
				IntStream.range(0, count).mapToObj((i) -> this.threads.submit(() -> creating.accept(i))).toList());
	}

	private @Nullable Answer answer(Request request) {
		if (this.spoiled.test(request)) {
			this.spoiled = (none) -> false;
			return this.answer;
		}
		return null;
	}

	private static boolean isFurtherPage(Request request) {
		return isPage(request) && request.query().contains("continue");
	}

	/* Of what has no owner. */
	private static boolean isPage(Request request) {
		return isList(request) && request.path().endsWith("/secrets") && request.query().contains("notin");
	}

	private static boolean isList(Request request) {
		return request.method().equals("GET") && !request.query().contains("watch=");
	}

}

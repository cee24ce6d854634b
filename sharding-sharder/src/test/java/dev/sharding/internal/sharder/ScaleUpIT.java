package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
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
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One more shard: what the old ones have made is listed once, and goes before its main
 * objects, whatever becomes of the list.
 */
@ControlPlaneTest
class ScaleUpIT {

	private static final int PAGE = 500;

	private static final List<String> DONORS = List.of("shard-a", "shard-b", "shard-c");

	private final World world;

	private final AnswerProxy proxy;

	private final KubernetesClient client;

	private final ExecutorService threads = Executors.newFixedThreadPool(12);

	private final Gate requests = new Gate();

	private final Gate drains = new Gate();

	private volatile Predicate<Request> spoiled = (request) -> false;

	private final Deque<Answer> answers = new ArrayDeque<>();

	ScaleUpIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "scale-up");
		this.proxy = AnswerProxy.before(controlPlane.admin(), this::pass, this::answer);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
		// The sharder keeps its account of rings there; whoever elects a leader makes it.
		client.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.serverSideApply();
	}

	@AfterEach
	void close() {
		this.requests.open();
		this.drains.open();
		this.threads.shutdownNow();
		this.world.close();
		this.client.close();
		this.proxy.close();
	}

	@Test
	@DisplayName("Three shards give something up: what each of them has made is listed once, however many objects leave it")
	void listsWhatADonorHasOnce() {
		this.world.withRing();
		create(300, "shard-a", "shard-b", "shard-c");
		start();
		shards("shard-a", "shard-b", "shard-c");
		int before = awaitSettled();
		this.world.acknowledgeDrains();
		List<String> shards = new ArrayList<>(DONORS);
		Map<String, Integer> lists = listsWhenOneComes(shards, "shard-d");
		assertThat(moved(before)).isGreaterThan(30);
		assertThat(lists.values()).allMatch((times) -> times >= 1);
		// Batches whose proof takes more than a second list as well. On a busy machine
		// that happens, but not whenever a shard comes.
		for (String another : List.of("shard-e", "shard-f", "shard-g")) {
			if (Collections.max(lists.values()) > 2) {
				lists = listsWhenOneComes(shards, another);
			}
		}
		assertThat(lists).allSatisfy((donor, times) -> assertThat(times).isLessThanOrEqualTo(2));
	}

	/* How often what a donor has made was listed, by donor. */
	private Map<String, Integer> listsWhenOneComes(List<String> shards, String another) {
		int before = this.proxy.requests().size();
		shards.add(another);
		this.world.shard(another);
		awaitPlaced(shards.toArray(String[]::new));
		assertControlledFirst(before);
		return DONORS.stream().collect(Collectors.toMap((donor) -> donor, (donor) -> lists(before, donor).size()));
	}

	@Test
	@DisplayName("The list of what a shard has made expires between two pages, another page is refused for now, and the sharder ends in the middle")
	void movesInOrderWhateverHappens() {
		this.world.withRing();
		create(PAGE + 50, "shard-a");
		Sharder first = start();
		shards("shard-a");
		int before = awaitSettled();
		this.world.acknowledgeDrains();
		this.answers.add(new Answer(410, Map.of(), "{}"));
		this.answers.add(new Answer(429, Map.of("Retry-After", "1"), "{}"));
		Predicate<Request> furtherPage = (request) -> isListOf(request, "shard-a")
				&& request.query().contains("continue");
		this.spoiled = furtherPage;
		this.requests.close(furtherPage);
		// Batches list as well, on a busy machine, but not before somebody was asked.
		this.drains.close((request) -> isPatch(request, "secrets"));
		this.world.shard("shard-b");
		this.requests.awaitHeld();
		// Nobody is asked before it is known what has to go first.
		assertThat(this.world.count("drains", "secrets")).isZero();
		this.requests.open();
		this.drains.awaitHeld();
		assertThat(this.answers).isEmpty();
		// Once more from its beginning; what is refused for now is asked for again.
		assertThat(lists(before, "shard-a")).hasSizeBetween(2, 3);
		this.drains.open();
		World.await().until(() -> moved(before) > 20);
		first.close();
		start();
		awaitPlaced("shard-a", "shard-b");
		assertControlledFirst(before);
	}

	@Test
	@DisplayName("Main objects that control nothing, so that no patch proves anything, share lists")
	void sharesListsWithoutProof() {
		this.world.withRing();
		createAll(200, (i) -> this.world.secret("s-" + i, this.world.assignedTo("shard-a")));
		start();
		shards("shard-a");
		int before = awaitSettled();
		this.world.acknowledgeDrains();
		long began = System.nanoTime();
		this.world.shard("shard-b");
		awaitPlaced("shard-a", "shard-b");
		long millis = Duration.ofNanos(System.nanoTime() - began).toMillis();
		long moved = moved(before);
		assertThat(moved).isGreaterThan(50);
		// A list is made 300 ms after the last one, or sooner if that was for 32 or more.
		// So there are more of them where shards let go slowly.
		assertThat((long) lists(before, "shard-a").size()).isLessThan(moved)
			.isLessThan(Math.max(moved / 4, millis / 300 + moved / 32 + 3));
	}

	private Sharder start() {
		return this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
	}

	private void shards(String... names) {
		List.of(names).forEach(this.world::shard);
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(names.length));
	}

	private void create(int pairs, String... shards) {
		createAll(pairs, (i) -> {
			String name = "s-" + i;
			Map<String, String> assigned = this.world.assignedTo(this.world.owner(name, shards));
			Secret secret = this.world.secret(name, assigned);
			this.world.configMap(name, secret, assigned);
		});
	}

	private void createAll(int count, IntConsumer creating) {
		World.awaitAll(
				IntStream.range(0, count).mapToObj((i) -> this.threads.submit(() -> creating.accept(i))).toList());
	}

	/* Returns how many requests there were until the first resync is over. */
	private int awaitSettled() {
		World.await()
			.untilAsserted(
					() -> assertThat(this.world.metrics.find("controller.sharding.resync").timers()).isNotEmpty());
		return this.proxy.requests().size();
	}

	private void awaitPlaced(String... shards) {
		World.await().atMost(Duration.ofMinutes(4)).pollInterval(Duration.ofMillis(500)).untilAsserted(() -> {
			Map<String, String> placed = this.world.secretShards();
			assertThat(placed).isEqualTo(this.world.expected(placed, shards));
			Map<String, String> controlled = new HashMap<>(this.world.configMapShards());
			controlled.remove("kube-root-ca.crt");
			assertThat(controlled).isEqualTo(this.world.expected(controlled, shards));
		});
	}

	private List<Request> since(int before) {
		List<Request> all = this.proxy.requests();
		return all.subList(before, all.size());
	}

	/* Those that begin, not their further pages. */
	private List<Request> lists(int before, String donor) {
		return since(before).stream()
			.filter((request) -> isListOf(request, donor) && !request.query().contains("continue"))
			.toList();
	}

	private boolean isListOf(Request request, String donor) {
		return request.method().equals("GET") && request.path().endsWith("/configmaps")
				&& !request.query().contains("watch=") && request.query().contains(donor)
				&& !request.query().contains("notin");
	}

	private long moved(int before) {
		return since(before).stream()
			.filter((request) -> isPatch(request, "secrets"))
			.map(Request::path)
			.distinct()
			.count();
	}

	private boolean isPatch(Request request, String resource) {
		return request.method().equals("PATCH")
				&& request.path().startsWith("/api/v1/namespaces/" + this.world.namespace + "/" + resource + "/");
	}

	/* The last patch of what is controlled is before that of its main object. */
	private void assertControlledFirst(int before) {
		Map<String, Integer> controlled = lastPatches(before, "configmaps");
		Map<String, Integer> main = lastPatches(before, "secrets");
		List<String> late = new ArrayList<>();
		controlled.forEach((name, number) -> {
			if (main.containsKey(name) && number > main.get(name)) {
				late.add(name);
			}
		});
		assertThat(controlled).isNotEmpty();
		assertThat(late).isEmpty();
	}

	private Map<String, Integer> lastPatches(int before, String resource) {
		return since(before).stream()
			.filter((request) -> isPatch(request, resource))
			.collect(Collectors.toMap((request) -> request.path().substring(request.path().lastIndexOf('/') + 1),
					Request::number, Math::max));
	}

	private void pass(Request request) {
		this.requests.pass(request);
		this.drains.pass(request);
	}

	private @Nullable Answer answer(Request request) {
		synchronized (this.answers) {
			return this.spoiled.test(request) ? this.answers.poll() : null;
		}
	}

}

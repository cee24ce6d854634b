package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.memory.MemoryPressure;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.watch.SharedWatches;
import dev.sharding.internal.sharder.watch.TermWatch;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Terms as leader in a process whose watches of rings and Leases outlive them.
 */
@ControlPlaneTest
class TermsIT {

	private final World world;

	private final Gate watching = new Gate();

	private final AnswerProxy proxy;

	private final KubernetesClient client;

	private final SharedWatches watches;

	/* What happens to the watch of the Leases after their first list. */
	private volatile Predicate<Request> refused = (request) -> false;

	TermsIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "terms");
		this.proxy = AnswerProxy.before(controlPlane.admin(), this.watching::pass, this::answer);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
		this.watches = new SharedWatches(this.client);
	}

	@BeforeEach
	void create() {
		this.world.withRing();
		this.world.shard("shard-a");
	}

	@AfterEach
	void close() {
		this.watching.open();
		this.world.close();
		this.watches.close();
		this.client.close();
		this.proxy.close();
	}

	@Test
	@DisplayName("The watch of the Leases lags behind when a term begins: the leader knows no shards until it has caught up")
	void aLeaderActsOnNothingFromBeforeItsTerm() {
		lagBehind();
		this.world.release("shard-a");
		this.world.shard("shard-b");
		this.world.secret("s-1");
		Sharder leader = this.world.run(new Sharder(this.world.client, World.AT_ONCE, surroundings(),
				this.world.metrics, InstantSource.system(), System::nanoTime, RequestGuard.NONE,
				HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		World.await().during(Duration.ofSeconds(2)).untilAsserted(() -> {
			assertThat(this.world.secretShard("s-1")).isNull();
			assertThat(this.world.status().availableShards()).isZero();
			assertThat(leader.status().leases().synced()).isFalse();
			assertThat(this.world.metrics.find("controller.sharding.shard.info").gauges()).isEmpty();
		});
		awaitQuestion();
		this.watching.open();
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-b"));
		World.await().until(() -> leader.status().isWorking());
	}

	@Test
	@DisplayName("A term that ends before its read is answered is told nothing later; the next one is told everything")
	void aTermThatEndedIsToldNothing() {
		lagBehind();
		this.world.shard("shard-b");
		List<Object> told = new CopyOnWriteArrayList<>();
		List<InformerStatus> statuses = new CopyOnWriteArrayList<>();
		TermWatch<Lease> ended = term(told::add, statuses::add);
		CompletableFuture<Void> begun = ended.begin();
		awaitQuestion();
		ended.close();
		this.watching.open();
		List<String> next = new CopyOnWriteArrayList<>();
		try (TermWatch<Lease> following = term((event) -> note(event, next))) {
			World.await().until(following.begin()::isDone);
			assertThat(next).containsExactlyInAnyOrder("shard-a", "shard-b");
			assertThat(following.status().synced()).isTrue();
		}
		this.world.shard("shard-c");
		World.await().until(() -> this.watches.leasesOf(this.world.ring).size() == 3);
		World.await().until(this.watches.leases().refresh()::isDone);
		assertThat(next).hasSize(2);
		assertThat(told).isEmpty();
		// The watch opened after the end of the term.
		assertThat(statuses).noneMatch(InformerStatus::watching);
		assertThat(begun).isNotDone();
	}

	@Test
	@DisplayName("The watch of the Leases is failing when a term begins: the term hears of that before it hears of Leases")
	void aTermHearsThatTheWatchIsFailing() {
		this.refused = TermsIT::isWatchOfLeases;
		this.watches.leases().start();
		World.await().until(() -> this.watches.leases().status().failingSince() != null);
		List<Object> told = new CopyOnWriteArrayList<>();
		try (TermWatch<Lease> term = term(told::add, told::add)) {
			World.await().until(term.begin()::isDone);
			assertThat(told.get(0)).isInstanceOfSatisfying(InformerStatus.class,
					(status) -> assertThat(status.failingSince()).isNotNull());
			assertThat(told).anyMatch(InformerEvent.Added.class::isInstance);
		}
	}

	@Test
	@DisplayName("The API server does not say how far it is when a term begins: the status says why nothing happens")
	void aTermSaysWhyItKnowsNothing() {
		this.watches.leases().start();
		World.await().until(this.watches.leases().synced()::isDone);
		this.refused = (request) -> isOfLeases(request) && !isWatchOfLeases(request);
		List<InformerStatus> statuses = new CopyOnWriteArrayList<>();
		try (TermWatch<Lease> term = term((event) -> {
		}, statuses::add)) {
			CompletableFuture<Void> begun = term.begin();
			World.await().untilAsserted(() -> {
				assertThat(term.status().synced()).isFalse();
				assertThat(term.status().failingSince()).isNotNull();
				assertThat(term.status().lastError()).contains("503");
			});
			assertThat(statuses).anyMatch((status) -> status.failingSince() != null);
			this.refused = (request) -> false;
			World.await().until(begun::isDone);
			assertThat(term.status().synced()).isTrue();
			assertThat(term.status().failingSince()).isNull();
		}
	}

	@Test
	@DisplayName("A term ends while it is told of the first Lease: it never counts on what it was not told")
	void aTermThatEndsWhileItIsToldWasNotToldAll() {
		AtomicReference<@Nullable TermWatch<Lease>> ending = new AtomicReference<>();
		CompletableFuture<Void> ended = new CompletableFuture<>();
		TermWatch<Lease> term = term((event) -> {
			Objects.requireNonNull(ending.get()).close();
			ended.complete(null);
		});
		ending.set(term);
		CompletableFuture<Void> begun = term.begin();
		World.await().until(ended::isDone);
		World.await().until(this.watches.leases().refresh()::isDone);
		assertThat(begun).isNotDone();
		assertThat(term.status().synced()).isFalse();
	}

	@Test
	@DisplayName("A Lease does not fit its class any more when a term begins: what it was before counts for nothing")
	void aTermDoesNotTakeALeaseForWhatItWas() {
		this.watches.leases().start();
		World.await().until(() -> this.watches.leasesOf(this.world.ring).size() == 1);
		// In UTC that is the year 10000, which Java does not read without a sign.
		renewAt("9999-12-31T23:59:59.000000-12:00");
		try {
			World.await()
				.until(() -> this.watches.leases()
					.store()
					.undecodable()
					.stream()
					.anyMatch((lease) -> lease.getNamespace().equals(this.world.namespace)));
			List<String> added = new CopyOnWriteArrayList<>();
			List<String> updated = new CopyOnWriteArrayList<>();
			try (TermWatch<Lease> term = term((event) -> {
				note(event, added);
				if (event instanceof InformerEvent.Updated<Lease> update && isHere(update.after())) {
					updated.add(update.after().getMetadata().getName());
				}
			})) {
				World.await().until(term.begin()::isDone);
				assertThat(added).isEmpty();
				assertThat(term.list()).noneMatch(this::isHere);
				renewAt("2026-01-01T00:00:00.000000Z");
				World.await().untilAsserted(() -> assertThat(updated).contains("shard-a"));
				assertThat(term.list()).filteredOn(this::isHere).hasSize(1);
			}
		}
		finally {
			renewAt("2026-01-01T00:00:00.000000Z");
		}
	}

	private TermWatch<Lease> term(InformerHandler<Lease> handler) {
		return term(handler, (status) -> {
		});
	}

	private TermWatch<Lease> term(InformerHandler<Lease> handler, Consumer<InformerStatus> statuses) {
		return new TermWatch<>(this.watches.leases(), handler, statuses, InstantSource.system(), System::nanoTime);
	}

	@Test
	@DisplayName("A candidate wins, loses and wins again while the shards change, all with one watch of the Leases")
	void leadsAgainWithTheSameWatch() {
		ElectionOptions election = ElectionOptions.DEFAULT.withNamespace(this.world.namespace)
			.withTimings(RenewalTimings.of(Duration.ofSeconds(4), null, null));
		ElectedSharder candidate = new ElectedSharder(this.client, World.AT_ONCE, election, new WebhookReports(),
				this.watches, MemoryPressure.NONE, this.world.metrics);
		try (candidate) {
			candidate.start();
			this.world.secret("s-1");
			World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
			takeTheLead(election.leaseName());
			World.await().until(() -> !candidate.status().isElected());
			this.world.release("shard-a");
			this.world.shard("shard-b");
			this.world.secret("s-2");
			World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-2")).isEqualTo("shard-b"));
			World.await().until(() -> candidate.status().isElected());
		}
		// An API server that streams no lists refuses the first, and is asked for
		// another.
		assertThat(this.proxy.requests()).filteredOn(TermsIT::isWatchOfLeases)
			.extracting((request) -> request.query().contains("sendInitialEvents"))
			.isEqualTo(streamsLists() ? List.of(true) : List.of(true, false));
	}

	private boolean streamsLists() {
		return Integer.parseInt(this.world.client.getKubernetesVersion().getMinor()) >= 32;
	}

	private Surroundings surroundings() {
		return new Surroundings(this.world.namespace, new WebhookReports(), this.watches);
	}

	/* From now on, the watch tells of nothing that happens after its first list. */
	private void lagBehind() {
		this.refused = (request) -> isWatchOfLeases(request) && request.query().contains("sendInitialEvents");
		this.watching.close((request) -> isWatchOfLeases(request) && !request.query().contains("sendInitialEvents"));
		this.watches.leases().start();
		this.watching.awaitHeld();
		assertThat(this.watches.leasesOf(this.world.ring)).hasSize(1);
	}

	/* Returns once the API server was asked how far it is. */
	private void awaitQuestion() {
		World.await()
			.untilAsserted(() -> assertThat(this.proxy.requests())
				.anyMatch((request) -> isOfLeases(request) && request.query().contains("sharding.nobody")));
	}

	private void renewAt(String time) {
		String path = "/apis/coordination.k8s.io/v1/namespaces/" + this.world.namespace + "/leases/shard-a";
		World.retrying(() -> this.world.client.raw(path, "PUT", this.world.client.raw(path)
			.replaceFirst("\"renewTime\":\"[^\"]*\"", "\"renewTime\":\"" + time + "\"")));
	}

	private void takeTheLead(String lease) {
		this.world.editLease(lease, (found) -> {
			found.getSpec().setHolderIdentity("somebody-else");
			found.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
			return found;
		});
	}

	private void note(InformerEvent<Lease> event, List<String> names) {
		if (event instanceof InformerEvent.Added<Lease> added && isHere(added.object())) {
			names.add(added.object().getMetadata().getName());
		}
	}

	/* The watch is of all namespaces, and other tests leave Leases behind. */
	private boolean isHere(Lease lease) {
		return lease.getMetadata().getNamespace().equals(this.world.namespace);
	}

	private @Nullable Answer answer(Request request) {
		if (!this.refused.test(request)) {
			return null;
		}
		// An API server that streams no lists.
		return new Answer(request.query().contains("sendInitialEvents") ? 400 : 503, Map.of(), "{}");
	}

	private static boolean isWatchOfLeases(Request request) {
		return isOfLeases(request) && request.query().contains("watch=1");
	}

	private static boolean isOfLeases(Request request) {
		return request.method().equals("GET") && Set
			.of("/apis/coordination.k8s.io/v1/leases",
					"/apis/coordination.k8s.io/v1/namespaces/sharding-nowhere/leases")
			.contains(request.path());
	}

}

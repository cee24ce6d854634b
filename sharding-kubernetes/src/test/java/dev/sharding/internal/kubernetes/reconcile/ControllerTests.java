package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.InformerEvent;
import dev.sharding.controller.Backoff;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.ReconcileContext;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.controller.Trigger;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.reconcile.queue.QueueState;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.DrainHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scenarios 89 to 95 of the protocol without an API server.
 */
class ControllerTests {

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private static final String SHARD = ShardingLabels.shard("ring");

	private static final String DRAIN = ShardingLabels.drain("ring");

	private final MapStore<Secret> store = new MapStore<>();

	private final List<String> reconciled = new CopyOnWriteArrayList<>();

	private final List<String> acknowledged = new CopyOnWriteArrayList<>();

	private final AtomicBoolean claim = new AtomicBoolean(true);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final ObservationRegistry observations = ObservationRegistry.create();

	private final List<Controller<?>> controllers = new ArrayList<>();

	@AfterEach
	void stop() throws InterruptedException {
		for (Controller<?> controller : this.controllers) {
			controller.stop();
			assertThat(controller.awaitIdle(Duration.ofSeconds(30))).isTrue();
		}
	}

	@Test
	void whatIsNotSelectedIsNotReconciledButDrained() {
		Controller<Secret> controller = running(spec(this::note).select((secret) -> false));
		added(controller, secret("assigned", "s1", false));
		updated(controller, secret("assigned", "s1", false), secret("assigned", "s1", false));
		added(controller, secret("drained", "s1", true));
		updated(controller, secret("drained-later", "s1", false), secret("drained-later", "s1", true));
		added(controller, secret("elsewhere", "s2", true));
		controller.enqueueAll();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.acknowledged).containsExactlyInAnyOrder("drained", "drained-later"));
		settled(controller);
		assertThat(this.reconciled).isEmpty();
	}

	@Test
	void whatTheFilterRefusesIsNotReconciledButDrained() {
		Controller<Secret> controller = running(spec(this::note).filter((before, after) -> false));
		updated(controller, secret("changed", "s1", false), secret("changed", "s1", false));
		updated(controller, secret("drained", "s1", false), secret("drained", "s1", true));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.acknowledged).containsExactly("drained"));
		settled(controller);
		assertThat(this.reconciled).isEmpty();
	}

	@Test
	void theFilterIsNotAskedAboutWhatIsNewOrLookedAtAgain() {
		Controller<Secret> controller = running(spec(this::note).filter((before, after) -> false));
		added(controller, secret("new", "s1", false));
		this.store.put(secret("changed-meanwhile", "s1", false));
		controller.enqueueAll();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.reconciled).contains("new", "changed-meanwhile"));
	}

	@Test
	void whatWasWrittenLastIsLookedAtFirst() {
		Controller<Secret> controller = running(spec(this::note).concurrency(1));
		List<String> versions = List.of("99", "1000", "101", "998", "1002", "7", "1001");
		versions.forEach((version) -> {
			Secret secret = secret("of-" + version, "s1", false);
			secret.getMetadata().setResourceVersion(version);
			this.store.put(secret);
		});
		Secret none = secret("of-none", "s1", false);
		none.getMetadata().setResourceVersion(null);
		this.store.put(none);
		controller.enqueueAll();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.reconciled).containsExactly("of-1002", "of-1001", "of-1000", "of-998",
					"of-101", "of-99", "of-7", "of-none"));
	}

	@Test
	void theFilterIsNotAskedAboutWhatComesBackFromADrain() {
		Controller<Secret> controller = running(spec(this::note).filter((before, after) -> false));
		updated(controller, secret("back", "s1", true), secret("back", "s1", false));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.reconciled).containsExactly("back"));
	}

	@Test
	void whatTheFilterAcceptsIsReconciledOrDrained() {
		Controller<Secret> controller = running(spec(this::note).filter((before, after) -> true));
		added(controller, secret("new", "s1", false));
		updated(controller, secret("changed", "s1", false), secret("changed", "s1", false));
		added(controller, secret("drained", "s1", true));
		added(controller, secret("elsewhere", "s2", false));
		added(controller, secret("nowhere", null, false));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.reconciled).containsExactlyInAnyOrder("new", "changed"));
		settled(controller);
		assertThat(this.acknowledged).containsExactly("drained");
	}

	@Test
	void aFilterOrSelectionThatFailsHidesNothing() {
		Controller<Secret> controller = running(spec(this::note).select((secret) -> {
			throw new IllegalStateException("planned");
		}));
		added(controller, secret("a", "s1", false));
		this.store.put(secret("b", "s1", false));
		controller.enqueueAll();
		Controller<Secret> filtering = running(spec(this::note).named("filtering").filter((before, after) -> {
			throw new IllegalStateException("planned");
		}));
		updated(filtering, secret("c", "s1", false), secret("c", "s1", false));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.reconciled).contains("a", "b", "c"));
	}

	@Test
	void whatDoesNotFitItsClassIsNotReconciledInAnOldState() {
		Controller<Secret> controller = running(spec(this::note));
		this.store.put(secret("a", "s1", false));
		this.store.putUndecodable(secret("a", "s1", false).getMetadata());
		controller.enqueue(new ObjectKey("ns", "a"));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> this.meters.get("workqueue.retries").counter().count() >= 1);
		assertThat(this.reconciled).isEmpty();
	}

	@Test
	void whatDoesNotFitItsClassIsDrainedByItsMetadata() {
		Controller<Secret> controller = running(spec(this::note));
		this.store.put(secret("told", "s1", false));
		ObjectMeta told = secret("told", "s1", true).getMetadata();
		this.store.putUndecodable(told);
		controller.mainHandler().onEvent(new InformerEvent.Undecodable<>(told), (writer) -> true);
		this.store.putUndecodable(secret("known", "s1", true).getMetadata());
		controller.enqueueAll();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.acknowledged).containsExactlyInAnyOrder("told", "known"));
		settled(controller);
		assertThat(this.reconciled).isEmpty();
	}

	@Test
	void anAbsentObjectIsLeftAlone() {
		Controller<Secret> controller = running(spec(this::note));
		controller.enqueue(new ObjectKey("ns", "absent"));
		Secret gone = secret("gone", "s1", false);
		added(controller, gone);
		settled(controller);
		this.reconciled.clear();
		this.store.remove(ObjectKey.of(gone));
		controller.mainHandler().onEvent(new InformerEvent.Removed<>(gone, false), (writer) -> true);
		controller.enqueue(ObjectKey.of(gone));
		settled(controller);
		assertThat(this.reconciled).isEmpty();
	}

	@Test
	void aRetryOfAnObjectThatMovedAwayDoesNothing() {
		AtomicInteger runs = new AtomicInteger();
		Controller<Secret> controller = running(spec((secret) -> {
			if (runs.incrementAndGet() == 1) {
				this.store.put(secret("a", "s2", false));
				throw new IllegalStateException("planned");
			}
			return Result.done();
		}).backoff(new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), 0)));
		added(controller, secret("a", "s1", false));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> runs.get() == 1);
		settled(controller);
		assertThat(runs).hasValue(1);
	}

	@Test
	void resultAndErrorPassThrough() {
		AtomicInteger runs = new AtomicInteger();
		Controller<Secret> controller = running(spec((secret) -> switch (runs.incrementAndGet()) {
			case 1 -> throw new Exception("planned");
			case 2 -> Result.requeue();
			case 3 -> Result.requeueAfter(Duration.ofMillis(1));
			default -> Result.done();
		}));
		added(controller, secret("a", "s1", false));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> runs.get() == 4);
		settled(controller);
		assertThat(count("error")).isOne();
		assertThat(count("requeue")).isOne();
		assertThat(count("requeue_after")).isOne();
		assertThat(count("success")).isOne();
		assertThat(this.meters.get("workqueue.retries").counter().count()).isOne();
	}

	@Test
	void theReconcilerGetsTheNewestStateAsACopy() {
		List<String> versions = new CopyOnWriteArrayList<>();
		Controller<Secret> controller = controller(spec((secret) -> {
			versions.add(secret.getMetadata().getResourceVersion());
			secret.getMetadata().setLabels(null);
			return Result.done();
		}));
		controller.resume();
		added(controller, secret("a", "s1", false));
		Secret newer = secret("a", "s1", false);
		newer.getMetadata().setResourceVersion("2");
		updated(controller, secret("a", "s1", false), newer);
		controller.start();
		settled(controller);
		assertThat(versions).containsExactly("2");
		assertThat(this.store.get(new ObjectKey("ns", "a")).getMetadata().getLabels()).containsEntry(SHARD, "s1");
	}

	@Test
	void changesComeBeforeTheInitialListAndDrainsBeforeAll() {
		Controller<Secret> controller = controller(spec(this::note).concurrency(1));
		controller.resume();
		this.store.put(secret("initial", "s1", false));
		controller.mainHandler()
			.onEvent(new InformerEvent.Added<>(this.store.get(new ObjectKey("ns", "initial")), true), (writer) -> true);
		added(controller, secret("change", "s1", false));
		added(controller, secret("drain", "s1", true));
		controller.start();
		settled(controller);
		assertThat(this.reconciled).containsExactly("change", "initial");
		assertThat(this.acknowledged).containsExactly("drain");
	}

	@Test
	void controlledObjectsLeadToTheirOwnersOldAndNew() {
		Controller<Secret> controller = running(spec(this::note).owns(ResourceType.of(ConfigMap.class)));
		for (String name : List.of("one", "two", "three")) {
			this.store.put(secret(name, "s1", false));
		}
		@SuppressWarnings("unchecked")
		SecondaryWatch<ConfigMap> watch = (SecondaryWatch<ConfigMap>) controller.spec().watches().get(0);
		controller.handler(watch, (key) -> null)
			.onEvent(new InformerEvent.Updated<>(controlledBy("one"), controlledBy("two"), false), (writer) -> true);
		controller.handler(watch, (key) -> null)
			.onEvent(new InformerEvent.Removed<>(controlledBy("three"), true), (writer) -> true);
		controller.handler(watch, (key) -> null)
			.onEvent(
					new InformerEvent.Added<>(
							new ConfigMapBuilder().withNewMetadata().withName("orphan").endMetadata().build(), false),
					(writer) -> true);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.reconciled).containsExactlyInAnyOrder("one", "two", "three"));
	}

	@Test
	void acknowledgementsThatNeverEndHoldUpNoReconcile() {
		Set<String> begun = ConcurrentHashMap.newKeySet();
		DrainHandler endless = new DrainHandler() {

			@Override
			public boolean acknowledge(ResourceType<?> type, HasMetadata object) {
				throw new AssertionError("begin is called");
			}

			@Override
			public CompletableFuture<Boolean> begin(ResourceType<?> type, HasMetadata object) {
				begun.add(object.getMetadata().getName());
				return new CompletableFuture<>();
			}

		};
		Controller<Secret> controller = controller(spec(this::note).concurrency(2), endless);
		controller.start();
		controller.resume();
		for (int i = 0; i < 40; i++) {
			added(controller, secret("endless-" + i, "s1", true));
		}
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> begun.size() >= QueueState.URGENT);
		// Not taken for its drain, of which its handler has not heard.
		this.store.put(secret("unheard", "s1", true));
		controller.enqueue(new ObjectKey("ns", "unheard"));
		added(controller, secret("a", "s1", false));
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> this.reconciled.contains("a"));
		assertThat(begun).hasSize(QueueState.URGENT).doesNotContain("unheard");
		assertThat(controller.active()).isGreaterThanOrEqualTo(QueueState.URGENT);
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.meters.get("controller.runtime.active.workers").gauge().value() == 0
					&& controller.status().active() == 0);
		controller.suspend();
		settled(controller);
	}

	@Test
	void nothingIsReconciledWithoutAClaim() {
		this.claim.set(false);
		Controller<Secret> controller = running(spec(this::note));
		added(controller, secret("a", "s1", false));
		added(controller, secret("b", "s1", true));
		Awaitility.await()
			.during(Duration.ofMillis(200))
			.until(() -> this.reconciled.isEmpty() && this.acknowledged.isEmpty());
		this.claim.set(true);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> this.reconciled.contains("a") && this.acknowledged.contains("b"));
	}

	@Test
	void aSuspendedControllerForgetsAndInterrupts() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch interrupted = new CountDownLatch(1);
		Controller<Secret> controller = running(spec((secret) -> {
			if (secret.getMetadata().getName().equals("blocks")) {
				running.countDown();
				try {
					new CountDownLatch(1).await();
				}
				catch (InterruptedException ex) {
					interrupted.countDown();
					throw ex;
				}
			}
			return note(secret);
		}).concurrency(1));
		added(controller, secret("blocks", "s1", false));
		assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
		added(controller, secret("waits", "s1", false));
		controller.suspend();
		assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
		settled(controller);
		assertThat(this.reconciled).isEmpty();
		this.store.remove(new ObjectKey("ns", "blocks"));
		controller.resume();
		controller.enqueueAll();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.reconciled).containsExactly("waits"));
	}

	@Test
	void depthAndActivityShowInMeters() {
		Controller<Secret> controller = controller(spec(this::note));
		controller.resume();
		added(controller, secret("a", "s1", false));
		assertThat(controller.queued()).isOne();
		assertThat(this.meters.get("workqueue.depth").tag("priority", "normal").gauge().value()).isOne();
		assertThat(this.meters.get("workqueue.adds").counter().count()).isOne();
		assertThat(this.meters.get("controller.runtime.max.concurrent.reconciles").gauge().value()).isEqualTo(10);
		controller.start();
		settled(controller);
		assertThat(this.meters.get("workqueue.depth").tag("priority", "normal").gauge().value()).isZero();
		assertThat(this.meters.get("controller.runtime.reconcile.time").timer().count()).isOne();
	}

	@Test
	void observesReconcilesAndNothingElse() {
		List<ReconcileContext> observed = new CopyOnWriteArrayList<>();
		this.observations.observationConfig().observationHandler(new Recorder(observed));
		AtomicInteger runs = new AtomicInteger();
		Controller<Secret> controller = running(spec((secret) -> switch (runs.incrementAndGet()) {
			case 1 -> throw new Exception("planned");
			case 2 -> Result.requeue();
			default -> Result.done();
		}));
		added(controller, secret("drained", "s1", true));
		added(controller, secret("a", "s1", false));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> observed.size() == 3);
		settled(controller);
		controller.enqueueAll();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> observed.size() == 4);
		assertThat(observed).extracting(ReconcileContext::trigger)
			.containsExactly(Trigger.CHANGE, Trigger.RETRY, Trigger.REQUEUE, Trigger.RESYNC);
		assertThat(observed).extracting(ReconcileContext::result)
			.containsExactly("error", "requeue", "success", "success");
		assertThat(observed).allSatisfy((reconcile) -> {
			assertThat(reconcile.getLowCardinalityKeyValues())
				.extracting((keyValue) -> keyValue.getKey() + "=" + keyValue.getValue())
				.containsExactlyInAnyOrder("controller=secret", "ring=ring", "shard=s1",
						"trigger=" + reconcile.trigger().label(), "result=" + reconcile.result());
			assertThat(reconcile.getHighCardinalityKeyValue("key").getValue()).isEqualTo("secrets/ns/a");
		});
		assertThat(observed.get(0).getError()).hasMessage("planned");
	}

	private static ControllerSpec.Builder<Secret> spec(Reconciler<Secret> reconciler) {
		return ControllerSpec.of(SECRETS, reconciler);
	}

	private Controller<Secret> running(ControllerSpec.Builder<Secret> builder) {
		Controller<Secret> controller = controller(builder);
		controller.start();
		controller.resume();
		return controller;
	}

	private Controller<Secret> controller(ControllerSpec.Builder<Secret> builder) {
		return controller(builder, (type, object) -> {
			this.acknowledged.add(object.getMetadata().getName());
			this.store.remove(ObjectKey.of(object));
			return true;
		});
	}

	private Controller<Secret> controller(ControllerSpec.Builder<Secret> builder, DrainHandler drainHandler) {
		ControllerContext<Secret> context = new ControllerContext<>(() -> this.store, null, Ownership.of("ring", "s1"),
				drainHandler, null, null, this.claim::get, null, new ObjectCopier(new KubernetesSerialization()),
				Thread::new, this.meters, this.observations, System::nanoTime,
				() -> Map.of("ring", "ring", "shard", "s1"), new UserCode(this.meters, System::nanoTime));
		Controller<Secret> controller = new Controller<>(builder.build(), context);
		this.controllers.add(controller);
		return controller;
	}

	private void added(Controller<Secret> controller, Secret secret) {
		this.store.put(secret);
		controller.mainHandler().onEvent(new InformerEvent.Added<>(secret, false), (writer) -> true);
	}

	private void updated(Controller<Secret> controller, Secret before, Secret after) {
		this.store.put(after);
		controller.mainHandler().onEvent(new InformerEvent.Updated<>(before, after, false), (writer) -> true);
	}

	private static void settled(Controller<?> controller) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> controller.queued() == 0 && controller.active() == 0);
	}

	private double count(String result) {
		return this.meters.get("controller.runtime.reconcile").tag("result", result).counter().count();
	}

	private Result note(Secret secret) {
		this.reconciled.add(secret.getMetadata().getName());
		return Result.done();
	}

	private static Secret secret(String name, String shard, boolean drained) {
		Map<String, String> labels = new LinkedHashMap<>();
		if (shard != null) {
			labels.put(SHARD, shard);
		}
		if (drained) {
			labels.put(DRAIN, "true");
		}
		return new SecretBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName(name)
			.withResourceVersion("1")
			.withLabels(labels)
			.endMetadata()
			.build();
	}

	private static ConfigMap controlledBy(String owner) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName("controlled")
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName(owner)
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.build();
	}

	/**
	 * Keeps what has been observed.
	 *
	 * @param seen the observations that have ended
	 */
	private record Recorder(List<ReconcileContext> seen) implements ObservationHandler<ReconcileContext> {

		@Override
		public void onStop(ReconcileContext context) {
			this.seen.add(context);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof ReconcileContext;
		}

	}

}

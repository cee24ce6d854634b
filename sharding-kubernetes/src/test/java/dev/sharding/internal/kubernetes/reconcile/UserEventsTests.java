package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.sharding.cache.InformerEvent;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.EventFilter;
import dev.sharding.controller.Result;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Mappers and filters that throw, return nonsense, or never return: who tells an event
 * goes on, and what is not theirs is reconciled and drained.
 */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UserEventsTests {

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private final MapStore<Secret> store = new MapStore<>();

	private final List<String> reconciled = new CopyOnWriteArrayList<>();

	private final List<String> acknowledged = new CopyOnWriteArrayList<>();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final List<Controller<?>> controllers = new ArrayList<>();

	private final CountDownLatch never = new CountDownLatch(1);

	@AfterEach
	void stop() throws InterruptedException {
		for (Controller<?> controller : this.controllers) {
			controller.stop();
			assertThat(controller.awaitIdle(Duration.ofSeconds(30))).isTrue();
		}
	}

	@Test
	void aMapperThatFailsOnTheStateBeforeIsAskedAboutTheOneAfter() {
		Controller<Secret> controller = mapping((map) -> keysIn(map, "main"));
		stored("a");
		changed(controller, map(Map.of()), map(Map.of("main", "a")));
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a"));
	}

	@Test
	void aMapperThatFailsIsAskedAgain() {
		AtomicInteger asked = new AtomicInteger();
		Controller<Secret> controller = mapping((map) -> {
			if (asked.incrementAndGet() < 3) {
				throw new NoClassDefFoundError("planned");
			}
			return keysIn(map, "main");
		});
		stored("a");
		added(controller, map(Map.of("main", "a")));
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a"));
	}

	@Test
	void nullFromAMapperIsNothing() throws InterruptedException {
		Controller<Secret> controller = mapping((map) -> (map.getData().get("main") == null) ? null
				: Arrays.asList(null, new ObjectKey("ns", map.getData().get("main")), null));
		stored("a");
		stored("b");
		changed(controller, map(Map.of()), map(Map.of("main", "a")));
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a"));
		added(controller, map(Map.of("main", "b")));
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a", "b"));
		controller.suspend();
		assertThat(controller.awaitIdle(Duration.ofSeconds(30))).isTrue();
	}

	@Test
	void nobodyCanAskForNothing() {
		Controller<Secret> controller = running((spec) -> spec);
		assertThatNullPointerException().isThrownBy(() -> controller.enqueue(null));
		assertThatNullPointerException().isThrownBy(() -> controller.enqueueAfter(null, Duration.ZERO));
	}

	@Test
	void aMapperThatDoesNotReturnHoldsUpItsControllerAlone() {
		Controller<Secret> controller = mapping((map) -> block());
		added(controller, map(Map.of()));
		reconcilesAndDrains(controller);
		stored("b");
		Controller<Secret> other = mapping((map) -> keysIn(map, "main"));
		added(other, map(Map.of("main", "b")));
		soon().untilAsserted(() -> assertThat(this.reconciled).contains("b"));
	}

	@Test
	void aFilterThatDoesNotReturnHoldsUpNoDrain() {
		Controller<Secret> controller = running((spec) -> spec.filter((before, after) -> block().isEmpty()));
		Secret changed = stored("changed");
		controller.mainHandler().onEvent(new InformerEvent.Updated<>(changed, changed, false), (writer) -> true);
		drains(controller);
	}

	@Test
	void aSelectionThatDoesNotReturnHoldsUpNeitherTheLoopNorADrain() {
		Controller<Secret> controller = running((spec) -> spec.select((secret) -> block().isEmpty()));
		stored("a");
		this.store.put(secret("known", true));
		controller.enqueueAll();
		soon().untilAsserted(() -> assertThat(this.acknowledged).containsExactly("known"));
		drains(controller);
	}

	@Test
	void anErrorInAFilterHidesNothing() {
		Controller<Secret> controller = running((spec) -> spec.select((secret) -> {
			throw new StackOverflowError("planned");
		}));
		stored("a");
		controller.enqueueAll();
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a"));
	}

	@Test
	void whatIsDroppedIsMadeGoodForByALookAtAll() throws InterruptedException {
		CountDownLatch behind = new CountDownLatch(1);
		Controller<Secret> controller = mapping((map) -> {
			try {
				behind.await(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return List.of();
		});
		stored("a");
		for (int i = 0; i <= UserThread.MOST + 1; i++) {
			added(controller, map(Map.of()));
		}
		assertThat(this.reconciled).isEmpty();
		behind.countDown();
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a"));
	}

	@Test
	void aMapperThatFailsWhileMuchWaitsIsMadeGoodForByALookAtAll() {
		CountDownLatch behind = new CountDownLatch(1);
		Controller<Secret> controller = mapping((map) -> {
			if (map.getData().isEmpty()) {
				return List.of();
			}
			try {
				behind.await(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			throw new IllegalStateException("planned");
		});
		stored("a");
		added(controller, map(Map.of("main", "a")));
		for (int i = 0; i <= UserThread.MOST / 2; i++) {
			added(controller, map(Map.of()));
		}
		behind.countDown();
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a"));
	}

	@Test
	void ownersHearOfWhatDoesNotFitItsClass() {
		Controller<Secret> controller = running((spec) -> spec.owns(CONFIG_MAPS));
		stored("owner");
		ConfigMap unfit = new ConfigMapBuilder(map(Map.of())).editMetadata()
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName("owner")
			.withUid("1")
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.build();
		controller.handler(watch(controller), (key) -> null)
			.onEvent(new InformerEvent.Undecodable<>(unfit.getMetadata()), (writer) -> true);
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("owner"));
	}

	@Test
	void whoIsConcernedByTheLastStateHearsOfWhatDoesNotFitItsClass() {
		Controller<Secret> controller = mapping((map) -> keysIn(map, "main"));
		stored("a");
		ConfigMap last = map(Map.of("main", "a"));
		controller.handler(watch(controller), (key) -> last)
			.onEvent(new InformerEvent.Undecodable<>(last.getMetadata()), (writer) -> true);
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a"));
	}

	@Test
	void aDeletionListenerThatFailsHoldsUpNoDrainOfTheNextOfThatName() {
		Controller<Secret> controller = running((spec) -> spec.onDeletion((last) -> {
			throw new IllegalStateException("planned");
		}));
		Secret gone = secret("again", false);
		gone.getMetadata().setUid("before");
		this.store.put(secret("again", true));
		controller.mainHandler().onEvent(new InformerEvent.Removed<>(gone, true), (writer) -> true);
		soon().untilAsserted(() -> assertThat(this.acknowledged).containsExactly("again"));
	}

	@Test
	void aDeletionListenerHearsOfEachObjectOfAName() {
		CountDownLatch go = new CountDownLatch(1);
		List<String> deleted = new CopyOnWriteArrayList<>();
		Controller<Secret> controller = running((spec) -> spec.concurrency(1).onDeletion((last) -> {
			deleted.add(last.getMetadata().getUid());
			go.await();
		}));
		stored("first");
		stored("again");
		for (String uid : List.of("first 1", "again 1", "again 2")) {
			Secret gone = secret(uid.substring(0, uid.indexOf(' ')), false);
			gone.getMetadata().setUid(uid);
			controller.mainHandler().onEvent(new InformerEvent.Removed<>(gone, true), (writer) -> true);
			soon().until(() -> !deleted.isEmpty());
		}
		go.countDown();
		soon().untilAsserted(() -> assertThat(deleted).containsExactly("first 1", "again 1", "again 2"));
	}

	@Test
	void whatIsNotSelectedIsNotReconciledForWhatConcernsIt() {
		Controller<Secret> controller = running(
				(spec) -> spec.select((secret) -> secret.getMetadata().getName().equals("selected"))
					.watches(CONFIG_MAPS, (map) -> keysIn(map, "main")));
		stored("other");
		stored("selected");
		added(controller, map(Map.of("main", "other")));
		added(controller, map(Map.of("main", "selected")));
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("selected"));
	}

	@Test
	void nobodyIsAskedAboutWhatComesBeforeTheTermForWhichAllIsLookedAt() {
		List<String> asked = new CopyOnWriteArrayList<>();
		Controller<Secret> controller = started((spec) -> spec.select((secret) -> {
			asked.add("selection");
			return true;
		}).watches(CONFIG_MAPS, (map) -> {
			asked.add("mapper");
			return keysIn(map, "main");
		}));
		Secret known = stored("a");
		controller.mainHandler().onEvent(new InformerEvent.Added<>(known, true), (writer) -> true);
		controller.mainHandler().onEvent(new InformerEvent.Updated<>(known, known, false), (writer) -> true);
		added(controller, map(Map.of("main", "a")));
		controller.resume();
		controller.enqueueAll();
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a"));
		assertThat(asked).as("when it is queued, and when it is worked on").containsExactly("selection", "selection");
	}

	@Test
	void whatIsSelectedNoMoreWhenItsTurnComesIsNotReconciled() {
		AtomicInteger asked = new AtomicInteger();
		Controller<Secret> controller = started((spec) -> spec.select((secret) -> asked.incrementAndGet() == 1));
		stored("a");
		controller.resume();
		controller.enqueueAll();
		soon().until(() -> asked.get() == 2);
		assertThat(this.reconciled).isEmpty();
	}

	@Test
	void whatIsSelectedFromNowOnIsReconciledWhateverTheFilterSays() {
		Controller<Secret> controller = running(
				(spec) -> spec.select((secret) -> "yes".equals(secret.getMetadata().getLabels().get("wanted")))
					.filter(EventFilter.<Secret>all().and((before, after) -> false)));
		Secret before = secret("a", false);
		Secret after = stored("a");
		after.getMetadata().getLabels().put("wanted", "yes");
		controller.mainHandler().onEvent(new InformerEvent.Updated<>(before, after, false), (writer) -> true);
		soon().untilAsserted(() -> assertThat(this.reconciled).containsExactly("a"));
	}

	private void reconcilesAndDrains(Controller<Secret> controller) {
		Secret fresh = stored("fresh");
		controller.mainHandler().onEvent(new InformerEvent.Added<>(fresh, false), (writer) -> true);
		soon().untilAsserted(() -> assertThat(this.reconciled).contains("fresh"));
		drains(controller);
	}

	private void drains(Controller<Secret> controller) {
		Secret drained = secret("drained", true);
		this.store.put(drained);
		controller.mainHandler().onEvent(new InformerEvent.Updated<>(drained, drained, false), (writer) -> true);
		soon().untilAsserted(() -> assertThat(this.acknowledged).contains("drained"));
	}

	private Collection<ObjectKey> block() {
		try {
			this.never.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return List.of();
	}

	private static Collection<ObjectKey> keysIn(ConfigMap map, String key) {
		return List.of(new ObjectKey("ns", Objects.requireNonNull(map.getData().get(key), "planned")));
	}

	private Controller<Secret> mapping(Function<ConfigMap, Collection<ObjectKey>> mapper) {
		return running((spec) -> spec.watches(CONFIG_MAPS, mapper));
	}

	private Controller<Secret> running(UnaryOperator<ControllerSpec.Builder<Secret>> more) {
		Controller<Secret> controller = started(more);
		controller.resume();
		return controller;
	}

	private Controller<Secret> started(UnaryOperator<ControllerSpec.Builder<Secret>> more) {
		ControllerSpec<Secret> spec = more.apply(ControllerSpec.of(SECRETS, (Secret secret) -> {
			this.reconciled.add(secret.getMetadata().getName());
			return Result.done();
		}).named("c" + this.controllers.size())).build();
		Controller<Secret> controller = new Controller<>(spec,
				new ControllerContext<>(() -> this.store, null, Ownership.of("ring", "s1"), (type, object) -> {
					this.acknowledged.add(object.getMetadata().getName());
					this.store.remove(ObjectKey.of(object));
					return true;
				}, null, null, () -> true, null, new ObjectCopier(new KubernetesSerialization()), Thread::new,
						this.meters, ObservationRegistry.NOOP, System::nanoTime, Map::of,
						new UserCode(this.meters, System::nanoTime)));
		this.controllers.add(controller);
		controller.start();
		return controller;
	}

	@SuppressWarnings("unchecked")
	private static SecondaryWatch<ConfigMap> watch(Controller<Secret> controller) {
		return (SecondaryWatch<ConfigMap>) controller.spec().watches().get(0);
	}

	private static void added(Controller<Secret> controller, ConfigMap map) {
		controller.handler(watch(controller), (key) -> null)
			.onEvent(new InformerEvent.Added<>(map, false), (writer) -> true);
	}

	private static void changed(Controller<Secret> controller, ConfigMap before, ConfigMap after) {
		controller.handler(watch(controller), (key) -> null)
			.onEvent(new InformerEvent.Updated<>(before, after, false), (writer) -> true);
	}

	private Secret stored(String name) {
		Secret secret = secret(name, false);
		this.store.put(secret);
		return secret;
	}

	private static Secret secret(String name, boolean drained) {
		SecretBuilder builder = new SecretBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName(name)
			.withUid(name)
			.withResourceVersion("1")
			.addToLabels(ShardingLabels.shard("ring"), "s1")
			.endMetadata();
		return drained ? builder.editMetadata().addToLabels(ShardingLabels.drain("ring"), "true").endMetadata().build()
				: builder.build();
	}

	private static ConfigMap map(Map<String, String> data) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName("map")
			.withResourceVersion("1")
			.endMetadata()
			.withData(data)
			.build();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20));
	}

}

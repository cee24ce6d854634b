package dev.sharding.shard;

import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Start, loss of the Lease, blindness and stop of a shard, and of controllers outside
 * rings.
 */
@ControlPlaneTest
class ShardLifeIT {

	private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

	/** Longer than a test takes. */
	private static final Duration UNTIL_GIVEN_BACK = Duration.ofMinutes(10);

	private static final ResourceType<GenericKubernetesResource> MISSING = ResourceType
		.of(new ResourceDefinitionContext.Builder().withGroup("missing.sharding.dev")
			.withVersion("v1")
			.withPlural("certificates")
			.withKind("Certificate")
			.withNamespaced(true)
			.build());

	private final ControlPlane controlPlane;

	private final ShardWorld world;

	private final List<String> reconciled = new CopyOnWriteArrayList<>();

	ShardLifeIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new ShardWorld(client, namespace);
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void reconcilesWhatWasThereBeforeIt() {
		for (int i = 0; i < 20; i++) {
			this.world.secretOf("s1", "s" + i);
		}
		this.world.running("s1", this::note);
		ShardWorld.soon().until(() -> this.reconciled.size() == 20);
		assertThat(this.reconciled).doesNotHaveDuplicates();
	}

	@Test
	void fillsItsCachesWhileSomethingIsLookedAtAndJoinsAfterThat() {
		Shard shard = this.world.shard("s1");
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, this::note).build());
		shard.start(() -> {
			ShardWorld.soon().until(() -> shard.informers().values().stream().allMatch(InformerStatus::synced));
			assertThat(shard.phase()).isEqualTo(RuntimePhase.SYNCING);
			assertThat(shard.lease().status().phase()).isEqualTo(LeaseStatus.Phase.STOPPED);
		});
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
	}

	@Test
	void joinsNoRingIfTheLookFails() {
		Shard shard = this.world.shard("s1");
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, this::note).build());
		assertThatIllegalArgumentException().isThrownBy(() -> shard.start(() -> {
			throw new IllegalArgumentException("planned");
		})).withMessage("planned");
		assertThat(shard.phase()).isEqualTo(RuntimePhase.STOPPED);
		assertThat(
				this.world.client.leases().inNamespace(this.world.namespace).withName(this.world.shardName("s1")).get())
			.isNull();
	}

	@Test
	void reconcilesNothingBeforeItHoldsTheLease() {
		this.world.client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(this.world.shardName("s1"))
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity(ShardingLabels.SHARDER_IDENTITY)
				.withLeaseDurationSeconds((int) UNTIL_GIVEN_BACK.toSeconds())
				.withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
				.endSpec()
				.build())
			.create();
		this.world.secretOf("s1", "a");
		Shard shard = this.world.shard("s1");
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			assertThat(shard.lease().term()).isPresent();
			return note(secret);
		}).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.ACQUIRING);
		assertThat(this.reconciled).isEmpty();
		giveBack("s1");
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
	}

	@Test
	void aLostLeaseInterruptsEndsAndIsWonBack() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch interrupted = new CountDownLatch(1);
		AtomicBoolean block = new AtomicBoolean(true);
		Shard shard = this.world.running("s1", (secret) -> {
			if (block.get()) {
				running.countDown();
				try {
					new CountDownLatch(1).await(60, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					interrupted.countDown();
					throw ex;
				}
			}
			return note(secret);
		});
		List<RuntimePhase> phases = ShardWorld.phasesOf(shard);
		this.world.secretOf("s1", "a");
		assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
		long term = shard.lease().term().orElseThrow().number();
		takeLease("s1", Duration.ofSeconds(3));
		assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
		block.set(false);
		this.world.secretOf("s1", "meanwhile");
		ShardWorld.soon().until(() -> this.reconciled.containsAll(List.of("a", "meanwhile")));
		assertThat(shard.lease().term().orElseThrow().number()).isGreaterThan(term);
		ShardWorld.soon()
			.untilAsserted(() -> assertThat(phases).containsSubsequence(RuntimePhase.ACQUIRING, RuntimePhase.REFRESHING,
					RuntimePhase.RUNNING));
	}

	@Test
	void whatChangedWhileTheLeaseWasLostIsReconciledWhateverTheFilterSays() {
		Shard shard = this.world.running("s1", this::note, (spec) -> spec.filter((before, after) -> false));
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		takeLease("s1", UNTIL_GIVEN_BACK);
		this.world.awaitPhase(shard, RuntimePhase.ACQUIRING);
		this.reconciled.clear();
		this.world.client.secrets().inNamespace(this.world.namespace).withName("a").edit((secret) -> {
			secret.getData().put("key", "Y2hhbmdlZA==");
			return secret;
		});
		giveBack("s1");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
	}

	@Test
	void reconcilesOfAnObjectMovedAwayWhileTheLeaseWasLostDoNotComeBack() {
		Shard shard = this.world.running("s1", this::note);
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		takeLease("s1", UNTIL_GIVEN_BACK);
		this.world.awaitPhase(shard, RuntimePhase.ACQUIRING);
		this.reconciled.clear();
		this.world.assign("a", "s2");
		this.world.secretOf("s1", "b");
		giveBack("s1");
		ShardWorld.soon().until(() -> this.reconciled.contains("b"));
		assertThat(this.reconciled).doesNotContain("a");
	}

	@Test
	void aStopWaitsForTheRunningReconcileAndThenReleasesTheLease() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		Shard shard = this.world.patient().running("s1", (secret) -> {
			running.countDown();
			mayEnd.await(60, TimeUnit.SECONDS);
			return note(secret);
		});
		this.world.secretOf("s1", "a");
		assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
		Thread stop = new Thread(shard::close);
		stop.start();
		this.world.awaitPhase(shard, RuntimePhase.STOPPING);
		ShardWorld.forAWhile().until(() -> this.world.shardName("s1").equals(lease("s1").getHolderIdentity()));
		mayEnd.countDown();
		stop.join(60_000);
		assertThat(this.reconciled).containsExactly("a");
		assertThat(lease("s1").getHolderIdentity()).isEmpty();
		assertThat(shard.phase()).isEqualTo(RuntimePhase.STOPPED);
	}

	@Test
	void aStopLeavesTheLeaseIfAReconcileDoesNotEnd() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		this.world.options = this.world.options.withStopTimeout(Duration.ofMillis(300));
		Shard shard = this.world.running("s1", (secret) -> {
			running.countDown();
			while (mayEnd.getCount() > 0) {
				Thread.onSpinWait();
				Thread.interrupted();
				LockSupport.parkNanos(1_000_000);
			}
			return Result.done();
		});
		this.world.secretOf("s1", "a");
		assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
		shard.close();
		assertThat(lease("s1").getHolderIdentity()).isEqualTo(this.world.shardName("s1"));
		assertThat(lease("s1").getLeaseDurationSeconds()).isEqualTo(6);
		mayEnd.countDown();
	}

	@Test
	void aBlindShardGivesItsLeaseBackUntilItSeesAgain() {
		TcpProxy proxy = TcpProxy.to(this.controlPlane.apiServer());
		this.world.alsoClose(proxy);
		KubernetesClient throughProxy = this.controlPlane.admin().through(proxy).client();
		this.world.alsoClose(throughProxy);
		this.world.options = this.world.options.withGiveUpAfter(Duration.ofSeconds(2));
		Shard shard = this.world.shard("s1", throughProxy, null);
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, this::note).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		proxy.refuse();
		this.world.awaitPhase(shard, RuntimePhase.ISOLATED);
		ShardWorld.soon().until(() -> lease("s1").getHolderIdentity().isEmpty());
		this.world.secretOf("s1", "a");
		ShardWorld.forAWhile().until(this.reconciled::isEmpty);
		proxy.heal();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		assertThat(lease("s1").getHolderIdentity()).isEqualTo(this.world.shardName("s1"));
	}

	@Test
	void aResourceThatIsOnlyReadAndIsNotThereTakesNothingDown() {
		this.world.options = this.world.options.withGiveUpAfter(Duration.ofMillis(500));
		Shard shard = this.world.running("s1", this::note);
		shard.caches().of(MISSING);
		ShardWorld.soon().until(() -> shard.informers().values().stream().anyMatch(InformerStatus::refused));
		Awaitility.await()
			.during(Duration.ofSeconds(2))
			.atMost(Duration.ofSeconds(60))
			.until(() -> shard.phase() == RuntimePhase.RUNNING);
		// Nor does it keep the shard from coming back.
		List<RuntimePhase> phases = ShardWorld.phasesOf(shard);
		this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(this.world.shardName("s1"))
			.patch(PatchContext.of(PatchType.JSON_MERGE),
					"{\"spec\":{\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":1}}"
						.formatted(ShardingLabels.SHARDER_IDENTITY));
		ShardWorld.soon().until(() -> phases.contains(RuntimePhase.REFRESHING));
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
	}

	@Test
	void electedControllersRunInOneProcessAndMoveToTheNext() throws Exception {
		List<String> first = new CopyOnWriteArrayList<>();
		List<String> second = new CopyOnWriteArrayList<>();
		LeaderElectedControllers one = elected("one", first);
		one.start();
		ShardWorld.soon().until(() -> one.phase() == RuntimePhase.RUNNING);
		LeaderElectedControllers two = elected("two", second);
		two.start();
		this.world.secretOf("any", "a");
		ShardWorld.soon().until(() -> first.contains("a"));
		ShardWorld.forAWhile().until(second::isEmpty);
		one.close();
		ShardWorld.soon().until(() -> second.contains("a"));
	}

	@Test
	void whatAnElectedControllerBeganInOneTermWritesNothingInTheNext() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch go = new CountDownLatch(1);
		AtomicReference<Throwable> outcome = new AtomicReference<>();
		LeaderElectedControllers one = elected("one", (controllers, secret) -> {
			begun.countDown();
			Uninterruptibly.await(go);
			Throwable thrown = catchThrowable(() -> controllers.caches()
				.of(ConfigMap.class)
				.create(new ConfigMapBuilder().withNewMetadata()
					.withNamespace(this.world.namespace)
					.withName("late")
					.endMetadata()
					.build()));
			// The new term reconciles it again, and then it may.
			outcome.compareAndSet(null, thrown);
		});
		this.world.secretOf("any", "a");
		one.start();
		begun.await();
		String lease = "leader-" + this.world.ring;
		hold(lease, "somebody", Duration.ofMinutes(10));
		ShardWorld.soon().until(() -> one.phase() == RuntimePhase.ACQUIRING);
		hold(lease, "", Duration.ofSeconds(1));
		ShardWorld.soon().until(() -> one.phase() == RuntimePhase.RUNNING);
		go.countDown();
		ShardWorld.soon().untilAsserted(() -> assertThat(outcome.get()).isInstanceOf(WriteFencedException.class));
	}

	private void hold(String lease, String holder, Duration duration) {
		// Whatever version it has: its holder renews it.
		this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(lease)
			.patch(PatchContext.of(PatchType.JSON_MERGE),
					"{\"spec\":{\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d,\"renewTime\":\"%s\"}}"
						.formatted(holder, duration.toSeconds(), ZonedDateTime.now(ZoneOffset.UTC).format(MICROS)));
	}

	@Test
	void controllersWithoutElectionRunEverywhereBesideAShard() {
		List<String> plain = new CopyOnWriteArrayList<>();
		LeaderElectedControllers controllers = LeaderElectedControllers.everywhere(this.world.client,
				this.world.options);
		this.world.alsoClose(controllers);
		controllers.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			plain.add(secret.getMetadata().getName());
			return Result.done();
		}).named("plain").build());
		controllers.start();
		this.world.running("s1", this::note);
		this.world.secretOf("s1", "mine");
		this.world.secretOf("s2", "theirs");
		ShardWorld.soon().until(() -> plain.containsAll(List.of("mine", "theirs")));
		ShardWorld.soon().until(() -> this.reconciled.contains("mine"));
		assertThat(this.reconciled).doesNotContain("theirs");
	}

	private LeaderElectedControllers elected(String identity, List<String> seen) {
		return elected(identity, (controllers, secret) -> seen.add(secret.getMetadata().getName()));
	}

	private LeaderElectedControllers elected(String identity, BiConsumer<LeaderElectedControllers, Secret> reconciler) {
		KubernetesClient leaseClient = LeaseClients.create(this.world.client.getConfiguration(), ShardWorld.TIMINGS);
		LeaderElectedControllers controllers = LeaderElectedControllers.elected(this.world.client, leaseClient,
				LeaseHolderConfig.leader(this.world.namespace, "leader-" + this.world.ring, identity,
						ShardWorld.TIMINGS),
				this.world.options);
		this.world.alsoClose(leaseClient);
		this.world.alsoClose(controllers);
		controllers.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			reconciler.accept(controllers, secret);
			return Result.done();
		}).named(identity).build());
		return controllers;
	}

	/** As the sharder does with a Lease that it takes for dead. */
	private void takeLease(String shard, Duration duration) {
		hold(this.world.shardName(shard), ShardingLabels.SHARDER_IDENTITY, duration);
	}

	/** As the sharder does when all objects have moved. */
	private void giveBack(String shard) {
		String now = ZonedDateTime.now(ZoneOffset.UTC).format(MICROS);
		this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(this.world.shardName(shard))
			.patch(PatchContext.of(PatchType.JSON_MERGE),
					"{\"spec\":{\"holderIdentity\":\"\",\"leaseDurationSeconds\":1,\"renewTime\":\"%s\",\"acquireTime\":\"%s\"}}"
						.formatted(now, now));
	}

	private LeaseSpec lease(String shard) {
		return this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(this.world.shardName(shard))
			.get()
			.getSpec();
	}

	private Result note(Secret secret) {
		this.reconciled.add(secret.getMetadata().getName());
		return Result.done();
	}

}

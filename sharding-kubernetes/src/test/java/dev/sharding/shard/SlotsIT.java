package dev.sharding.shard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.Freshness;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.slot.SharderMark;
import dev.sharding.internal.core.slot.SlotDecision.Reason;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotNames;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.kubernetes.slot.SlotOptions;
import dev.sharding.internal.kubernetes.slot.StandbyStatus;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.DenyingWebhook;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Processes that acquire slots, give them back, stand by, and take over from those that
 * are gone, without a sharder: nobody moves anything here.
 */
@ControlPlaneTest
class SlotsIT {

	private static final ResourceDefinitionContext RINGS = new ResourceDefinitionContext.Builder()
		.withGroup("sharding.timebertt.dev")
		.withVersion("v1alpha1")
		.withKind("ControllerRing")
		.withPlural("controllerrings")
		.withNamespaced(false)
		.build();

	private static final int BYTES_PER_SECOND = 20_000;

	private final ControlPlane controlPlane;

	private final ShardWorld world;

	private final String prefix;

	/** Which pod has reconciled which object. */
	private final List<String> reconciled = new CopyOnWriteArrayList<>();

	private final List<AutoCloseable> open = new ArrayList<>();

	/** What a reconcile does besides. */
	private volatile Consumer<Secret> during = (secret) -> {
	};

	SlotsIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new ShardWorld(client, namespace);
		this.prefix = "slot-" + this.world.ring;
	}

	@BeforeEach
	void honourSlots() {
		CustomResourceDefinitions.apply(this.world.client, "/crds/controllerrings.yaml");
		honour("True");
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		this.world.close();
		rings().withName(this.world.ring).delete();
	}

	@Test
	void oneOfTwoCandidatesGetsTheSlotAndTheOtherStandsBy() {
		Shard one = start("one", 1);
		Shard other = start("other", 1);
		ShardWorld.soon().until(() -> running(one, other).size() == 1);
		Shard holder = running(one, other).get(0);
		Shard candidate = (holder == one) ? other : one;
		ShardWorld.soon().until(() -> reason(candidate) == Reason.ALL_HELD);
		assertThat(holder.name()).isEqualTo(slot(0));
		assertThat(holder.standby()).isEmpty();
		assertThat(candidate.phase()).isEqualTo(RuntimePhase.STANDBY);
		assertThat(candidate.name()).isEmpty();
		assertThat(candidate.standby().map(StandbyStatus::text).orElseThrow())
			.matches("standby for \\d+ s, all 1 slots held");
		assertThat(podOf(0)).isEqualTo((holder == one) ? "one" : "other");
		assertThatExceptionOfType(CacheNotFilledException.class)
			.isThrownBy(() -> candidate.caches()
				.of(ShardWorld.SECRETS)
				.get(new ObjectKey(this.world.namespace, "a"), Freshness.READ_YOUR_WRITES))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(CacheNotFilledException.Reason.STANDBY));
	}

	@Test
	void asManySlotsAsReplicasFillAtOnceAndOneMoreStandsBy() {
		List<Shard> shards = Stream.of("a", "b", "c", "d").map((pod) -> start(pod, 3)).toList();
		ShardWorld.soon().until(() -> running(shards.toArray(Shard[]::new)).size() == 3);
		assertThat(shards.stream().map(Shard::name).filter((name) -> !name.isEmpty()))
			.containsExactlyInAnyOrder(slot(0), slot(1), slot(2));
		Shard left = shards.stream().filter((shard) -> shard.name().isEmpty()).findFirst().orElseThrow();
		ShardWorld.soon().until(() -> reason(left) == Reason.ALL_HELD);
	}

	@Test
	void whatIsGivenBackIsTakenAtOnceAndNothingIsWritten() {
		secretOfSlot(0, "a");
		secretOfSlot(0, "b");
		Shard first = start("first", 1);
		awaitReconciled("first", "a", "b");
		// There was no Lease, so somebody might have been at work: these were touched.
		Map<String, String> before = versions("a", "b");
		ShardWorld.soon().until(() -> !slotLease(0).isTouchDue());
		Shard second = start("second", 1);
		ShardWorld.soon().until(() -> reason(second) == Reason.ALL_HELD);
		first.close();
		SlotLease marked = slotLease(0);
		assertThat(marked.isGivenBack() || podOf(0).equals("second")).isTrue();
		this.world.awaitPhase(second, RuntimePhase.RUNNING);
		awaitReconciled("second", "a", "b");
		assertThat(versions("a", "b")).isEqualTo(before);
		assertThat(second.name()).isEqualTo(slot(0));
		assertThat(podOf(0)).isEqualTo("second");
		assertThat(slotLease(0).isTouchDue()).isFalse();
		assertThat(slotLease(0).annotations()).doesNotContainKeys(ShardingLabels.GIVEN_BACK, ShardingLabels.STOPPING);
		ShardWorld.soon().until(() -> events().stream().anyMatch((note) -> note.contains("second took the slot over")));
	}

	@Test
	void aHolderThatIsGoneLeavesItsObjectsToACandidateWhichTouchesThemFirst() throws Exception {
		secretOfSlot(0, "a");
		configMapOf(0, "a");
		TcpProxy link = link();
		Shard first = start("first", 1, options("first", 1), this.controlPlane.admin().through(link).config());
		awaitReconciled("first", "a");
		Secret seen = secret("a");
		ConfigMap seenToo = configMap("a");
		Shard second = start("second", 1);
		ShardWorld.soon().until(() -> reason(second) == Reason.ALL_HELD);
		link.pause();
		this.world.awaitPhase(second, RuntimePhase.RUNNING);
		awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(secret("a"), ShardingLabels.TOUCHED)).startsWith(instanceOf(0));
		assertThat(configMap("a").getMetadata().getAnnotations()).containsKey(ShardingLabels.TOUCHED);
		// What the former holder has sent and what comes now.
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.world.client.resource(seen).update())
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(409));
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.world.client.resource(seenToo).update())
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(409));
		ShardWorld.soon().until(() -> !slotLease(0).isTouchDue());
		link.heal();
		this.world.awaitPhase(first, RuntimePhase.STANDBY);
		assertThat(first.name()).isEmpty();
	}

	@Test
	void anObjectThatAWebhookLetsNobodyTouchHoldsUpNoOther() throws Exception {
		secretOfSlot(0, "a");
		secretOfSlot(0, "denied");
		TcpProxy link = link();
		start("first", 1, options("first", 1), this.controlPlane.admin().through(link).config());
		awaitReconciled("first", "a", "denied");
		Shard second = start("second", 1);
		ShardWorld.soon().until(() -> reason(second) == Reason.ALL_HELD);
		String denial = "{\"code\":403,\"message\":\"not now\",\"details\":{\"retryAfterSeconds\":300}}";
		this.open.add(DenyingWebhook.in(this.world.client, this.world.namespace,
				(name) -> name.equals("denied") ? denial : null));
		link.pause();
		this.world.awaitPhase(second, RuntimePhase.RUNNING);
		awaitReconciled("second", "a", "denied");
		assertThat(ShardWorld.annotation(secret("a"), ShardingLabels.TOUCHED)).startsWith(instanceOf(0));
		assertThat(ShardWorld.annotation(secret("denied"), ShardingLabels.TOUCHED)).doesNotStartWith(instanceOf(0));
		// Whoever comes next tries again.
		assertThat(slotLease(0).isTouchDue()).isTrue();
	}

	@Test
	void aProcessThatLosesItsTermStandsByAndTakesAnotherSlotsObjects() throws Exception {
		secretOfSlot(0, "a");
		secretOfSlot(1, "b");
		TcpProxy link = link();
		Shard first = start("first", 2, options("first", 2), this.controlPlane.admin().through(link).config());
		this.world.awaitPhase(first, RuntimePhase.RUNNING);
		Shard second = start("second", 2);
		this.world.awaitPhase(second, RuntimePhase.RUNNING);
		Shard third = start("third", 2);
		ShardWorld.soon().until(() -> reason(third) == Reason.ALL_HELD);
		link.pause();
		this.world.awaitPhase(third, RuntimePhase.RUNNING);
		link.heal();
		this.world.awaitPhase(first, RuntimePhase.STANDBY);
		String object = third.name().equals(slot(0)) ? "b" : "a";
		this.reconciled.clear();
		second.close();
		this.world.awaitPhase(first, RuntimePhase.RUNNING);
		awaitReconciled("first", object);
		assertThat(this.reconciled).doesNotContain("first " + (object.equals("a") ? "b" : "a"));
		assertThat(first.caches().of(ShardWorld.SECRETS).list()).extracting((secret) -> secret.getMetadata().getName())
			.containsExactly(object);
	}

	@Test
	void aLeaseDeletedByHandIsMadeAnewAndHasOneHolder() {
		secretOfSlot(0, "a");
		Shard holder = start("holder", 1);
		awaitReconciled("holder", "a");
		Shard candidate = start("candidate", 1);
		ShardWorld.soon().until(() -> reason(candidate) == Reason.ALL_HELD);
		String uid = lease(0).get().getMetadata().getUid();
		lease(0).delete();
		ShardWorld.soon().until(() -> {
			Lease made = lease(0).get();
			return made != null && !made.getMetadata().getUid().equals(uid) && running(holder, candidate).size() == 1;
		});
		Shard owner = running(holder, candidate).get(0);
		this.reconciled.clear();
		this.world.merge("a", "{\"metadata\":{\"annotations\":{\"changed\":\"yes\"}}}");
		awaitReconciled((owner == holder) ? "holder" : "candidate", "a");
		assertThat(this.reconciled).doesNotContain(((owner == holder) ? "candidate" : "holder") + " a");
	}

	@Test
	void aLeaseEmptiedByHandIsNoGiveBack() {
		secretOfSlot(0, "a");
		Shard holder = start("holder", 1);
		awaitReconciled("holder", "a");
		lease(0).patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"holderIdentity\":\"\"}}");
		ShardWorld.soon().until(() -> holder.phase() == RuntimePhase.STANDBY || slotLease(0).record().isHeldByItself());
		this.reconciled.clear();
		awaitReconciled("holder", "a");
		assertThat(ShardWorld.annotation(secret("a"), ShardingLabels.TOUCHED)).isNotEmpty();
	}

	@Test
	void aWriteWithoutAnAnswerLeavesTheLeaseToRunOut() throws Exception {
		secretOfSlot(0, "a");
		TcpProxy link = link();
		this.world.options = this.world.options.withStopTimeout(Duration.ofSeconds(1));
		Shard first = shard("first", options("first", 1), through(link), this.world.client.getConfiguration());
		writesWithoutAnAnswer(first, link);
		first.close();
		assertThat(slotLease(0).record().isHeldByItself()).isTrue();
		assertThat(slotLease(0).isGivenBack()).isFalse();
		Shard second = start("second", 1);
		awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(secret("a"), ShardingLabels.TOUCHED)).startsWith(instanceOf(0));
		assertThat(second.name()).isEqualTo(slot(0));
	}

	@Test
	void aWriteThatWasLeftWithoutAnAnswerLongAgoHoldsUpNobodyAndIsRefusedByTheTouchOfTheNextHolder() {
		secretOfSlot(0, "a");
		TcpProxy link = link();
		Shard first = shard("first", options("first", 1), through(link), this.world.client.getConfiguration());
		writesWithoutAnAnswer(first, link);
		link.cut();
		link.heal();
		awaitReconciled("first", "a");
		awaitALease();
		first.close();
		assertThat(slotLease(0).isGivenBack()).isTrue();
		assertThat(slotLease(0).isTouchDue()).isTrue();
		Secret seen = secret("a");
		start("second", 1);
		awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(secret("a"), ShardingLabels.TOUCHED)).startsWith(instanceOf(0));
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.world.client.resource(seen).update())
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(409));
		ShardWorld.soon().until(() -> !slotLease(0).isTouchDue());
	}

	@Test
	void aNamesakeTouchesWhatAShardWithAGraceHasWrittenWithoutAnAnswer() {
		this.world.secretOf("own", "a");
		TcpProxy link = link();
		Shard first = named("first", through(link));
		writesWithoutAnAnswer(first, link);
		link.cut();
		link.heal();
		awaitReconciled("first", "a");
		awaitALease();
		first.close();
		Resource<Lease> lease = this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(this.world.shardName("own"));
		assertThat(LeaseRecords.slotLease(lease.get()).isWaitedFor()).isTrue();
		assertThat(LeaseRecords.slotLease(lease.get()).isTouchDue()).isTrue();
		named("second", this.world.client).start();
		awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(secret("a"), ShardingLabels.TOUCHED)).isNotEmpty();
		ShardWorld.soon().until(() -> !LeaseRecords.slotLease(lease.get()).isTouchDue());
	}

	@Test
	void anEventWithoutAnAnswerConcernsNoNextHolder() {
		secretOfSlot(0, "a");
		TcpProxy link = link();
		Shard first = shard("first", options("first", 1), through(link), this.world.client.getConfiguration());
		first.start();
		awaitReconciled("first", "a");
		ShardWorld.soon().until(() -> !slotLease(0).isTouchDue());
		link.pauseResponses();
		first.events().normal(secret("a"), "Said", "Say", "Nobody hears the answer");
		ShardWorld.soon().until(() -> events().contains("Nobody hears the answer"));
		link.cut();
		link.heal();
		first.close();
		assertThat(slotLease(0).isGivenBack()).isTrue();
		assertThat(slotLease(0).isTouchDue()).isFalse();
	}

	private KubernetesClient through(TcpProxy link) {
		KubernetesClient data = new KubernetesClientBuilder()
			.withConfig(this.controlPlane.admin().through(link).config())
			.build();
		this.open.add(data);
		return data;
	}

	/** Starts a shard, whose first reconcile writes what is stored but not answered. */
	private void writesWithoutAnAnswer(Shard shard, TcpProxy link) {
		CountDownLatch mayWrite = new CountDownLatch(1);
		this.during = (secret) -> {
			await(mayWrite);
			shard.caches()
				.of(ShardWorld.SECRETS)
				.patch(secret, (copy) -> ShardWorld.annotated(copy, "written-by", "first"));
		};
		shard.start();
		awaitReconciled("first", "a");
		link.pauseResponses();
		mayWrite.countDown();
		ShardWorld.soon().until(() -> ShardWorld.annotation(secret("a"), "written-by").equals("first"));
		this.during = (secret) -> {
		};
		this.reconciled.clear();
	}

	private static void awaitALease() {
		Awaitility.await().pollDelay(ShardWorld.TIMINGS.leaseDuration()).until(() -> true);
	}

	@Test
	void aNamesakeOfAShardWithAGraceTakesItsLeaseAtOnceAndTouchesNothing() throws Exception {
		this.world.secretOf("own", "a");
		Shard first = named("first", this.world.client);
		first.start();
		awaitReconciled("first", "a");
		String version = secret("a").getMetadata().getResourceVersion();
		first.close();
		Resource<Lease> lease = this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(this.world.shardName("own"));
		assertThat(LeaseRecords.slotLease(lease.get()).isWaitedFor()).isTrue();
		named("second", this.world.client).start();
		awaitReconciled("second", "a");
		assertThat(secret("a").getMetadata().getResourceVersion()).isEqualTo(version);
		assertThat(LeaseRecords.slotLease(lease.get()).isTouchDue()).isFalse();
	}

	@Test
	void aNamesakeWithoutAGraceTouchesWhatItFindsToBeTouchedOnceAndNotInEachTerm() {
		this.world.secretOf("own", "a");
		Shard first = named("first", this.world.client);
		first.start();
		awaitReconciled("first", "a");
		first.close();
		Resource<Lease> lease = this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(this.world.shardName("own"));
		lease.patch(PatchContext.of(PatchType.JSON_MERGE),
				"{\"metadata\":{\"annotations\":{\"%s\":\"true\"}}}".formatted(ShardingLabels.TOUCH_DUE));
		Shard second = this.world.shard("own");
		second.add(controller("second"));
		second.start();
		awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(secret("a"), ShardingLabels.TOUCHED)).isNotEmpty();
		ShardWorld.soon().until(() -> !LeaseRecords.slotLease(lease.get()).isTouchDue());
	}

	private Shard named(String pod, KubernetesClient data) {
		KubernetesClient leaseClient = LeaseClients.create(this.world.client.getConfiguration(), ShardWorld.TIMINGS);
		Shard shard = new Shard(data, leaseClient, this.world.ring,
				LeaseHolderConfig
					.shard(this.world.namespace, this.world.ring, this.world.shardName("own"), ShardWorld.TIMINGS)
					.withGrace(Duration.ofSeconds(30), pod, null),
				this.world.options);
		this.open.add(leaseClient);
		this.open.add(shard);
		shard.add(controller(pod));
		return shard;
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void aLeaseOfAnotherRingIsLeftAlone() {
		Lease foreign = this.world.client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(slot(0))
				.addToLabels(ShardingLabels.LEASE_RING, "another")
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity("somebody")
				.endSpec()
				.build())
			.create();
		Shard shard = start("pod", 2);
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		assertThat(shard.name()).isEqualTo(slot(1));
		assertThat(lease(0).get().getMetadata().getResourceVersion())
			.isEqualTo(foreign.getMetadata().getResourceVersion());
	}

	@Test
	void withoutASharderThatKnowsSlotsNothingIsTakenThatObjectsBearTheLabelOf() {
		honour("False");
		secretOfSlot(0, "a");
		Shard shard = start("pod", 1);
		ShardWorld.soon().until(() -> reason(shard) == Reason.SHARDER_UNKNOWN);
		assertThat(shard.standby().map(StandbyStatus::text).orElseThrow())
			.contains("the leading sharder is not seen to leave slots to their next holder");
		ShardWorld.forAWhile().until(() -> shard.phase() == RuntimePhase.STANDBY && lease(0).get() == null);
		honour("True");
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		awaitReconciled("pod", "a");
	}

	@Test
	void aCandidateThatMayNotListIsNotReady() throws Exception {
		TcpProxy refusing = link();
		Config access = this.controlPlane.admin().through(refusing).config();
		refusing.refuse();
		KubernetesClient data = new KubernetesClientBuilder().withConfig(access).build();
		this.open.add(data);
		Shard shard = shard("pod", options("pod", 1), data, this.world.client.getConfiguration());
		shard.start();
		ShardWorld.soon()
			.until(() -> shard.standby().filter((standby) -> standby.lastError() != null).isPresent()
					|| shard.phase() == RuntimePhase.SYNCING);
		assertThat(shard.standby().filter(StandbyStatus::ready)).isEmpty();
		refusing.heal();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
	}

	@Test
	void aProcessThatStopsTakesNoSlot() throws Exception {
		secretOfSlot(0, "a");
		CountDownLatch go = new CountDownLatch(1);
		AtomicBoolean hung = new AtomicBoolean();
		this.during = (secret) -> {
			if (hung.compareAndSet(false, true)) {
				Uninterruptibly.await(go);
			}
		};
		TcpProxy link = link();
		Shard first = start("first", 1, options("first", 1), this.controlPlane.admin().through(link).config());
		awaitReconciled("first", "a");
		link.pause();
		Shard second = start("second", 1);
		awaitReconciled("second", "a");
		link.heal();
		this.world.awaitPhase(first, RuntimePhase.STANDBY);
		Thread stop = new Thread(first::close);
		stop.start();
		try {
			this.world.awaitPhase(first, RuntimePhase.STOPPING);
			second.close();
			assertThat(slotLease(0).annotations()).containsKey(ShardingLabels.GIVEN_BACK);
			ShardWorld.forAWhile().until(() -> podOf(0).equals("second"));
		}
		finally {
			go.countDown();
			stop.join();
		}
	}

	@Test
	void aSlotWhoseListTakesLongIsFilledAtTheFirstAttempt() {
		startWithSlowLists("pod", link());
		awaitReconciled("pod", "a");
		assertThat(slotLease(0).record().leaseTransitions()).isZero();
	}

	@Test
	void aSlotGoesToAnotherCandidateWhenItsHolderIsCutOffWhileItFills() {
		TcpProxy link = link();
		Shard first = startWithSlowLists("first", link);
		this.world.awaitPhase(first, RuntimePhase.SYNCING);
		Shard second = start("second", 1);
		ShardWorld.soon().until(() -> reason(second) == Reason.ALL_HELD);
		link.refuse();
		awaitReconciled("second", "a");
		assertThat(first.phase()).isEqualTo(RuntimePhase.STANDBY);
	}

	@Test
	void aCacheThatNobodyDeclaredAndThatNeverFillsKeepsNoSlotFromBeingServed() {
		Shard holder = start("holder", 1);
		ShardWorld.soon().until(() -> running(holder).size() == 1);
		Shard candidate = start("candidate", 1);
		candidate.caches()
			.of(ResourceType.of(new ResourceDefinitionContext.Builder().withGroup("nowhere.example.com")
				.withVersion("v1")
				.withKind("Thing")
				.withPlural("things")
				.withNamespaced(true)
				.build()));
		holder.close();
		ShardWorld.soon().until(() -> running(candidate).size() == 1);
	}

	private Shard startWithSlowLists(String pod, TcpProxy link) {
		largeSecretOfSlot(0, "a");
		link.throttle(BYTES_PER_SECOND);
		Shard shard = shard(pod, options(pod, 1), through(link), this.world.client.getConfiguration());
		shard.start();
		return shard;
	}

	private Shard start(String pod, int slots) {
		return start(pod, slots, options(pod, slots), this.world.client.getConfiguration());
	}

	private Shard start(String pod, int slots, SlotOptions options, Config leaseAccess) {
		Shard shard = shard(pod, options, this.world.client, leaseAccess);
		shard.start();
		return shard;
	}

	private Shard shard(String pod, SlotOptions options, KubernetesClient data, Config leaseAccess) {
		KubernetesClient leaseClient = LeaseClients.create(leaseAccess, ShardWorld.TIMINGS);
		Shard shard = Shard.ofSlots(data, leaseClient, options, this.world.options, null);
		shard.add(controller(pod));
		this.open.add(leaseClient);
		this.open.add(shard);
		return shard;
	}

	private ControllerSpec<Secret> controller(String pod) {
		return ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			this.reconciled.add(pod + " " + secret.getMetadata().getName());
			this.during.accept(secret);
			return Result.done();
		}).owns(ShardWorld.CONFIG_MAPS).build();
	}

	private SlotOptions options(String pod, int slots) {
		return new SlotOptions(this.world.namespace, this.world.ring, new SlotNames(this.prefix, slots),
				ShardWorld.TIMINGS, pod + "-" + System.nanoTime(), Duration.ofMinutes(10), Duration.ofSeconds(30),
				Duration.ofSeconds(30), pod, null, this.world.namespace, "no-election");
	}

	private TcpProxy link() {
		TcpProxy proxy = TcpProxy.to(this.controlPlane.apiServer());
		this.open.add(proxy);
		return proxy;
	}

	private void honour(String status) {
		GenericKubernetesResource ring = new GenericKubernetesResourceBuilder()
			.withApiVersion("sharding.timebertt.dev/v1alpha1")
			.withKind("ControllerRing")
			.withNewMetadata()
			.withName(this.world.ring)
			.endMetadata()
			.withAdditionalProperties(Map.of("status",
					Map.of("conditions",
							List.of(Map.of("type", ShardingLabels.CONDITION_SLOTS_HONOURED, "status", status, "reason",
									SharderMark.NOT_ELECTED)))))
			.build();
		rings().resource(ring).createOr((present) -> present.update());
	}

	private NonNamespaceOperation<GenericKubernetesResource, ?, Resource<GenericKubernetesResource>> rings() {
		return this.world.client.genericKubernetesResources(RINGS);
	}

	private String slot(int number) {
		return new SlotNames(this.prefix, SlotNames.MOST).name(number);
	}

	private void secretOfSlot(int slot, String name) {
		this.world.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(name)
				.addToLabels(ShardingLabels.shard(this.world.ring), slot(slot))
				.endMetadata()
				.build())
			.create();
	}

	/** Takes about 15 s, with or without compression, at so many bytes a second. */
	private void largeSecretOfSlot(int slot, String name) {
		byte[] random = new byte[9 * BYTES_PER_SECOND];
		new Random(1).nextBytes(random);
		this.world.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(name)
				.addToLabels(ShardingLabels.shard(this.world.ring), slot(slot))
				.endMetadata()
				.addToData("random", Base64.getEncoder().encodeToString(random))
				.build())
			.create();
	}

	private void configMapOf(int slot, String name) {
		this.world.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(name)
				.addToLabels(ShardingLabels.shard(this.world.ring), slot(slot))
				.endMetadata()
				.build())
			.create();
	}

	private Secret secret(String name) {
		return this.world.client.secrets().inNamespace(this.world.namespace).withName(name).get();
	}

	private ConfigMap configMap(String name) {
		return this.world.client.configMaps().inNamespace(this.world.namespace).withName(name).get();
	}

	private Map<String, String> versions(String... names) {
		Map<String, String> versions = new HashMap<>();
		for (String name : names) {
			versions.put(name, secret(name).getMetadata().getResourceVersion());
		}
		return versions;
	}

	private Resource<Lease> lease(int slot) {
		return this.world.client.leases().inNamespace(this.world.namespace).withName(slot(slot));
	}

	private SlotLease slotLease(int slot) {
		return LeaseRecords.slotLease(lease(slot).get());
	}

	private String podOf(int slot) {
		return lease(slot).get().getMetadata().getLabels().getOrDefault(ShardingLabels.POD, "");
	}

	private String instanceOf(int slot) {
		return String.valueOf(slotLease(slot).record().instanceId());
	}

	private List<String> events() {
		return this.world.client.v1()
			.events()
			.inNamespace(this.world.namespace)
			.list()
			.getItems()
			.stream()
			.map((event) -> String.valueOf(event.getMessage()))
			.toList();
	}

	private void awaitReconciled(String pod, String... names) {
		ShardWorld.soon()
			.untilAsserted(() -> assertThat(this.reconciled)
				.containsAll(Stream.of(names).map((name) -> pod + " " + name).toList()));
	}

	private static List<Shard> running(Shard... shards) {
		return Stream.of(shards).filter((shard) -> shard.phase() == RuntimePhase.RUNNING).toList();
	}

	private static @Nullable Reason reason(Shard shard) {
		return shard.standby().map(StandbyStatus::reason).orElse(null);
	}

}

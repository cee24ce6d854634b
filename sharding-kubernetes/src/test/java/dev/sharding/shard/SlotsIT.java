package dev.sharding.shard;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.Freshness;
import dev.sharding.internal.core.slot.SlotDecision.Reason;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.kubernetes.slot.StandbyStatus;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.DenyingWebhook;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Processes that acquire slots, give them back, stand by, and take over from those that
 * are gone.
 */
@ControlPlaneTest
class SlotsIT {

	private final SlotShards slots;

	SlotsIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.slots = new SlotShards(controlPlane, client, namespace);
	}

	@AfterEach
	void close() throws Exception {
		this.slots.close();
	}

	@Test
	void oneOfTwoCandidatesGetsTheSlotAndTheOtherStandsBy() {
		this.slots.patient();
		Shard one = this.slots.start("one", 1);
		Shard other = this.slots.start("other", 1);
		ShardWorld.soon().until(() -> SlotShards.running(one, other).size() == 1);
		Shard holder = SlotShards.running(one, other).get(0);
		Shard candidate = (holder == one) ? other : one;
		ShardWorld.soon().until(() -> SlotShards.reason(candidate) == Reason.ALL_HELD);
		assertThat(holder.name()).isEqualTo(this.slots.slot(0));
		assertThat(holder.standby()).isEmpty();
		assertThat(candidate.phase()).isEqualTo(RuntimePhase.STANDBY);
		assertThat(candidate.name()).isEmpty();
		assertThat(candidate.standby().map(StandbyStatus::text).orElseThrow())
			.matches("standby for \\d+ s, all 1 slots held");
		assertThat(this.slots.podOf(0)).isEqualTo((holder == one) ? "one" : "other");
		assertThatExceptionOfType(CacheNotFilledException.class)
			.isThrownBy(() -> candidate.caches()
				.of(ShardWorld.SECRETS)
				.get(new ObjectKey(this.slots.world.namespace, "a"), Freshness.READ_YOUR_WRITES))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(CacheNotFilledException.Reason.STANDBY));
	}

	@Test
	void asManySlotsAsReplicasFillAtOnceAndOneMoreStandsBy() {
		this.slots.patient();
		List<Shard> shards = Stream.of("a", "b", "c", "d").map((pod) -> this.slots.start(pod, 3)).toList();
		ShardWorld.soon().until(() -> SlotShards.running(shards.toArray(Shard[]::new)).size() == 3);
		assertThat(shards.stream().map(Shard::name).filter((name) -> !name.isEmpty()))
			.containsExactlyInAnyOrder(this.slots.slot(0), this.slots.slot(1), this.slots.slot(2));
		Shard left = shards.stream().filter((shard) -> shard.name().isEmpty()).findFirst().orElseThrow();
		ShardWorld.soon().until(() -> SlotShards.reason(left) == Reason.ALL_HELD);
	}

	@Test
	void aStopGivesBackASlotThatWasTakenWithoutAnAnswer() throws Exception {
		CountDownLatch lost = new CountDownLatch(1);
		try (AnswerProxy gateway = AnswerProxy.before(this.slots.controlPlane.admin(), (request) -> {
			if (request.method().equals("POST") && request.path().endsWith("/leases")
					&& !request.query().contains("dryRun") && lost.getCount() > 0) {
				lost.countDown();
				return new Answer(504, Map.of(), "{}");
			}
			return null;
		})) {
			Shard shard = this.slots.start("pod", 1, this.slots.options("pod", 1), gateway.config());
			assertThat(lost.await(1, TimeUnit.MINUTES)).isTrue();
			shard.close();
			assertThat(this.slots.slotLease(0).record().isReleased()).isTrue();
		}
	}

	@Test
	void whatIsGivenBackIsTakenAtOnceAndNothingIsWritten() {
		this.slots.patient();
		this.slots.secretOfSlot(0, "a");
		this.slots.secretOfSlot(0, "b");
		Shard first = this.slots.start("first", 1);
		this.slots.awaitReconciled("first", "a", "b");
		// There was no Lease, so somebody might have been at work: these were touched.
		Map<String, String> before = this.slots.versions("a", "b");
		ShardWorld.soon().until(() -> !this.slots.slotLease(0).isTouchDue());
		Shard second = this.slots.start("second", 1);
		ShardWorld.soon().until(() -> SlotShards.reason(second) == Reason.ALL_HELD);
		first.close();
		SlotLease marked = this.slots.slotLease(0);
		assertThat(marked.isGivenBack() || this.slots.podOf(0).equals("second")).isTrue();
		this.slots.world.awaitPhase(second, RuntimePhase.RUNNING);
		this.slots.awaitReconciled("second", "a", "b");
		assertThat(this.slots.versions("a", "b")).isEqualTo(before);
		assertThat(second.name()).isEqualTo(this.slots.slot(0));
		assertThat(this.slots.podOf(0)).isEqualTo("second");
		assertThat(this.slots.slotLease(0).isTouchDue()).isFalse();
		assertThat(this.slots.slotLease(0).annotations()).doesNotContainKeys(ShardingLabels.GIVEN_BACK,
				ShardingLabels.STOPPING);
		ShardWorld.soon()
			.until(() -> this.slots.events().stream().anyMatch((note) -> note.contains("second took the slot over")));
	}

	@Test
	void aHolderThatIsGoneLeavesItsObjectsToACandidateWhichTouchesThemFirst() throws Exception {
		this.slots.secretOfSlot(0, "a");
		this.slots.configMapOf(0, "a");
		TcpProxy link = this.slots.link();
		Shard first = this.slots.start("first", 1, this.slots.options("first", 1),
				this.slots.controlPlane.admin().through(link).config());
		this.slots.awaitReconciled("first", "a");
		Secret seen = this.slots.secret("a");
		ConfigMap seenToo = this.slots.configMap("a");
		Shard second = this.slots.start("second", 1);
		ShardWorld.soon().until(() -> SlotShards.reason(second) == Reason.ALL_HELD);
		link.pause();
		this.slots.world.awaitPhase(second, RuntimePhase.RUNNING);
		this.slots.awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED))
			.startsWith(this.slots.instanceOf(0));
		assertThat(this.slots.configMap("a").getMetadata().getAnnotations()).containsKey(ShardingLabels.TOUCHED);
		// What the former holder has sent and what comes now.
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.slots.world.client.resource(seen).update())
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(409));
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.slots.world.client.resource(seenToo).update())
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(409));
		ShardWorld.soon().until(() -> !this.slots.slotLease(0).isTouchDue());
		link.heal();
		this.slots.world.awaitPhase(first, RuntimePhase.STANDBY);
		assertThat(first.name()).isEmpty();
	}

	@Test
	void anObjectThatAWebhookLetsNobodyTouchHoldsUpNoOther() throws Exception {
		this.slots.secretOfSlot(0, "a");
		this.slots.secretOfSlot(0, "denied");
		TcpProxy link = this.slots.link();
		this.slots.start("first", 1, this.slots.options("first", 1),
				this.slots.controlPlane.admin().through(link).config());
		this.slots.awaitReconciled("first", "a", "denied");
		Shard second = this.slots.start("second", 1);
		ShardWorld.soon().until(() -> SlotShards.reason(second) == Reason.ALL_HELD);
		String denial = "{\"code\":403,\"message\":\"not now\",\"details\":{\"retryAfterSeconds\":300}}";
		this.slots.open.add(DenyingWebhook.in(this.slots.world.client, this.slots.world.namespace,
				(name) -> name.equals("denied") ? denial : null));
		link.pause();
		this.slots.world.awaitPhase(second, RuntimePhase.RUNNING);
		this.slots.awaitReconciled("second", "a", "denied");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED))
			.startsWith(this.slots.instanceOf(0));
		assertThat(ShardWorld.annotation(this.slots.secret("denied"), ShardingLabels.TOUCHED))
			.doesNotStartWith(this.slots.instanceOf(0));
		// Whoever comes next tries again.
		assertThat(this.slots.slotLease(0).isTouchDue()).isTrue();
	}

	@Test
	void aProcessThatLosesItsTermStandsByAndTakesAnotherSlotsObjects() throws Exception {
		this.slots.secretOfSlot(0, "a");
		this.slots.secretOfSlot(1, "b");
		TcpProxy link = this.slots.link();
		Shard first = this.slots.start("first", 2, this.slots.options("first", 2),
				this.slots.controlPlane.admin().through(link).config());
		this.slots.world.awaitPhase(first, RuntimePhase.RUNNING);
		Shard second = this.slots.start("second", 2);
		this.slots.world.awaitPhase(second, RuntimePhase.RUNNING);
		Shard third = this.slots.start("third", 2);
		ShardWorld.soon().until(() -> SlotShards.reason(third) == Reason.ALL_HELD);
		link.pause();
		this.slots.world.awaitPhase(third, RuntimePhase.RUNNING);
		link.heal();
		this.slots.world.awaitPhase(first, RuntimePhase.STANDBY);
		String object = third.name().equals(this.slots.slot(0)) ? "b" : "a";
		this.slots.reconciled.clear();
		second.close();
		this.slots.world.awaitPhase(first, RuntimePhase.RUNNING);
		this.slots.awaitReconciled("first", object);
		assertThat(this.slots.reconciled).doesNotContain("first " + (object.equals("a") ? "b" : "a"));
		assertThat(first.caches().of(ShardWorld.SECRETS).list()).extracting((secret) -> secret.getMetadata().getName())
			.containsExactly(object);
	}

	@Test
	void aLeaseDeletedByHandIsMadeAnewAndHasOneHolder() {
		this.slots.secretOfSlot(0, "a");
		Shard holder = this.slots.start("holder", 1);
		this.slots.awaitReconciled("holder", "a");
		Shard candidate = this.slots.start("candidate", 1);
		ShardWorld.soon().until(() -> SlotShards.reason(candidate) == Reason.ALL_HELD);
		String uid = this.slots.lease(0).get().getMetadata().getUid();
		this.slots.lease(0).delete();
		ShardWorld.soon().until(() -> {
			Lease made = this.slots.lease(0).get();
			return made != null && !made.getMetadata().getUid().equals(uid)
					&& SlotShards.running(holder, candidate).size() == 1;
		});
		Shard owner = SlotShards.running(holder, candidate).get(0);
		this.slots.reconciled.clear();
		this.slots.world.merge("a", "{\"metadata\":{\"annotations\":{\"changed\":\"yes\"}}}");
		this.slots.awaitReconciled((owner == holder) ? "holder" : "candidate", "a");
		assertThat(this.slots.reconciled).doesNotContain(((owner == holder) ? "candidate" : "holder") + " a");
	}

	@Test
	void aLeaseEmptiedByHandIsNoGiveBack() {
		this.slots.secretOfSlot(0, "a");
		Shard holder = this.slots.start("holder", 1);
		this.slots.awaitReconciled("holder", "a");
		this.slots.reconciled.clear();
		this.slots.lease(0).patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"holderIdentity\":\"\"}}");
		ShardWorld.soon()
			.until(() -> holder.phase() == RuntimePhase.STANDBY || this.slots.slotLease(0).record().isHeldByItself());
		this.slots.awaitReconciled("holder", "a");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED)).isNotEmpty();
	}

	@Test
	void aLeaseOfAnotherRingIsLeftAlone() {
		Lease foreign = this.slots.world.client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(this.slots.world.namespace)
				.withName(this.slots.slot(0))
				.addToLabels(ShardingLabels.LEASE_RING, "another")
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity("somebody")
				.endSpec()
				.build())
			.create();
		Shard shard = this.slots.start("pod", 2);
		this.slots.world.awaitPhase(shard, RuntimePhase.RUNNING);
		assertThat(shard.name()).isEqualTo(this.slots.slot(1));
		assertThat(this.slots.lease(0).get().getMetadata().getResourceVersion())
			.isEqualTo(foreign.getMetadata().getResourceVersion());
	}

	@Test
	void withoutASharderThatKnowsSlotsNothingIsTakenThatObjectsBearTheLabelOf() {
		this.slots.honour("False");
		this.slots.secretOfSlot(0, "a");
		Shard shard = this.slots.start("pod", 1);
		ShardWorld.soon().until(() -> SlotShards.reason(shard) == Reason.SHARDER_UNKNOWN);
		assertThat(shard.standby().map(StandbyStatus::text).orElseThrow())
			.contains("the leading sharder is not seen to leave slots to their next holder");
		ShardWorld.forAWhile().until(() -> shard.phase() == RuntimePhase.STANDBY && this.slots.lease(0).get() == null);
		this.slots.honour("True");
		this.slots.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.slots.awaitReconciled("pod", "a");
	}

	@Test
	void aProcessThatStopsTakesNoSlot() throws Exception {
		this.slots.secretOfSlot(0, "a");
		CountDownLatch go = new CountDownLatch(1);
		AtomicBoolean hung = new AtomicBoolean();
		this.slots.during = (secret) -> {
			if (hung.compareAndSet(false, true)) {
				Uninterruptibly.await(go);
			}
		};
		TcpProxy link = this.slots.link();
		Shard first = this.slots.start("first", 1, this.slots.options("first", 1),
				this.slots.controlPlane.admin().through(link).config());
		this.slots.awaitReconciled("first", "a");
		link.pause();
		Shard second = this.slots.start("second", 1);
		this.slots.awaitReconciled("second", "a");
		link.heal();
		this.slots.world.awaitPhase(first, RuntimePhase.STANDBY);
		Thread stop = new Thread(first::close);
		stop.start();
		try {
			this.slots.world.awaitPhase(first, RuntimePhase.STOPPING);
			second.close();
			assertThat(this.slots.slotLease(0).annotations()).containsKey(ShardingLabels.GIVEN_BACK);
			ShardWorld.forAWhile().until(() -> this.slots.podOf(0).equals("second"));
		}
		finally {
			go.countDown();
			stop.join();
		}
	}

}

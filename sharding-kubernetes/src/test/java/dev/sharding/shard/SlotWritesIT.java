package dev.sharding.shard;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the next holder of a Lease, or a namesake, does about what the former one has
 * written without an answer.
 */
@ControlPlaneTest
class SlotWritesIT {

	private final SlotShards slots;

	SlotWritesIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.slots = new SlotShards(controlPlane, client, namespace);
	}

	@AfterEach
	void close() throws Exception {
		this.slots.close();
	}

	@Test
	void aWriteWithoutAnAnswerLeavesTheLeaseToRunOut() throws Exception {
		this.slots.secretOfSlot(0, "a");
		TcpProxy link = this.slots.link();
		this.slots.world.options = this.slots.world.options.withStopTimeout(Duration.ofSeconds(1));
		Shard first = this.slots.through(link, "first");
		writesWithoutAnAnswer(first, link);
		first.close();
		assertThat(this.slots.slotLease(0).record().isHeldByItself()).isTrue();
		assertThat(this.slots.slotLease(0).isGivenBack()).isFalse();
		Shard second = this.slots.start("second", 1);
		this.slots.awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED))
			.startsWith(this.slots.instanceOf(0));
		assertThat(second.name()).isEqualTo(this.slots.slot(0));
	}

	@Test
	void aWriteThatWasLeftWithoutAnAnswerLongAgoHoldsUpNobodyAndIsRefusedByTheTouchOfTheNextHolder() {
		this.slots.secretOfSlot(0, "a");
		TcpProxy link = this.slots.link();
		Shard first = this.slots.through(link, "first");
		writesWithoutAnAnswer(first, link);
		link.cut();
		link.heal();
		this.slots.awaitReconciled("first", "a");
		awaitALease();
		first.close();
		assertThat(this.slots.slotLease(0).isGivenBack()).isTrue();
		assertThat(this.slots.slotLease(0).isTouchDue()).isTrue();
		Secret seen = this.slots.secret("a");
		this.slots.start("second", 1);
		this.slots.awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED))
			.startsWith(this.slots.instanceOf(0));
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.slots.world.client.resource(seen).update())
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(409));
		ShardWorld.soon().until(() -> !this.slots.slotLease(0).isTouchDue());
	}

	@Test
	void aNamesakeTouchesWhatAShardWithAGraceHasWrittenWithoutAnAnswer() {
		this.slots.world.secretOf("own", "a");
		TcpProxy link = this.slots.link();
		Shard first = named("first", this.slots.through(link));
		writesWithoutAnAnswer(first, link);
		link.cut();
		link.heal();
		this.slots.awaitReconciled("first", "a");
		awaitALease();
		first.close();
		Resource<Lease> lease = ownLease();
		assertThat(LeaseRecords.slotLease(lease.get()).isWaitedFor()).isTrue();
		assertThat(LeaseRecords.slotLease(lease.get()).isTouchDue()).isTrue();
		named("second", this.slots.world.client).start();
		this.slots.awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED)).isNotEmpty();
		ShardWorld.soon().until(() -> !LeaseRecords.slotLease(lease.get()).isTouchDue());
	}

	@Test
	void anEventWithoutAnAnswerConcernsNoNextHolder() {
		this.slots.patient();
		this.slots.secretOfSlot(0, "a");
		TcpProxy link = this.slots.link();
		Shard first = this.slots.through(link, "first");
		first.start();
		this.slots.awaitReconciled("first", "a");
		ShardWorld.soon().until(() -> !this.slots.slotLease(0).isTouchDue());
		link.pauseResponses();
		first.events().normal(this.slots.secret("a"), "Said", "Say", "Nobody hears the answer");
		ShardWorld.soon().until(() -> this.slots.events().contains("Nobody hears the answer"));
		link.cut();
		link.heal();
		first.close();
		assertThat(this.slots.slotLease(0).isGivenBack()).isTrue();
		assertThat(this.slots.slotLease(0).isTouchDue()).isFalse();
	}

	@Test
	void aNamesakeOfAShardWithAGraceTakesItsLeaseAtOnceAndTouchesNothing() throws Exception {
		this.slots.patient();
		this.slots.world.secretOf("own", "a");
		Shard first = named("first", this.slots.world.client);
		first.start();
		this.slots.awaitReconciled("first", "a");
		String version = this.slots.secret("a").getMetadata().getResourceVersion();
		first.close();
		Resource<Lease> lease = ownLease();
		assertThat(LeaseRecords.slotLease(lease.get()).isWaitedFor()).isTrue();
		named("second", this.slots.world.client).start();
		this.slots.awaitReconciled("second", "a");
		assertThat(this.slots.secret("a").getMetadata().getResourceVersion()).isEqualTo(version);
		assertThat(LeaseRecords.slotLease(lease.get()).isTouchDue()).isFalse();
	}

	@Test
	void aNamesakeWithoutAGraceTouchesWhatItFindsToBeTouchedOnceAndNotInEachTerm() {
		this.slots.world.secretOf("own", "a");
		Shard first = named("first", this.slots.world.client);
		first.start();
		this.slots.awaitReconciled("first", "a");
		first.close();
		Resource<Lease> lease = ownLease();
		lease.patch(PatchContext.of(PatchType.JSON_MERGE),
				"{\"metadata\":{\"annotations\":{\"%s\":\"true\"}}}".formatted(ShardingLabels.TOUCH_DUE));
		Shard second = this.slots.world.shard("own");
		second.add(this.slots.controller("second"));
		second.start();
		this.slots.awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED)).isNotEmpty();
		ShardWorld.soon().until(() -> !LeaseRecords.slotLease(lease.get()).isTouchDue());
	}

	/** Starts a shard, whose first reconcile writes what is stored but not answered. */
	private void writesWithoutAnAnswer(Shard shard, TcpProxy link) {
		CountDownLatch mayWrite = new CountDownLatch(1);
		this.slots.during = (secret) -> {
			await(mayWrite);
			ResourceCache<Secret> secrets = shard.caches().of(ShardWorld.SECRETS);
			try {
				secrets.patch(secret, (copy) -> ShardWorld.annotated(copy, "written-by", "first"));
			}
			catch (ApiException ex) {
				if (ex.isWithoutEffect()) {
					// Another request had the connection, and without answers no new one
					// comes about.
					link.heal();
					secrets.get(new ObjectKey(this.slots.world.namespace, "a"), Freshness.LIVE);
					link.pauseResponses();
				}
				throw ex;
			}
		};
		shard.start();
		this.slots.awaitReconciled("first", "a");
		link.pauseResponses();
		mayWrite.countDown();
		ShardWorld.soon().until(() -> ShardWorld.annotation(this.slots.secret("a"), "written-by").equals("first"));
		this.slots.during = (secret) -> {
		};
		this.slots.reconciled.clear();
	}

	private static void awaitALease() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollDelay(ShardWorld.TIMINGS.leaseDuration())
			.until(() -> true);
	}

	private Shard named(String pod, KubernetesClient data) {
		KubernetesClient leaseClient = LeaseClients.create(this.slots.world.client.getConfiguration(),
				this.slots.timings);
		Shard shard = new Shard(data, leaseClient, this.slots.world.ring,
				LeaseHolderConfig
					.shard(this.slots.world.namespace, this.slots.world.ring, this.slots.world.shardName("own"),
							this.slots.timings)
					.withGrace(Duration.ofSeconds(30), pod, null),
				this.slots.world.options);
		this.slots.open.add(leaseClient);
		this.slots.open.add(shard);
		shard.add(this.slots.controller(pod));
		return shard;
	}

	private Resource<Lease> ownLease() {
		return this.slots.world.client.leases()
			.inNamespace(this.slots.world.namespace)
			.withName(this.slots.world.shardName("own"));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}

package dev.sharding.shard;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.context.ContextSnapshotFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.fence.FenceGate;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No write leaves a shard for an object whose claim has ended (contract "one owner").
 */
@ControlPlaneTest
class SafeHandOverIT {

	private final ControlPlane controlPlane;

	private final ShardWorld world;

	private final List<String> reconciled = new CopyOnWriteArrayList<>();

	private final List<WriteFencedException> refusals = new CopyOnWriteArrayList<>();

	/** Whether the API server had what was refused, asked past the shard. */
	private final List<Boolean> writtenInSpite = new CopyOnWriteArrayList<>();

	private final CountDownLatch running = new CountDownLatch(1);

	private final CountDownLatch mayWrite = new CountDownLatch(1);

	private final AtomicReference<Duration> clockOff = new AtomicReference<>(Duration.ZERO);

	SafeHandOverIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new ShardWorld(client, namespace);
	}

	@AfterEach
	void close() throws Exception {
		this.mayWrite.countDown();
		this.world.close();
	}

	@Test
	void aReconcileThatSleepsLongerThanTheLeaseWritesNothing() throws Exception {
		TcpProxy leaseLink = link();
		Shard shard = this.world.shard("s1", this.world.client, this.controlPlane.admin().through(leaseLink).config(),
				null);
		startWithASlowReconcile(shard);
		leaseLink.pause();
		this.world.awaitPhase(shard, RuntimePhase.ACQUIRING);
		letLeaseRunOut();
		this.mayWrite.countDown();
		assertRefusedByTheLeaseGate();
		leaseLink.heal();
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		assertThat(written("a")).isTrue();
	}

	@Test
	void aClockThatJumpsAheadEndsTheRightToWriteAtOnce() throws Exception {
		Shard shard = shardWithOwnClock();
		startWithASlowReconcile(shard);
		this.clockOff.set(ShardWorld.TIMINGS.leaseDuration());
		this.mayWrite.countDown();
		assertRefused();
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
	}

	@ParameterizedTest
	@ValueSource(longs = { -6, 6 })
	void worksWithAClockThatIsOffByALease(long seconds) throws Exception {
		this.clockOff.set(Duration.ofSeconds(seconds));
		Shard shard = shardWithOwnClock();
		this.mayWrite.countDown();
		startWithASlowReconcile(shard);
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		assertThat(written("a")).isTrue();
		assertThat(this.refusals).isEmpty();
	}

	@Test
	void aLeaseDeletedByHandEndsTheRightToWrite() throws Exception {
		Shard shard = this.world.shard("s1");
		startWithASlowReconcile(shard);
		Resource<Lease> lease = this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(this.world.shardName("s1"));
		String uid = lease.get().getMetadata().getUid();
		lease.delete();
		// The shard makes another one at once: its phase in between is too short to be
		// seen.
		ShardWorld.soon().until(lease::get, (made) -> made != null && !made.getMetadata().getUid().equals(uid));
		this.mayWrite.countDown();
		assertRefused();
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
	}

	@Test
	void aLeaseEditedByHandEndsTheRightToWrite() throws Exception {
		Shard shard = this.world.shard("s1");
		startWithASlowReconcile(shard);
		List<RuntimePhase> phases = ShardWorld.phasesOf(shard);
		this.world.client.leases()
			.inNamespace(this.world.namespace)
			.withName(this.world.shardName("s1"))
			// Without a version: a renewal in between is no conflict.
			.patch(PatchContext.of(PatchType.JSON_MERGE),
					"{\"spec\":{\"holderIdentity\":\"somebody\",\"leaseDurationSeconds\":3}}");
		ShardWorld.soon().until(() -> phases.contains(RuntimePhase.ACQUIRING));
		this.mayWrite.countDown();
		assertRefused();
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
	}

	@Test
	void oneOfTwoProcessesOfOneNameReconciles() {
		this.world.patient().running("s1", this::note);
		List<String> second = new CopyOnWriteArrayList<>();
		Shard twin = this.world.shard("s1");
		twin.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			second.add(secret.getMetadata().getName());
			return Result.done();
		}).build());
		twin.start();
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		ShardWorld.soon().until(() -> twin.phase() == RuntimePhase.FAILED || twin.phase() == RuntimePhase.ACQUIRING);
		ShardWorld.forAWhile().until(second::isEmpty);
		assertThat(twin.phase()).isNotEqualTo(RuntimePhase.RUNNING);
	}

	/*
	 * The renewals of the first one hang, so that it does not hear that its Lease is gone
	 * and goes on for as long as it can prove it.
	 */
	@Test
	void aNamesakeWaitsAlthoughTheLeaseWasDeletedByHand() throws Exception {
		TcpProxy link = link();
		List<String> writes = new CopyOnWriteArrayList<>();
		Shard first = this.world.shard("s1", this.controlPlane.admin().client(),
				this.controlPlane.admin().through(link).config(), null);
		first.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			writes.add("first");
			return Result.requeueAfter(Duration.ofMillis(100));
		}).build());
		first.start();
		this.world.awaitPhase(first, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> !writes.isEmpty());
		link.pause();
		this.world.client.leases().inNamespace(this.world.namespace).withName(this.world.shardName("s1")).delete();
		Shard twin = this.world.shard("s1");
		twin.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			writes.add("twin");
			return Result.done();
		}).build());
		twin.start();
		ShardWorld.soon().until(() -> writes.contains("twin"));
		assertThat(writes.subList(writes.indexOf("twin"), writes.size())).doesNotContain("first");
		ShardWorld.forAWhile().until(() -> writes.lastIndexOf("first") < writes.indexOf("twin"));
		link.heal();
	}

	/*
	 * Its informers are synced, but do not hear of what happened until it got the Lease,
	 * which it can ask for only once they hear nothing.
	 */
	@Test
	void aRestartWithADelayedWatchDoesNotTouchWhatWasMovedMeanwhile() throws Exception {
		TcpProxy crashing = link();
		Shard before = this.world.shard("s1", this.controlPlane.admin().through(crashing).client(),
				this.controlPlane.admin().through(crashing).config(), null);
		before.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> Result.done()).build());
		before.start();
		this.world.awaitPhase(before, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "moved");
		this.world.secretOf("s1", "stays");
		crashing.refuse();
		TcpProxy slow = link();
		TcpProxy leases = link();
		leases.refuse();
		Shard after = this.world.shard("s1", this.controlPlane.admin().through(slow).client(),
				this.controlPlane.admin().through(leases).config(), null);
		after.add(ControllerSpec.of(ShardWorld.SECRETS, this::note).build());
		after.start();
		this.world.awaitPhase(after, RuntimePhase.ACQUIRING);
		slow.pause();
		this.world.assign("moved", "s2");
		leases.heal();
		this.world.awaitPhase(after, RuntimePhase.REFRESHING);
		ShardWorld.forAWhile().until(this.reconciled::isEmpty);
		slow.heal();
		ShardWorld.soon().until(() -> this.reconciled.contains("stays"));
		ShardWorld.forAWhile().until(() -> !this.reconciled.contains("moved"));
	}

	@Test
	void aThreadThatOutlivesTheReconcileWritesNothingOnceTheObjectIsLetGo() throws Exception {
		CompletableFuture<Void> outcome = new CompletableFuture<>();
		Shard shard = this.world.shard("s1");
		ResourceCache<ConfigMap> configMaps = shard.caches().of(ShardWorld.CONFIG_MAPS);
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			Runnable late = ContextSnapshotFactory.builder().build().captureAll().wrap(() -> {
				Uninterruptibly.await(this.mayWrite);
				configMaps.create(configMap("unrelated"));
			});
			CompletableFuture.runAsync(late).whenComplete((done, failure) -> {
				if (failure != null) {
					outcome.completeExceptionally(failure);
				}
				else {
					outcome.complete(null);
				}
			});
			return note(secret);
		}).build());
		shard.start();
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		this.world.drain("a");
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
		this.mayWrite.countDown();
		assertThat(outcome).failsWithin(Duration.ofSeconds(60))
			.withThrowableThat()
			.withRootCauseInstanceOf(WriteFencedException.class)
			.withMessageContaining("no claim on secrets");
		assertThat(this.world.client.resource(configMap("unrelated")).get()).isNull();
	}

	@Test
	void theObjectOfAnotherShardIsNotWritten() {
		Shard shard = this.world.shard("s1");
		ResourceCache<Secret> secrets = shard.caches().of(ShardWorld.SECRETS);
		Secret theirs = this.world.secretOf("s2", "theirs");
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			try {
				secrets.delete(theirs);
			}
			catch (WriteFencedException ex) {
				this.refusals.add(ex);
			}
			return note(secret);
		}).build());
		shard.start();
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		assertThat(this.refusals).isNotEmpty()
			.allSatisfy((refusal) -> assertThat(refusal.gate()).isEqualTo(FenceGate.OBJECT));
		assertThat(this.world.client.resource(theirs).get()).isNotNull();
	}

	@Test
	void aRefusalThatEscapesIsNoFailure() {
		Shard shard = this.world.shard("s1");
		ResourceCache<Secret> secrets = shard.caches().of(ShardWorld.SECRETS);
		Secret theirs = this.world.secretOf("s2", "theirs");
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			note(secret);
			secrets.delete(theirs);
			return Result.done();
		}).build());
		shard.start();
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.reconciled.size() >= 2);
		assertThat(this.world.options.meters().get("controller.runtime.reconcile.errors").counter().count()).isZero();
		assertThat(this.world.options.meters()
			.get("controller.runtime.reconcile")
			.tag("result", "fenced")
			.counter()
			.count()).isPositive();
	}

	private void startWithASlowReconcile(Shard shard) throws InterruptedException {
		ResourceCache<Secret> secrets = shard.caches().of(ShardWorld.SECRETS);
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			this.running.countDown();
			Uninterruptibly.await(this.mayWrite);
			try {
				secrets.patch(secret, (copy) -> ShardWorld.annotated(copy, "written", "yes"));
			}
			catch (WriteFencedException ex) {
				this.writtenInSpite.add(written("a"));
				this.refusals.add(ex);
				throw ex;
			}
			return note(secret);
		}).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "a");
		assertThat(this.running.await(60, TimeUnit.SECONDS)).isTrue();
	}

	/* The link of the Lease is cut, so no later term can have written either. */
	private void assertRefusedByTheLeaseGate() {
		assertRefused();
		assertThat(this.refusals.get(0).gate()).isEqualTo(FenceGate.LEASE);
		assertThat(written("a")).isFalse();
	}

	/**
	 * By either gate: the shard may be in its next term already, and write when it is
	 * asked again.
	 */
	private void assertRefused() {
		ShardWorld.soon().until(() -> !this.refusals.isEmpty());
		assertThat(this.writtenInSpite.get(0)).as("the API server has what was refused").isFalse();
		WriteFencedException first = this.refusals.get(0);
		assertThat(first).hasMessageContaining("secrets %s/a".formatted(this.world.namespace));
		assertThat(this.world.options.meters()
			.get("sharding.fence.refused")
			.tags("ring", this.world.ring, "gate", first.gate().name().toLowerCase(Locale.ROOT))
			.counter()
			.count()).isPositive();
	}

	private void letLeaseRunOut() {
		Instant end = Instant.now().plus(ShardWorld.TIMINGS.leaseDuration());
		ShardWorld.soon().until(() -> Instant.now().isAfter(end));
	}

	private boolean written(String name) {
		Secret secret = this.world.client.secrets().inNamespace(this.world.namespace).withName(name).get();
		return "yes".equals(ShardWorld.annotation(secret, "written"));
	}

	private Shard shardWithOwnClock() {
		this.world.options = this.world.options
			.withClock(new LeaseClock(() -> Instant.now().plus(this.clockOff.get()), System::nanoTime));
		return this.world.shard("s1");
	}

	private ConfigMap configMap(String name) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.world.namespace)
			.withName(name)
			.endMetadata()
			.build();
	}

	private TcpProxy link() {
		TcpProxy proxy = TcpProxy.to(this.controlPlane.apiServer());
		this.world.alsoClose(proxy);
		return proxy;
	}

	private Result note(Secret secret) {
		this.reconciled.add(secret.getMetadata().getName());
		return Result.done();
	}

}

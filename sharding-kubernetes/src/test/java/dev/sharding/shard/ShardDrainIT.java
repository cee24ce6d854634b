package dev.sharding.shard;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.handover.PatchingDrainHandler;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scenarios 89 to 95 and 121 to 124 of the protocol, and what else can happen to a drain.
 */
@ControlPlaneTest
class ShardDrainIT {

	private final ShardWorld world;

	private final List<String> reconciled = new CopyOnWriteArrayList<>();

	ShardDrainIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new ShardWorld(client, namespace).patient();
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void reconcilesWhatIsAssignedAndLetsGoOfWhatIsDrained() {
		this.world.running("s1", this::note);
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		this.reconciled.clear();
		this.world.drain("a");
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
		ShardWorld.forAWhile().until(this.reconciled::isEmpty);
	}

	@Test
	void letsGoOfWhatTheFiltersRefuse() {
		this.world.running("s1", this::note, (spec) -> spec.select((secret) -> false).filter((before, after) -> false));
		this.world.secretOf("s1", "a");
		ShardWorld.forAWhile().until(this.reconciled::isEmpty);
		this.world.drain("a");
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
		assertThat(this.reconciled).isEmpty();
	}

	@Test
	void letsGoOfWhatWasCreatedDrained() {
		this.world.running("s1", this::note);
		this.world.secret("a", this.world.drained("s1"), (metadata) -> {
		});
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
		assertThat(this.reconciled).isEmpty();
	}

	@Test
	void letsGoOfWhatWasDrainedBeforeTheShardStarted() {
		this.world.secret("a", this.world.drained("s1"), (metadata) -> {
		});
		this.world.running("s1", this::note);
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
		assertThat(this.reconciled).isEmpty();
	}

	@Test
	void leavesToOthersWhatIsTheirsUntilItIsAssigned() {
		this.world.running("s1", this::note);
		this.world.secretOf("other", "a");
		this.world.drain("a");
		ShardWorld.forAWhile().until(this.reconciled::isEmpty);
		assertThat(this.world.labels("a")).containsAllEntriesOf(this.world.drained("other"));
		this.world.assign("a", "s1");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
	}

	@Test
	void letsGoOfAnObjectThatIsBeingDeleted() {
		this.world.running("s1", this::note);
		this.world.secret("a", this.world.assigned("s1"),
				(metadata) -> metadata.setFinalizers(List.of("example.com/foreign")));
		this.world.client.secrets().inNamespace(this.world.namespace).withName("a").delete();
		this.world.drain("a");
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
		this.world.merge("a", "{\"metadata\":{\"finalizers\":null}}");
	}

	@Test
	void keepsTheLabelsUntilTheRunningReconcileHasEnded() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		this.world.running("s1", (secret) -> {
			running.countDown();
			mayEnd.await(60, TimeUnit.SECONDS);
			return note(secret);
		});
		this.world.secretOf("s1", "a");
		assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
		this.world.drain("a");
		ShardWorld.forAWhile()
			.until(() -> this.world.labels("a").entrySet().containsAll(this.world.drained("s1").entrySet()));
		mayEnd.countDown();
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
		assertThat(this.reconciled).containsExactly("a");
	}

	@Test
	void twoControllersOfOneResourceLetGoTogether() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		Shard shard = this.world.shard("s1");
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, this::note).named("quick").build());
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			running.countDown();
			mayEnd.await(60, TimeUnit.SECONDS);
			return Result.done();
		}).named("slow").build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "a");
		assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
		this.world.drain("a");
		ShardWorld.forAWhile().until(() -> this.world.hasShardingLabels("a"));
		mayEnd.countDown();
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
	}

	@Test
	void controllersThatReadTheResourceAsDifferentClassesLetGoTogether() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		Shard shard = this.world.shard("s1");
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, this::note).named("typed").build());
		shard.add(ControllerSpec.of(ShardWorld.SECRETS.generic(), (GenericKubernetesResource secret) -> {
			running.countDown();
			mayEnd.await(60, TimeUnit.SECONDS);
			return Result.done();
		}).named("generic").build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "a");
		assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
		this.world.drain("a");
		ShardWorld.forAWhile()
			.until(() -> this.world.labels("a").entrySet().containsAll(this.world.drained("s1").entrySet()));
		mayEnd.countDown();
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
	}

	@Test
	void looksAgainWhenTheObjectChangedMeanwhile() {
		AtomicInteger tries = new AtomicInteger();
		PatchingDrainHandler handler = new PatchingDrainHandler(new ApiRequests(this.world.client), this.world.ring);
		Shard shard = this.world.shard("s1", this.world.client, (type, object) -> {
			if (tries.incrementAndGet() == 1) {
				this.world.merge("a", "{\"metadata\":{\"annotations\":{\"changed\":\"meanwhile\"}}}");
			}
			return handler.acknowledge(type, object);
		});
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, this::note).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "a");
		this.world.drain("a");
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("a"));
		assertThat(tries).hasValueGreaterThan(1);
	}

	@Test
	void aDrainThatIsTakenBackWhileItIsAcknowledgedLeavesTheObjectOurs() {
		AtomicInteger tries = new AtomicInteger();
		PatchingDrainHandler handler = new PatchingDrainHandler(new ApiRequests(this.world.client), this.world.ring);
		Shard shard = this.world.shard("s1", this.world.client, (type, object) -> {
			if (tries.incrementAndGet() == 1) {
				this.world.assign("a", "s1");
			}
			return handler.acknowledge(type, object);
		});
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, this::note).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secret("a", this.world.drained("s1"), (metadata) -> {
		});
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		assertThat(this.world.labels("a")).containsAllEntriesOf(this.world.assigned("s1"));
	}

	/**
	 * Objects change all the time, are drained again and again and come back; whenever a
	 * drain is acknowledged, nothing is at work on the object.
	 */
	@Test
	void noReconcileIsInFlightWhenADrainIsAcknowledged() {
		int objects = 12;
		int rounds = 15;
		Map<String, AtomicInteger> inFlight = new ConcurrentHashMap<>();
		AtomicInteger acknowledged = new AtomicInteger();
		AtomicInteger violations = new AtomicInteger();
		PatchingDrainHandler handler = new PatchingDrainHandler(new ApiRequests(this.world.client), this.world.ring);
		Shard shard = this.world.shard("s1", this.world.client, (type, object) -> {
			AtomicInteger running = inFlight.get(object.getMetadata().getName());
			if (running != null && running.get() > 0) {
				violations.incrementAndGet();
			}
			boolean done = handler.acknowledge(type, object);
			acknowledged.addAndGet(done ? 1 : 0);
			return done;
		});
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			AtomicInteger running = inFlight.computeIfAbsent(secret.getMetadata().getName(),
					(name) -> new AtomicInteger());
			if (running.incrementAndGet() > 1) {
				violations.incrementAndGet();
			}
			try {
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(5_000_000));
				return (ThreadLocalRandom.current().nextInt(4) == 0) ? Result.requeue() : Result.done();
			}
			finally {
				running.decrementAndGet();
			}
		}).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		for (int i = 0; i < objects; i++) {
			this.world.secretOf("s1", "o" + i);
		}
		for (int round = 0; round < rounds; round++) {
			for (int i = 0; i < objects; i++) {
				this.world.merge("o" + i, "{\"metadata\":{\"annotations\":{\"round\":\"%d\"}}}".formatted(round));
				this.world.drain("o" + i);
			}
			ShardWorld.soon()
				.until(() -> IntStream.range(0, objects).noneMatch((i) -> this.world.hasShardingLabels("o" + i)));
			for (int i = 0; i < objects; i++) {
				this.world.assign("o" + i, "s1");
			}
		}
		assertThat(acknowledged).hasValueGreaterThanOrEqualTo(objects * rounds);
		assertThat(violations).hasValue(0);
	}

	private Result note(Secret secret) {
		this.reconciled.add(secret.getMetadata().getName());
		return Result.done();
	}

}

package dev.sharding.shard;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.DenyingWebhook;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers that are none: to a touch, and to a write whose outcome decides whether there
 * is one.
 */
@ControlPlaneTest
class TouchesIT {

	private static final Map<String, String> TOUCH_DUE = Map.of(ShardingLabels.TOUCH_DUE, "true");

	/** A touch adds more to an object than this, but not much. */
	private static final int NEARLY = 40;

	private final SlotShards slots;

	TouchesIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.slots = new SlotShards(controlPlane, client, namespace);
	}

	@AfterEach
	void close() throws Exception {
		this.slots.close();
	}

	/*
	 * The API server's own failure, which says nothing of whose it is: nobody may tell it
	 * from one of the whole server.
	 */
	@Test
	void anObjectWithoutRoomForATouchHoldsUpNoOther() {
		this.slots.secretOfSlot(0, "a");
		fullSecretOfSlot(0, "full");
		giveBackToTouch("a", "full");
		this.slots.start("second", 1);
		this.slots.awaitReconciled("second", "a", "full");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED))
			.startsWith(this.slots.instanceOf(0));
		assertThat(ShardWorld.annotation(this.slots.secret("full"), ShardingLabels.TOUCHED)).isEmpty();
		staysDue();
	}

	@Test
	void aTouchThatAWebhookDeniesAsAConflictIsStillDue() {
		this.slots.secretOfSlot(0, "a");
		this.slots.secretOfSlot(0, "denied");
		giveBackToTouch("a", "denied");
		String denial = "{\"code\":409,\"reason\":\"Conflict\",\"message\":\"not this one\"}";
		this.slots.open.add(DenyingWebhook.in(this.slots.world.client, this.slots.world.namespace,
				(name) -> name.equals("denied") ? denial : null));
		this.slots.start("second", 1);
		this.slots.awaitReconciled("second", "a", "denied");
		staysDue();
	}

	/* That one may not be touched says nothing of the others, whose failures pass. */
	@Test
	void anObjectThatMayNotBeTouchedKeepsNoOtherFromBeingTriedAgain() {
		this.slots.secretOfSlot(0, "a");
		this.slots.secretOfSlot(0, "denied");
		giveBackToTouch("a", "denied");
		this.slots.open.add(DenyingWebhook.in(this.slots.world.client, this.slots.world.namespace,
				(name) -> name.equals("denied") ? "{\"code\":403,\"message\":\"never\"}" : null));
		AtomicInteger failures = new AtomicInteger(2);
		CountDownLatch denied = new CountDownLatch(1);
		// The API server never hears of it, as from a gateway without a way.
		AnswerProxy gateway = AnswerProxy.before(this.slots.controlPlane.admin(), (request) -> {
			if (isPatch(request, "a")) {
				await(denied);
				if (failures.getAndDecrement() > 0) {
					throw new IllegalStateException("planned");
				}
			}
		}, (request) -> {
			if (isPatch(request, "denied")) {
				denied.countDown();
			}
			return null;
		});
		this.slots.open.add(gateway);
		this.slots
			.shard("second", this.slots.options("second", 1), withoutRetries(gateway.config()),
					this.slots.world.client.getConfiguration())
			.start();
		this.slots.awaitReconciled("second", "a", "denied");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED))
			.startsWith(this.slots.instanceOf(0));
		staysDue();
	}

	/*
	 * One fails for a Lease while others are touched: those that wait for their turn are,
	 * too.
	 */
	@Test
	void anObjectThatMayNotBeTouchedKeepsNoOtherFromItsTurn() {
		List<String> names = IntStream.range(0, 150).mapToObj((i) -> "o-" + i).toList();
		names.forEach((name) -> this.slots.secretOfSlot(0, name));
		this.slots.secretOfSlot(0, "bad");
		giveBackToTouch("bad");
		Semaphore turns = new Semaphore(0);
		AtomicLong asked = new AtomicLong();
		AtomicLong first = new AtomicLong();
		AtomicBoolean open = new AtomicBoolean();
		Set<String> others = ConcurrentHashMap.newKeySet();
		AtomicInteger beforeOnceMore = new AtomicInteger(-1);
		AnswerProxy gateway = AnswerProxy.before(this.slots.controlPlane.admin(), (request) -> {
			if (isPatch(request, "bad")) {
				if (open.get()) {
					beforeOnceMore.compareAndSet(-1, others.size());
				}
				asked.set(System.nanoTime());
				first.compareAndSet(0, asked.get());
				turns.release();
				// The API server never hears of it.
				throw new IllegalStateException("planned");
			}
			else if (request.method().equals("PATCH") && request.path().contains("/secrets/o-")) {
				others.add(request.path());
				if (asked.get() != 0) {
					turns.acquireUninterruptibly();
				}
			}
		}, (request) -> null);
		this.slots.open.add(gateway);
		this.slots
			.shard("second", this.slots.options("second", 1), withoutRetries(gateway.config()),
					this.slots.world.client.getConfiguration())
			.start();
		// It is tried each second, until it is not.
		ShardWorld.soon()
			.until(() -> asked.get() != 0 && (asked.get() - first.get() > ShardWorld.TIMINGS.leaseDuration().toNanos()
					|| System.nanoTime() - asked.get() > Duration.ofSeconds(5).toNanos()));
		open.set(true);
		// Some were answered too late, and are sent again.
		turns.release(1_000_000);
		this.slots.awaitReconciled("second", "bad");
		assertThat(beforeOnceMore).hasValue(names.size());
		assertThat(names)
			.allSatisfy((name) -> assertThat(ShardWorld.annotation(this.slots.secret(name), ShardingLabels.TOUCHED))
				.startsWith(this.slots.instanceOf(0)));
		staysDue();
	}

	private static boolean isPatch(AnswerProxy.Request request, String secret) {
		return request.method().equals("PATCH") && request.path().endsWith("/secrets/" + secret);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/* Whoever passed the write on may have lost it only after that. */
	@ParameterizedTest
	@ValueSource(strings = { "caches", "client" })
	void aWriteThatAGatewayDidNotHearOfIsNoReasonToGiveTheLeaseBack(String through) {
		this.slots.secretOfSlot(0, "a");
		AtomicBoolean spoils = new AtomicBoolean();
		AnswerProxy gateway = AnswerProxy.before(this.slots.controlPlane.admin(),
				(request) -> (spoils.get() && !request.method().equals("GET"))
						? new AnswerProxy.Answer(504, Map.of("Content-Type", "text/plain"), "too late") : null);
		this.slots.open.add(gateway);
		KubernetesClient data = withoutRetries(gateway.config());
		Shard first = this.slots.shard("first", this.slots.options("first", 1), data,
				this.slots.world.client.getConfiguration());
		KubernetesClient fenced = first.fencedClient((request) -> request);
		this.slots.open.add(fenced);
		this.slots.during = (secret) -> {
			Secret changed = ShardWorld.annotated(secret, "written-by", "first");
			spoils.set(true);
			if (through.equals("client")) {
				fenced.resource(changed).patch(PatchContext.of(PatchType.JSON_MERGE));
			}
			else {
				first.caches().of(ShardWorld.SECRETS).patch(secret, (copy) -> changed);
			}
		};
		first.start();
		ShardWorld.soon().until(() -> ShardWorld.annotation(this.slots.secret("a"), "written-by").equals("first"));
		ShardWorld.soon().until(() -> this.slots.reconciled.contains("first a"));
		this.slots.during = (secret) -> {
		};
		first.close();
		assertThat(this.slots.slotLease(0).isGivenBack()).isFalse();
		this.slots.start("second", 1);
		this.slots.awaitReconciled("second", "a");
		assertThat(ShardWorld.annotation(this.slots.secret("a"), ShardingLabels.TOUCHED))
			.startsWith(this.slots.instanceOf(0));
	}

	/** Leaves the slot to whoever comes next, who must touch its objects. */
	private void giveBackToTouch(String... names) {
		Shard first = this.slots.start("first", 1);
		this.slots.awaitReconciled("first", names);
		first.close();
		assertThat(this.slots.slotLease(0).isGivenBack()).isTrue();
		this.slots.lease(0)
			.patch(PatchContext.of(PatchType.JSON_MERGE), this.slots.world.client.getKubernetesSerialization()
				.asJson(Map.of("metadata", Map.of("annotations", TOUCH_DUE))));
	}

	/* A note goes with the next renewal. */
	private void staysDue() {
		Instant seen = this.slots.slotLease(0).record().renewTime();
		ShardWorld.soon()
			.until(() -> this.slots.slotLease(0)
				.record()
				.renewTime()
				.isAfter(seen.plus(ShardWorld.TIMINGS.retryPeriod().multipliedBy(3))));
		assertThat(this.slots.slotLease(0).isTouchDue()).isTrue();
	}

	private KubernetesClient withoutRetries(Config config) {
		KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(config).withRequestRetryBackoffLimit(0).build())
			.build();
		this.slots.open.add(client);
		return client;
	}

	/** A Secret that etcd takes, but not with an annotation more. */
	private void fullSecretOfSlot(int slot, String name) {
		Map<String, String> keys = new TreeMap<>();
		for (int i = 0; i < 3_000; i++) {
			keys.put("%04d".formatted(i) + "k".repeat(240), "");
		}
		KubernetesClient client = withoutRetries(this.slots.world.client.getConfiguration());
		int fits = 0;
		int tooMuch = 1024 * 1024;
		while (tooMuch - fits > NEARLY) {
			int size = (fits + tooMuch) / 2;
			if (isTaken(client, secret(slot, name, keys, size))) {
				client.secrets().inNamespace(this.slots.world.namespace).withName(name).delete();
				fits = size;
			}
			else {
				tooMuch = size;
			}
		}
		assertThat(isTaken(client, secret(slot, name, keys, fits))).isTrue();
	}

	private Secret secret(int slot, String name, Map<String, String> keys, int size) {
		byte[] value = new byte[size];
		Arrays.fill(value, (byte) 'v');
		return new SecretBuilder().withMetadata(this.slots.metadata(slot, name))
			.withData(keys)
			.addToData("value", Base64.getEncoder().encodeToString(value))
			.build();
	}

	private static boolean isTaken(KubernetesClient client, Secret secret) {
		try {
			client.resource(secret).create();
			return true;
		}
		catch (KubernetesClientException ex) {
			assertThat(ex).hasMessageContaining("too large");
			return false;
		}
	}

}

package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.core.qos.RingShare;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Classes, rules and the number of shards change, and groups go, while requests come: no
 * permit is lost or given twice, and every request comes to its turn.
 */
class ChangesUnderLoadTests {

	private static final int SETTLED = RingShare.NEWCOMER_FOR + 1;

	private static final long LOAD_NANOS = Duration.ofSeconds(3).toNanos();

	private static final int CALLERS = 4;

	private static final int NAMESPACES = 40;

	/* Never more at once in any of the sets that follow each other. */
	private static final int LARGEST = 4;

	/* Far ahead of the real one, so that groups go while requests come. */
	private final AtomicLong nanos = new AtomicLong();

	private final RateLimiterRegistry rateLimiters = RateLimiterRegistry.ofDefaults();

	private final BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();

	private final AtomicIntegerArray flying = new AtomicIntegerArray(NAMESPACES);

	private final AtomicInteger tooMany = new AtomicInteger();

	private final AtomicLong ended = new AtomicLong();

	private final AtomicBoolean stop = new AtomicBoolean();

	private final long seed = Long.getLong("qos.seed", System.nanoTime());

	@Test
	void noPermitAndNoRequestIsLost() throws Exception {
		System.out.printf("Changes under load: qos.seed=%d%n", this.seed);
		Qos qos = new Qos(rules(LARGEST, 0), QosOptions.DEFAULTS,
				QosPieces.standard(this.rateLimiters, this.bulkheads, this.nanos::get), new SimpleMeterRegistry(),
				() -> Instant.EPOCH, this.nanos::get);
		ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
		try {
			List<CompletableFuture<Void>> work = new ArrayList<>();
			for (int i = 0; i < CALLERS; i++) {
				Random random = new Random(this.seed + i);
				work.add(CompletableFuture.runAsync(() -> call(qos, random), threads));
			}
			int changes = change(qos);
			this.stop.set(true);
			assertThat(CompletableFuture.allOf(work.toArray(CompletableFuture[]::new))).succeedsWithin(1,
					TimeUnit.MINUTES);
			assertThat(changes).isGreaterThan(20);
			assertThat(this.tooMany).hasValue(0);
			assertThat(qos.counts()).allSatisfy((counts) -> assertThat(counts.rejected()).isZero());
			assertThat(qos.counts().stream().mapToLong(RuleCounts::matched).sum()).isEqualTo(this.ended.get());
			assertThat(qos.counts()).filteredOn((counts) -> !counts.rule().equals("other"))
				.hasSize(2)
				.allSatisfy((counts) -> assertThat(counts.matched()).isPositive());
			assertThat(this.bulkheads.getAllBulkheads()).isNotEmpty().allSatisfy((bulkhead) -> {
				Bulkhead.Metrics metrics = bulkhead.getMetrics();
				assertThat(metrics.getAvailableConcurrentCalls()).isEqualTo(metrics.getMaxAllowedConcurrentCalls());
			});
			assertAllPlacesAreFree(qos);
		}
		finally {
			this.stop.set(true);
			threads.shutdownNow();
		}
	}

	/* Also those that a limit thinks that others before it hold. */
	private void assertAllPlacesAreFree(Qos qos) {
		qos.shards("", 1, SETTLED);
		qos.change((before) -> rules(LARGEST, 0));
		for (int namespace = 0; namespace < NAMESPACES; namespace++) {
			List<Passage> all = new ArrayList<>();
			for (int i = 0; i < LARGEST; i++) {
				all.add(enter(qos, namespace, "GET"));
			}
			assertThat(all).allSatisfy((passage) -> assertThat(passage.admitted()).isCompletedWithValue(null));
			Passage more = enter(qos, namespace, "GET");
			assertThat(more.admitted()).isNotDone();
			more.ended(new CancellationException());
			all.forEach((passage) -> passage.ended(null));
		}
	}

	/* Rules, classes, shards and, as the clock runs ahead, groups. */
	private int change(Qos qos) {
		Random random = new Random(this.seed - 1);
		AtomicInteger changes = new AtomicInteger();
		long end = System.nanoTime() + LOAD_NANOS;
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.until(() -> {
				this.nanos.addAndGet(Duration.ofSeconds(61).toNanos());
				switch (random.nextInt(4)) {
					case 0 -> qos.change((before) -> rules(1 + random.nextInt(LARGEST), random.nextInt(3)));
					case 1 -> qos.shards("", 1 + random.nextInt(LARGEST), SETTLED);
					default -> {
						// Groups only.
					}
				}
				changes.incrementAndGet();
				return System.nanoTime() >= end && changes.get() > 20;
			});
		return changes.get();
	}

	private void call(Qos qos, Random random) {
		while (!this.stop.get()) {
			int namespace = random.nextInt(NAMESPACES);
			if (random.nextInt(4) == 0) {
				// Of a rate that is never reached: it passes, and is counted.
				finish(enter(qos, namespace, "DELETE"), null);
				continue;
			}
			Passage passage = enter(qos, namespace, "GET");
			if (!passage.admitted().isDone() && random.nextInt(8) == 0) {
				finish(passage, new CancellationException());
				continue;
			}
			passage.admitted().orTimeout(30, TimeUnit.SECONDS).join();
			if (this.flying.incrementAndGet(namespace) > LARGEST) {
				this.tooMany.incrementAndGet();
			}
			Thread.yield();
			this.flying.decrementAndGet(namespace);
			finish(passage, null);
		}
	}

	private void finish(Passage passage, @Nullable CancellationException failure) {
		passage.ended(failure);
		this.ended.incrementAndGet();
	}

	private static Passage enter(Qos qos, int namespace, String method) {
		Passage passage = qos.enter(ApiRequest.of(method, "/api/v1/namespaces/n-" + namespace + "/pods/p"));
		assertThat(passage).isNotNull();
		return passage;
	}

	/* A third rule, of requests that nobody sends, comes and goes. */
	private static QosRules rules(int places, int variant) {
		QosRule flights = new QosRule("flights", true, 10, List.of(), List.of(), Set.of(Operation.GET), List.of(),
				"places", Cost.REQUESTS, Accounting.NAMESPACE, true, "", Duration.ofHours(1));
		QosRule rate = new QosRule("rate", true, 20, List.of(), List.of(), Set.of(Operation.DELETE), List.of(), "rate",
				Cost.REQUESTS, Accounting.RULE, false, "", Duration.ofHours(1));
		QosRule other = new QosRule("other", variant > 0, 30, List.of(), List.of(), Set.of(Operation.WATCH), List.of(),
				"rate", Cost.REQUESTS, Accounting.RULE, false, "", Duration.ofHours(variant));
		return QosRules.define(
				Map.of("places", new QosClass.MaxInFlight(places), "rate",
						(variant == 2) ? new QosClass.RunningWindow(1_000_000, Duration.ofMillis(1))
								: new QosClass.TokenBucket(1_000_000, 1_000_000)),
				(variant > 0) ? List.of(flights, rate, other) : List.of(flights, rate));
	}

}

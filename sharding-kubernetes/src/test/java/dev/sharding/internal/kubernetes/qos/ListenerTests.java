package dev.sharding.internal.kubernetes.qos;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.core.qos.RingShare;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What those may do who listen to the events of limits. */
class ListenerTests {

	private static final int SETTLED = RingShare.NEWCOMER_FOR + 1;

	private static final ApiRequest LIST = ApiRequest.of("GET", "/api/v1/pods");

	private final RateLimiterRegistry rateLimiters = RateLimiterRegistry.ofDefaults();

	private final BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();

	static List<QosClass> classes() {
		return List.of(new QosClass.TokenBucket(100, 100), new QosClass.RunningWindow(100, Duration.ofSeconds(1)),
				new QosClass.MaxInFlight(100));
	}

	/*
	 * Each waits for the other if the event comes while the limit is locked: the listener
	 * for the change, which it lets begin, and that for the limit.
	 */
	@ParameterizedTest
	@MethodSource("classes")
	void listenerMayChangeRulesWhileAnotherChangeIsUnderWay(QosClass qosClass) {
		Qos qos = qos(qosClass);
		enter(qos).ended(null);
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch told = new CountDownLatch(1);
		CompletableFuture<QosRules> change = CompletableFuture.supplyAsync(() -> qos.change((before) -> {
			begun.countDown();
			await(told);
			return rules(new QosClass.MaxInFlight(7));
		}), (task) -> daemon(task));
		await(begun);
		AtomicBoolean once = new AtomicBoolean();
		listen(() -> {
			if (once.compareAndSet(false, true)) {
				told.countDown();
				qos.shards("", 2, SETTLED);
			}
		});
		CompletableFuture<@Nullable Void> request = CompletableFuture.runAsync(() -> enter(qos).ended(null),
				(task) -> daemon(task));
		assertThat(request).succeedsWithin(30, TimeUnit.SECONDS);
		assertThat(change).succeedsWithin(30, TimeUnit.SECONDS);
		assertThat(once).isTrue();
	}

	@ParameterizedTest
	@MethodSource("failures")
	void listenerThatFailsKeepsNoPlace(Supplier<Throwable> failure) {
		Qos qos = qos(new QosClass.MaxInFlight(1));
		enter(qos).ended(null);
		AtomicInteger heard = new AtomicInteger();
		listen(() -> {
			heard.incrementAndGet();
			throw ListenerTests.<RuntimeException>unchecked(failure.get());
		});
		for (int i = 0; i < 3; i++) {
			Passage flying = enter(qos);
			assertThat(flying.admitted()).isCompletedWithValue(null);
			Passage next = enter(qos);
			assertThat(next.admitted()).isNotDone();
			flying.ended(null);
			assertThat(next.admitted()).isCompletedWithValue(null);
			next.ended(null);
		}
		assertThat(heard).hasValue(12);
	}

	static List<Supplier<Throwable>> failures() {
		return List.of(() -> new IllegalStateException("planned"), () -> new NoClassDefFoundError("planned"),
				() -> new Error("planned"), () -> new IOException("planned"));
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> E unchecked(Throwable failure) throws E {
		throw (E) failure;
	}

	private void listen(Runnable listener) {
		this.rateLimiters.find("qos-rule")
			.ifPresent((limiter) -> limiter.getEventPublisher().onEvent((event) -> listener.run()));
		this.bulkheads.find("qos-rule")
			.ifPresent((bulkhead) -> bulkhead.getEventPublisher().onEvent((event) -> listener.run()));
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/* A pool may have one thread only. */
	private static void daemon(Runnable task) {
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		thread.start();
	}

	private static Passage enter(Qos qos) {
		Passage passage = qos.enter(LIST);
		assertThat(passage).isNotNull();
		return passage;
	}

	private Qos qos(QosClass qosClass) {
		return new Qos(rules(qosClass), QosOptions.DEFAULTS,
				QosPieces.standard(this.rateLimiters, this.bulkheads, System::nanoTime), new SimpleMeterRegistry(),
				() -> Instant.EPOCH, System::nanoTime);
	}

	private static QosRules rules(QosClass qosClass) {
		return QosRules.define(Map.of("class", qosClass), List.of(new QosRule("rule", true, 1, List.of(), List.of(),
				Set.of(), List.of(), "class", Cost.REQUESTS, Accounting.RULE, false, "", Duration.ofHours(1))));
	}

}

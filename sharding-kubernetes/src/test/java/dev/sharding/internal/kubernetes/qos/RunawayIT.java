package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoublePredicate;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Condition;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A reconciler with a mistake lists everything in a loop. What the API server does and
 * what another client sees meanwhile, without and with a rule; both are reported. What is
 * asserted is which lists the API server had to serve: its CPU and the latency are also
 * the machine's, and {@code ./bench qos} compares them.
 */
class RunawayIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	private static final Logger logger = LoggerFactory.getLogger(RunawayIT.class);

	private static final int OBJECTS = Integer.getInteger("qos.runaway.objects", 800);

	private static final Duration DURATION = Duration.ofSeconds(Integer.getInteger("qos.runaway.seconds", 4));

	/* So many objects are reconciled at once, each of them in a loop. */
	private static final int LOOPS = 4;

	/* So many lists show what they cost, also on a busy machine. */
	private static final int ENOUGH = 60;

	private static final Duration LONGEST = Duration.ofMinutes(1);

	/* More reads at a time than this would be a load of their own. */
	private static final int UNDER_WAY = 100;

	private static final QosClass.TokenBucket LIMIT = new QosClass.TokenBucket(0.2, 1);

	@Test
	void ruleKeepsARunawayReconcilerFromTheServer(ControlPlane plane, KubernetesClient client) {
		fill(client);
		Outcome alone = watch(plane, client, (seconds) -> seconds >= DURATION.toSeconds());
		Outcome free = beside(plane, client, QosRules.NONE, (reconciles, seconds) -> seconds >= LONGEST.toSeconds()
				|| (seconds >= DURATION.toSeconds() && reconciles >= ENOUGH));
		Outcome limited = beside(plane, client, rules(), (reconciles, seconds) -> seconds >= free.seconds());
		String report = "alone: %s; without the rule: %s; with the rule: %s".formatted(alone, free, limited);
		logger.info(report);
		// Of each run: without figures the report says nothing.
		assertThat(report)
			.matches("alone: %1$s; without the rule: %1$s; with the rule: %1$s".formatted(Outcome.PATTERN));
		assertThat(List.of(alone, free, limited)).allSatisfy((outcome) -> {
			assertThat(outcome.serverCores()).isPositive();
			assertThat(outcome.p99Millis()).isPositive();
		});
		// What the bucket lets through, and what began before.
		assertThat(limited.lists())
			.isLessThanOrEqualTo((long) (LIMIT.burst() + LIMIT.qps() * limited.seconds()) + LOOPS);
		assertThat(free.lists()).isGreaterThan(2 * limited.lists());
	}

	private static Outcome beside(ControlPlane plane, KubernetesClient client, QosRules rules, End end) {
		Qos qos = new Qos(rules, QosOptions.DEFAULTS,
				QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
				new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);
		AtomicInteger reconciles = new AtomicInteger();
		try (KubernetesClient limited = ThrottledClient.of(plane.admin().client(), qos);
				LeaderElectedControllers controllers = LeaderElectedControllers.everywhere(limited,
						RuntimeOptions.DEFAULTS)) {
			controllers.add(ControllerSpec.of(ResourceType.of(Secret.class), (Secret secret) -> {
				limited.configMaps().inAnyNamespace().list();
				reconciles.incrementAndGet();
				return Result.requeueAfter(Duration.ofMillis(1));
			}).named("runaway").build());
			controllers.start();
			// The first requests of a shape are never limited.
			await().atMost(Duration.ofMinutes(1)).until(() -> reconciles.get() >= 1);
			int before = reconciles.get();
			return watch(plane, client, (seconds) -> end.isReached(reconciles.get() - before, seconds));
		}
	}

	/* Reads one object 50 times a second. */
	private static Outcome watch(ControlPlane plane, KubernetesClient client, DoublePredicate end) {
		ApiRequests requests = new ApiRequests(client);
		ApiRequest get = ApiRequest.of("GET", "/api/v1/namespaces/default/configmaps/object-0");
		long interval = Duration.ofMillis(20).toNanos();
		List<CompletableFuture<Double>> millis = new ArrayList<>();
		double lists = lists(requests);
		Duration cpu = cpu(plane);
		long start = System.nanoTime();
		while (!end.test((System.nanoTime() - start) / 1e9)) {
			long due = start + millis.size() * interval;
			for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
			if (millis.size() >= UNDER_WAY) {
				millis.get(millis.size() - UNDER_WAY).join();
			}
			// From when it was due: a reader that is held up must not hide it.
			millis.add(requests.send(get).thenApply((answer) -> (System.nanoTime() - due) / 1e6));
		}
		double[] sorted = millis.stream().mapToDouble(CompletableFuture::join).sorted().toArray();
		double seconds = (System.nanoTime() - start) / 1e9;
		double cores = cpu(plane).minus(cpu).toMillis() / 1e3 / seconds;
		return new Outcome((long) (lists(requests) - lists), cores, sorted[(int) (sorted.length * 0.99)], seconds);
	}

	private static QosRules rules() {
		return QosRules.define(Map.of("slow", LIMIT),
				List.of(new QosRule("large-lists", true, 1, List.of(), List.of(), Set.of(Operation.LIST),
						List.of(new Condition(Measure.UNPAGED_ITEMS, OBJECTS / 2.0)), "slow", Cost.REQUESTS,
						Accounting.RULE, false, "", Duration.ofSeconds(9))));
	}

	private static void fill(KubernetesClient client) {
		ApiRequests requests = new ApiRequests(client);
		String data = "x".repeat(1_000);
		for (int from = 0; from < OBJECTS; from += 50) {
			CompletableFuture<?>[] created = new CompletableFuture<?>[50];
			for (int i = 0; i < created.length; i++) {
				created[i] = requests.send(ApiRequest.of("POST", "/api/v1/namespaces/default/configmaps",
						"application/json",
						"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"object-%d\"},\"data\":{\"d\":\"%s\"}}"
							.formatted(from + i, data)));
			}
			CompletableFuture.allOf(created).join();
		}
		for (int i = 0; i < LOOPS; i++) {
			client
				.resource(new SecretBuilder().withNewMetadata()
					.withNamespace("default")
					.withName("loop-" + i)
					.endMetadata()
					.build())
				.create();
		}
	}

	/* What the server says it served. */
	private static double lists(ApiRequests requests) {
		return requests.call(ApiRequest.of("GET", "/metrics").accept("text/plain"))
			.text()
			.lines()
			.filter((line) -> line.startsWith("apiserver_request_total{") && line.contains("resource=\"configmaps\"")
					&& line.contains("verb=\"LIST\"") && line.contains("scope=\"cluster\""))
			.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
			.sum();
	}

	private static Duration cpu(ControlPlane plane) {
		return plane.apiServer()
			.process()
			.pid()
			.flatMap(ProcessHandle::of)
			.flatMap((process) -> process.info().totalCpuDuration())
			.orElseThrow(() -> new IllegalStateException("The API server has ended"));
	}

	/** When to stop looking. */
	private interface End {

		boolean isReached(int reconciles, double seconds);

	}

	/** What the server did and what the other client saw. */
	private record Outcome(long lists, double serverCores, double p99Millis, double seconds) {

		private static final String PATTERN = "\\d+ lists served, API server \\d+[.,]\\d+ cores,"
				+ " p99 of the other client \\d+[.,]\\d+ ms";

		@Override
		public String toString() {
			return "%d lists served, API server %.2f cores, p99 of the other client %.1f ms".formatted(this.lists,
					this.serverCores, this.p99Millis);
		}

	}

}

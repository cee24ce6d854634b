package dev.sharding.benchmarks.qos;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import dev.sharding.core.qos.QosClass;
import dev.sharding.core.qos.QosRules;
import dev.sharding.kubernetes.qos.Qos;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.RequestThrottle;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * A client that reads one object 50 times a second, alone and beside one that lists
 * everything in a loop, first without and then with a limit on its lists.
 */
final class Neighbours {

	private static final ApiRequest LIST = ApiRequest.of("GET", "/api/v1/configmaps").timeout(Duration.ofSeconds(60));

	private static final ApiRequest GET = ApiRequest.of("GET", "/api/v1/namespaces/default/configmaps/object-0");

	private static final int LOOPS = 4;

	private final ControlPlane controlPlane;

	private final Duration duration;

	Neighbours(ControlPlane controlPlane, Duration duration) {
		this.controlPlane = controlPlane;
		this.duration = duration;
	}

	/** What the reading client saw, and what the API server spent. */
	record Outcome(double p99Millis, double serverCores, int lists) {
	}

	static void fill(ControlPlane controlPlane, int objects) {
		ApiRequests requests = new ApiRequests(controlPlane.client());
		String data = "x".repeat(1_000);
		for (int from = 0; from < objects; from += 100) {
			CompletableFuture<?>[] created = new CompletableFuture<?>[Math.min(100, objects - from)];
			for (int i = 0; i < created.length; i++) {
				created[i] = requests.send(ApiRequest.of("POST", "/api/v1/namespaces/default/configmaps",
						"application/json",
						"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"object-%d\"},\"data\":{\"d\":\"%s\"}}"
							.formatted(from + i, data)));
			}
			CompletableFuture.allOf(created).join();
		}
	}

	/** Without a neighbour. */
	Outcome alone() {
		return read(new AtomicInteger());
	}

	/** Beside a neighbour with these rules. */
	Outcome beside(QosRules rules) {
		Qos qos = BenchRules.qos(rules);
		AtomicInteger lists = new AtomicInteger();
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(this.controlPlane.admin().client().getConfiguration())
			.withHttpClientBuilderConsumer((http) -> http.tag(new RequestThrottle.Tag(qos)))
			.build()) {
			ApiRequests requests = new ApiRequests(client);
			for (int i = 0; i < LOOPS; i++) {
				loop(requests, client, lists);
			}
			return read(lists);
		}
	}

	/** One rule that lets a list through each second. */
	static QosRules limited() {
		return BenchRules.lists(new QosClass.TokenBucket(1, 2));
	}

	private static void loop(ApiRequests requests, KubernetesClient client, AtomicInteger lists) {
		requests.send(LIST).whenComplete((answer, failure) -> {
			if (failure == null && !client.getHttpClient().isClosed()) {
				lists.incrementAndGet();
				loop(requests, client, lists);
			}
		});
	}

	private Outcome read(AtomicInteger lists) {
		try (KubernetesClient client = this.controlPlane.admin().client()) {
			ApiRequests requests = new ApiRequests(client);
			long interval = Duration.ofMillis(20).toNanos();
			double[] millis = new double[(int) (this.duration.toNanos() / interval)];
			requests.call(GET);
			int listsBefore = lists.get();
			Duration cpu = serverCpu();
			long start = System.nanoTime();
			CompletableFuture<?>[] answers = new CompletableFuture<?>[millis.length];
			for (int i = 0; i < millis.length; i++) {
				int index = i;
				long due = start + i * interval;
				for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
					LockSupport.parkNanos(left);
				}
				// From when it was due: a reader that is held up must not hide it.
				answers[i] = requests.send(GET).thenRun(() -> millis[index] = (System.nanoTime() - due) / 1e6);
			}
			CompletableFuture.allOf(answers).join();
			double seconds = (System.nanoTime() - start) / 1e9;
			Arrays.sort(millis);
			return new Outcome(millis[(int) (millis.length * 0.99)], serverCpu().minus(cpu).toMillis() / 1e3 / seconds,
					lists.get() - listsBefore);
		}
	}

	private Duration serverCpu() {
		return this.controlPlane.apiServer()
			.process()
			.pid()
			.flatMap(ProcessHandle::of)
			.flatMap((process) -> process.info().totalCpuDuration())
			.orElseThrow(() -> new IllegalStateException("The API server has ended"));
	}

}

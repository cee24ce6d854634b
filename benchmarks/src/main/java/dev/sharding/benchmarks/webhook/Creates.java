package dev.sharding.benchmarks.webhook;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Creates Secrets by some clients: at a fixed total rate, and says how long each took
 * from the request to the response; or as fast as they can.
 */
final class Creates {

	private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final ApiRequests requests;

	private final AtomicInteger names = new AtomicInteger();

	Creates(KubernetesClient client) {
		this.requests = new ApiRequests(client);
	}

	/** The 99th percentile of the latencies, in nanoseconds. */
	long p99(String namespace, int clients, int count) throws Exception {
		long[] latencies = run(namespace, clients, count, SLOT_NANOS);
		Arrays.sort(latencies);
		return latencies[(int) Math.ceil(latencies.length * 0.99) - 1];
	}

	/**
	 * Creates in a closed loop: each client sends the next create when it has the
	 * response to the one before.
	 * @return creates a second of all clients
	 */
	double perSecond(String namespace, int clients, int count) throws Exception {
		long begin = System.nanoTime();
		run(namespace, clients, count, 0);
		return count * 1e9 / (System.nanoTime() - begin);
	}

	/** Creates as fast as it goes. */
	void fill(String namespace, int count) throws Exception {
		if (count > 0) {
			run(namespace, 16, count, 0);
		}
	}

	/** Creates at the same rate by one client: the names, and when each response came. */
	Map<String, Long> timed(String namespace, int count) {
		Map<String, Long> responses = new HashMap<>();
		long begin = System.nanoTime();
		for (int i = 0; i < count; i++) {
			pauseUntil(begin + i * SLOT_NANOS);
			String name = nextName();
			create(namespace, name);
			responses.put(name, System.nanoTime());
		}
		return responses;
	}

	private long[] run(String namespace, int clients, int count, long slot) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(clients);
		try {
			AtomicInteger next = new AtomicInteger();
			long[] latencies = new long[count];
			long begin = System.nanoTime();
			Callable<Void> client = () -> {
				for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
					pauseUntil(begin + i * slot);
					latencies[i] = create(namespace, nextName());
				}
				return null;
			};
			List<Future<Void>> running = new ArrayList<>();
			for (int i = 0; i < clients; i++) {
				running.add(threads.submit(client));
			}
			for (Future<Void> end : running) {
				end.get(10, TimeUnit.MINUTES);
			}
			return latencies;
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static void pauseUntil(long due) {
		for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
			LockSupport.parkNanos(wait);
		}
	}

	private String nextName() {
		return "secret-" + this.names.incrementAndGet();
	}

	private long create(String namespace, String name) {
		String body = """
				{"apiVersion":"v1","kind":"Secret","metadata":{"name":"%s","namespace":"%s"},\
				"data":{"password":"czNjcjN0LXMzY3IzdC1zM2NyM3Q="}}""".formatted(name, namespace);
		ApiRequest request = ApiRequest
			.of("POST", "/api/v1/namespaces/" + namespace + "/secrets", MediaTypes.JSON, body)
			.timeout(Duration.ofSeconds(60));
		long start = System.nanoTime();
		this.requests.call(request);
		return System.nanoTime() - start;
	}

}

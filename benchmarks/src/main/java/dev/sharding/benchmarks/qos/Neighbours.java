package dev.sharding.benchmarks.qos;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * A client that reads one object 100 times a second, alone and beside one that lists
 * everything in a loop, with and without a limit on its lists.
 */
final class Neighbours {

	private static final ApiRequest GET = ApiRequest.of("GET", "/api/v1/namespaces/default/configmaps/object-0");

	private final ControlPlane controlPlane;

	private final Duration duration;

	Neighbours(ControlPlane controlPlane, Duration duration) {
		this.controlPlane = controlPlane;
		this.duration = duration;
	}

	/** What the reading client saw, and what the API server spent. */
	record Outcome(double p50Millis, double p99Millis, double serverCores, int lists) {
	}

	static void fill(ControlPlane controlPlane, int first, int objects) {
		ApiRequests requests = new ApiRequests(controlPlane.client());
		String data = "x".repeat(1_000);
		for (int from = first; from < objects; from += 100) {
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
		return read(() -> 0);
	}

	/** Beside a neighbour. */
	Outcome beside(Runaway neighbour) {
		neighbour.go();
		return read(neighbour::stop);
	}

	private Outcome read(IntSupplier end) {
		try (KubernetesClient client = this.controlPlane.admin().client()) {
			ApiRequests requests = new ApiRequests(client);
			long interval = Duration.ofMillis(10).toNanos();
			double[] millis = new double[(int) (this.duration.toNanos() / interval)];
			requests.call(GET);
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
			double cores = serverCpu().minus(cpu).toMillis() / 1e3 / seconds;
			int lists = end.getAsInt();
			Arrays.sort(millis);
			return new Outcome(millis[millis.length / 2], millis[(int) (millis.length * 0.99)], cores, lists);
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

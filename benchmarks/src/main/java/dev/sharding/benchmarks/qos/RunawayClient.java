package dev.sharding.benchmarks.qos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.QosRules;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * A process that lists everything in loops, from a line "go" on its input until a line
 * "stop". It answers "going" when its first list is there, and how many it got.
 */
public final class RunawayClient {

	private static final ApiRequest LIST = ApiRequest.of("GET", "/api/v1/configmaps").timeout(Duration.ofSeconds(60));

	private static final int LOOPS = 4;

	private final ApiRequests requests;

	private final AtomicInteger lists = new AtomicInteger();

	private final List<Loop> loops = new ArrayList<>();

	private CompletableFuture<Void> first = new CompletableFuture<>();

	private RunawayClient(ApiRequests requests) {
		this.requests = requests;
	}

	/**
	 * Runs until the input ends.
	 * @param args the file of a kubeconfig, and how many objects a second its lists may
	 * return, 0 for no rule
	 */
	public static void main(String[] args) throws IOException {
		PrintStream answers = System.out;
		System.setOut(System.err);
		double objects = Double.parseDouble(args[1]);
		QosRules rules = (objects > 0) ? BenchRules.objects(objects) : QosRules.NONE;
		Config config = Config.fromKubeconfig(Files.readString(Path.of(args[0])));
		try (KubernetesClient client = ThrottledClient.of(new KubernetesClientBuilder().withConfig(config).build(),
				BenchRules.qos(rules));
				BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			RunawayClient runaway = new RunawayClient(new ApiRequests(client));
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				answers.println(line.equals("go") ? runaway.go() : runaway.stop());
			}
		}
	}

	private String go() {
		this.first = new CompletableFuture<>();
		for (int i = 0; i < LOOPS; i++) {
			Loop loop = new Loop();
			this.loops.add(loop);
			loop.next();
		}
		this.first.join();
		this.lists.set(0);
		return "going";
	}

	private String stop() {
		String count = Integer.toString(this.lists.get());
		this.loops.forEach(Loop::end);
		this.loops.clear();
		return count;
	}

	/** One list after the other. */
	private final class Loop {

		private boolean ended;

		private CompletableFuture<ApiResponse> current = new CompletableFuture<>();

		synchronized void next() {
			if (!this.ended) {
				this.current = RunawayClient.this.requests.send(LIST);
				this.current.whenComplete((answer, failure) -> {
					RunawayClient.this.lists.incrementAndGet();
					RunawayClient.this.first.complete(null);
					next();
				});
			}
		}

		synchronized void end() {
			this.ended = true;
			this.current.cancel(true);
		}

	}

}

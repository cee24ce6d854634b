package dev.sharding.benchmarks.webhook;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.sharding.benchmarks.cluster.HeldLeases;
import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.LeaderLease;
import dev.sharding.benchmarks.cluster.Pause;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.SharderProcess;
import dev.sharding.benchmarks.cluster.Spread;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.Ports;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Leaves the sharder at rest with 1,000 objects; then creates Secrets at 100 a second, in
 * turn in a namespace that the webhook leaves alone and in one that it serves, with three
 * shards; then leaves it at rest with 10,000; then creates as fast as 32 clients can, in
 * both namespaces; then nobody answers in place of the webhook, and the watch assigns
 * what is created.
 */
public final class WebhookBench implements AutoCloseable {

	private static final String RING = "bench";

	private static final String WITHOUT = "without";

	private static final String WITH = "with";

	private static final String EXCLUDED = "kube-system," + WITHOUT;

	private static final String SHARDS = "shards";

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final KubernetesClient client;

	private final HeldLeases shards;

	private final Creates creates;

	private final Path kubeconfig;

	private final Plan plan;

	private SharderProcess sharder;

	/* Objects of the ring so far. */
	private int served;

	private WebhookBench(ControlPlane controlPlane, Plan plan) throws IOException {
		this.client = controlPlane.client();
		this.creates = new Creates(controlPlane.admin().client());
		this.plan = plan;
		LeaderLease.free(this.client);
		this.shards = new HeldLeases(controlPlane.admin().client(), SHARDS);
		this.kubeconfig = controlPlane.admin().kubeconfigFile();
		this.sharder = start(true);
	}

	/** Runs the benchmark. */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		List<String> options = List.of(args);
		Plan plan = options.contains("--quick") ? new Plan(1, 250, 500, 500, 500, Duration.ofSeconds(5))
				: options.contains("--full") ? new Plan(5, 2000, 10_000, 1_000, 10_000, Duration.ofMinutes(6))
						: new Plan(3, 1000, 5_000, 1_000, 10_000, Duration.ofMinutes(6));
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Rings.install(controlPlane.client(), RING);
			try (WebhookBench bench = new WebhookBench(controlPlane, plan)) {
				stdout.println(bench.run());
			}
		}
	}

	/* Where nobody answers, the webhook is out of reach. */
	private SharderProcess start(boolean reachable) throws IOException {
		int port = Ports.next();
		int asked = reachable ? port : Ports.next();
		return SharderProcess.start(this.kubeconfig, Launch.shipped(),
				List.of("--sharding.sharder.mode=both", "--sharding.sharder.webhook.bind-address=127.0.0.1",
						"--sharding.sharder.webhook.port=" + port,
						"--sharding.sharder.webhook.url=https://127.0.0.1:" + asked,
						"--sharding.sharder.excluded-namespaces=" + EXCLUDED));
	}

	private String run() throws Exception {
		for (String namespace : List.of(WITHOUT, WITH, SHARDS)) {
			this.client.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
				.create();
		}
		List.of("shard-a", "shard-b", "shard-c").forEach((shard) -> this.shards.hold(RING, shard));
		Waiting.until("the webhook", PATIENCE, this::isServing);
		warmUp();
		Rest few = rest(this.plan.few());
		double one = ratio(1);
		double sixteen = ratio(16);
		Rest many = rest(this.plan.many());
		double share = share(32);
		double unaided = unaided();
		return String.format(Locale.ROOT,
				"{\"bench\":\"webhook\",\"createP99Ratio1\":%.2f,\"createP99Ratio16\":%.2f,"
						+ "\"createShare32\":%.2f,\"idleCpuMillisPerMinute\":%d,\"rssMiB\":%d,\"objects\":%d,"
						+ "\"idleCpuMillisPerMinuteFew\":%d,\"rssMiBFew\":%d,\"objectsFew\":%d,"
						+ "\"withoutWebhookMillisP99\":%.0f}",
				one, sixteen, share, many.cpuMillisPerMinute, many.rssMiB, many.objects, few.cpuMillisPerMinute,
				few.rssMiB, few.objects, unaided);
	}

	/* Both sides alike: the JVM of this process, of the webhook, and the API server. */
	private void warmUp() throws Exception {
		int creates = this.plan.few() / 2;
		for (int i = 0; i < 2; i++) {
			this.creates.p99(WITHOUT, 16, creates);
			this.creates.p99(WITH, 16, creates);
			this.served += creates;
		}
	}

	private double ratio(int clients) throws Exception {
		List<Double> ratios = new ArrayList<>();
		for (int pair = 0; pair < this.plan.pairs(); pair++) {
			long without = this.creates.p99(WITHOUT, clients, this.plan.creates());
			long with = this.creates.p99(WITH, clients, this.plan.creates());
			this.served += this.plan.creates();
			System.err.printf(Locale.ROOT, "%d clients: p99 %.1f ms without, %.1f ms with the webhook%n", clients,
					without / 1e6, with / 1e6);
			ratios.add(with / (double) without);
		}
		return Spread.of(ratios).median();
	}

	/* As many as the clients get through, with the webhook to without. */
	private double share(int clients) throws Exception {
		List<Double> shares = new ArrayList<>();
		for (int pair = 0; pair < this.plan.pairs(); pair++) {
			// Every other pair begins with the webhook.
			boolean first = pair % 2 == 1;
			double one = this.creates.perSecond(first ? WITH : WITHOUT, clients, this.plan.closed());
			double other = this.creates.perSecond(first ? WITHOUT : WITH, clients, this.plan.closed());
			double with = first ? one : other;
			double without = first ? other : one;
			System.err.printf(Locale.ROOT, "%d clients: %.0f creates a second without, %.0f with the webhook%n",
					clients, without, with);
			shares.add(with / without);
		}
		return Spread.of(shares).median();
	}

	private Rest rest(int objects) throws Exception {
		this.creates.fill(WITH, objects - this.served);
		this.served = Math.max(this.served, objects);
		Pause.of(Duration.ofSeconds(3));
		Duration before = this.sharder.cpu();
		Pause.of(this.plan.rest());
		long millis = this.sharder.cpu().minus(before).toMillis() * 60 / this.plan.rest().toSeconds();
		Rest rest = new Rest(millis, this.sharder.residentMebibytes(), this.served);
		System.err.printf("At rest with %d objects: %d ms CPU a minute, %d MiB%n", rest.objects,
				rest.cpuMillisPerMinute, rest.rssMiB);
		return rest;
	}

	/* Nobody answers where the API server looks for the webhook, so the watch assigns. */
	private double unaided() throws Exception {
		this.sharder.close();
		this.sharder = start(false);
		Waiting.until("the webhook to be gone", PATIENCE, () -> !isServing());
		Unaided.p99(this.client, this.creates, RING, WITH, 1, PATIENCE);
		Unaided.p99(this.client, this.creates, RING, WITH, this.plan.creates(), PATIENCE);
		double millis = Unaided.p99(this.client, this.creates, RING, WITH, this.plan.creates(), PATIENCE) / 1e6;
		System.err.printf(Locale.ROOT, "Without the webhook: p99 %.0f ms from create to label%n", millis);
		return millis;
	}

	private boolean isServing() {
		Map<String, String> labels = this.client
			.resource(new SecretBuilder().withNewMetadata().withNamespace(WITH).withName("probe").endMetadata().build())
			.dryRun(true)
			.create()
			.getMetadata()
			.getLabels();
		return labels != null && labels.containsKey(ShardingLabels.shard(RING));
	}

	@Override
	public void close() throws Exception {
		this.shards.close();
		this.sharder.close();
	}

	/**
	 * @param pairs runs without and with the webhook, for each number of clients
	 * @param creates creates of a run
	 * @param closed creates of a run in a closed loop
	 * @param few objects of the first rest, at least
	 * @param many objects of the second rest, at least
	 * @param rest how long the sharder is watched at rest
	 */
	private record Plan(int pairs, int creates, int closed, int few, int many, Duration rest) {
	}

	private record Rest(long cpuMillisPerMinute, long rssMiB, int objects) {
	}

}

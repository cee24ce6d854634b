package dev.sharding.benchmarks.newobject;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.internal.sharder.Sharder;
import dev.sharding.internal.sharder.SharderOptions;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * A shard owns many ConfigMaps, and ten Secrets a second are created, in turns with and
 * without the check of what the shard takes over.
 */
public final class NewObjectBench {

	private static final String RING = "bench";

	private static final String NAMESPACE = "bench";

	private static final long EVERY_MILLIS = 100;

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final Access user;

	private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(16);

	private int created;

	private long lists;

	private long millisWithCheck;

	private NewObjectBench(ControlPlane controlPlane) {
		this.controlPlane = controlPlane;
		this.client = controlPlane.client();
		this.user = controlPlane.user("bench-shard",
				new PolicyRuleBuilder().addToApiGroups("")
					.addToResources("secrets", "configmaps", "events")
					.addToVerbs("get", "list", "watch", "create", "update", "patch")
					.build());
	}

	/** Runs the benchmark. */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		boolean quick = List.of(args).contains("--quick");
		try (ControlPlane controlPlane = ControlPlane.builder()
			.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING)
			.start()) {
			Rings.install(controlPlane.client(), RING);
			controlPlane.client()
				.resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
				.create();
			stdout.println(new NewObjectBench(controlPlane).run(quick ? 2_000 : 20_000, quick ? 50 : 300));
		}
		// Clients leave threads behind.
		System.exit(0);
	}

	private String run(int owned, int creates) throws Exception {
		System.err.printf("Creating %d ConfigMaps%n", owned);
		all(IntStream.range(0, owned).mapToObj((i) -> CompletableFuture.runAsync(() -> own(i), this.threads)));
		try (Sharder sharder = new Sharder(this.controlPlane.admin().client(), SharderOptions.DEFAULT,
				new SimpleMeterRegistry())) {
			sharder.start();
			round(true, creates / 3);
			round(false, creates / 3);
			this.lists = 0;
			this.millisWithCheck = 0;
			List<Double> with = new ArrayList<>();
			List<Double> without = new ArrayList<>();
			for (int i = 0; i < 2; i++) {
				without.addAll(round(false, creates));
				with.addAll(round(true, creates));
			}
			double on = percentile(with, 0.99);
			double off = percentile(without, 0.99);
			return String.format(Locale.ROOT,
					"{\"bench\":\"new-object\",\"p99Ratio\":%.2f,\"listsPerTenSeconds\":%.2f,\"checkedMillisP99\":%.1f,"
							+ "\"uncheckedMillisP99\":%.1f,\"checkedMillisP50\":%.1f,\"uncheckedMillisP50\":%.1f,"
							+ "\"owned\":%d,\"creates\":%d}",
					on / off, this.lists * 10_000.0 / this.millisWithCheck, on, off, percentile(with, 0.5),
					percentile(without, 0.5), owned, with.size());
		}
	}

	/** From the answer to each create to its first reconcile, in milliseconds. */
	private List<Double> round(boolean check, int creates) throws IOException {
		try (CreatingShard shard = new CreatingShard(this.user, this.controlPlane.admin(), RING, NAMESPACE, check)) {
			Waiting.until("the shard", Duration.ofMinutes(2), shard::isRunning);
			long before = listed();
			long begun = System.nanoTime();
			Map<String, CompletableFuture<Long>> answered = new HashMap<>();
			for (int i = 0; i < creates; i++) {
				String name = "new-" + this.created++;
				answered.put(name, CompletableFuture.supplyAsync(() -> create(name),
						CompletableFuture.delayedExecutor(EVERY_MILLIS * i, TimeUnit.MILLISECONDS, this.threads)));
			}
			all(answered.values().stream());
			Waiting.until("all to be reconciled", Duration.ofMinutes(2),
					() -> shard.reconciled().keySet().containsAll(answered.keySet()));
			if (check) {
				this.millisWithCheck += TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
				this.lists += listed() - before;
			}
			List<Double> millis = new ArrayList<>();
			answered.forEach(
					(name, at) -> millis.add(Math.max(0, shard.reconciled().getOrDefault(name, 0L) - at.join()) / 1e6));
			System.err.printf("check %-5s p50 %.1f ms, p99 %.1f ms%n", check, percentile(millis, 0.5),
					percentile(millis, 0.99));
			return millis;
		}
	}

	private long create(String name) {
		this.client
			.resource(
					new SecretBuilder().withNewMetadata().withNamespace(NAMESPACE).withName(name).endMetadata().build())
			.create();
		return System.nanoTime();
	}

	private void own(int number) {
		this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(NAMESPACE)
				.withName("owned-" + number)
				.addToLabels(ShardingLabels.shard(RING), CreatingShard.NAME)
				.endMetadata()
				.build())
			.create();
	}

	/* Lists of ConfigMaps by the shard, of whatever kind, that were answered. */
	private long listed() throws IOException {
		Path log = this.controlPlane.apiServer().auditLog();
		try (Stream<String> lines = Files.lines(log)) {
			return lines
				.filter((line) -> line.contains("\"verb\":\"list\"") && line.contains("\"resource\":\"configmaps\"")
						&& line.contains("\"username\":\"" + this.user.user() + "\"")
						&& line.contains("\"stage\":\"ResponseComplete\""))
				.count();
		}
	}

	private static void all(Stream<? extends CompletableFuture<?>> futures) {
		List<? extends CompletableFuture<?>> begun = futures.toList();
		begun.forEach(CompletableFuture::join);
	}

	private static double percentile(List<Double> values, double share) {
		List<Double> sorted = values.stream().sorted().toList();
		return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
	}

}

package dev.sharding.benchmarks.runtime;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.sharding.benchmarks.cluster.Consumption;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.WatchedProcess;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * The checksum controller on our runtime, as the only shard of a ring, and the same
 * controller on java-operator-sdk, both without Spring: from the start of the process
 * until all existing objects are right, then under a steady rate of changes.
 */
public final class RuntimeBench {

	private static final String RING = "checksums";

	private static final String SHARD = "shard-1";

	private static final int CHANGES_A_SECOND = 200;

	private final ControlPlane controlPlane;

	private final int objects;

	private final Duration warmUp;

	private final Duration measured;

	private final Path logs;

	private RuntimeBench(ControlPlane controlPlane, boolean quick, Path logs) {
		this.controlPlane = controlPlane;
		this.objects = quick ? 1000 : 5000;
		this.warmUp = Duration.ofSeconds(quick ? 3 : 30);
		this.measured = Duration.ofSeconds(quick ? 4 : 30);
		this.logs = logs;
	}

	/** Runs the benchmark from the folder of the project. */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		Path logs = Files.createDirectories(Path.of("benchmarks/target/runtime"));
		try (ControlPlane controlPlane = ControlPlane.start()) {
			RuntimeBench bench = new RuntimeBench(controlPlane, List.of(args).contains("--quick"), logs);
			Rings.install(controlPlane.client(), RING);
			Figures ours = bench.measure(ours());
			Figures theirs = bench.measure(theirs());
			stdout.printf(Locale.ROOT,
					"{\"bench\":\"runtime\",\"objects\":%d,\"startRatio\":%.2f,\"cpuRatio\":%.2f,\"heapRatio\":%.2f,"
							+ "\"p99Ratio\":%.2f,\"ours\":%s,\"theirs\":%s}%n",
					bench.objects, ratio(ours.start().toMillis(), theirs.start().toMillis()),
					ratio(ours.cpuSeconds(), theirs.cpuSeconds()), ratio(ours.liveHeapBytes(), theirs.liveHeapBytes()),
					ratio(ours.millis(0.99), theirs.millis(0.99)), ours.json(), theirs.json());
		}
	}

	private static double ratio(double ours, double theirs) {
		return ours / theirs;
	}

	private static Contender ours() {
		return new Contender("ours", List.of("-cp", "benchmarks/target/classes:benchmarks/target/lib/*",
				"dev.sharding.benchmarks.runtime.ChecksumShard", RING, SHARD, "ours"), Map.of());
	}

	private static Contender theirs() throws IOException {
		Path target = Path.of("benchmarks/josdk-operator/target");
		Path jar = jar(target.toString(), "sharding-benchmarks-josdk-operator-*.jar");
		return new Contender("theirs", List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
				jar + ":" + target + "/lib/*", "dev.sharding.benchmarks.josdk.ChecksumOperator"),
				Map.of("NAMESPACE", "theirs"));
	}

	private static Path jar(String folder, String pattern) throws IOException {
		try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of(folder), pattern)) {
			return jars.iterator().next();
		}
	}

	private Figures measure(Contender contender) throws Exception {
		KubernetesClient client = this.controlPlane.client();
		client.resource(new NamespaceBuilder().withNewMetadata().withName(contender.name()).endMetadata().build())
			.create();
		try (Results results = new Results(client, contender.name());
				Load load = new Load(client, contender.name(), this.objects, results)) {
			System.err.printf("%s: creating %d Secrets%n", contender.name(), this.objects);
			load.create(Map.of("shard.alpha.sharding.timebertt.dev/" + RING, SHARD));
			Path kubeconfig = this.controlPlane.admin().kubeconfigFile();
			long start = System.nanoTime();
			WatchedProcess process = WatchedProcess.start(contender.command(kubeconfig),
					this.logs.resolve(contender.name() + ".log"));
			try {
				return measure(contender, process, results, load, start);
			}
			finally {
				process.killNow();
				process.awaitExit(10, TimeUnit.SECONDS);
			}
		}
	}

	private Figures measure(Contender contender, WatchedProcess process, Results results, Load load, long start)
			throws Exception {
		Waiting.until("the results of " + contender.name() + ", see " + this.logs, Duration.ofMinutes(3), () -> {
			if (!process.isAlive()) {
				throw new IllegalStateException(contender.name() + " ended, see " + this.logs);
			}
			return results.right() == this.objects;
		});
		Duration startTime = Duration.ofNanos(System.nanoTime() - start);
		Duration cpu = Consumption.cpu(process.pid());
		System.err.printf("%s: %d results right after %d ms, %d ms of CPU%n", contender.name(), this.objects,
				startTime.toMillis(), cpu.toMillis());
		load.change(CHANGES_A_SECOND, this.warmUp);
		System.err.printf("%s: warm%n", contender.name());
		List<Long> latencies = load.change(CHANGES_A_SECOND, this.measured);
		Figures figures = new Figures(startTime, cpu, Consumption.residentBytes(process.pid()),
				Consumption.liveHeapBytes(process.pid()), latencies);
		System.err.printf("%s: %s%n", contender.name(), figures.json());
		return figures;
	}

}

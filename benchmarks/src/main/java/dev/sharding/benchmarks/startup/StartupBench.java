package dev.sharding.benchmarks.startup;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

import dev.sharding.benchmarks.cluster.Consumption;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.core.ShardingLabels;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;

/**
 * An application with web and Actuator, without the starter, as a shard of a ring that
 * finds its cluster as a pod does, and as one that reads a kubeconfig, by turns: time to
 * ApplicationReadyEvent, heap, threads. Then a stop while 1,000 objects wait for their
 * reconcile. The kubeconfig is told apart as the client loads every class of its model to
 * read one.
 */
public final class StartupBench {

	private static final String RING = "checksums";

	private static final int QUEUED = 1000;

	private static final Path FOLDER = Path.of("benchmarks/target/startup");

	private final ControlPlane controlPlane;

	private final Libraries libraries;

	private final List<Sample> plain = new ArrayList<>();

	private final List<Sample> shard = new ArrayList<>();

	private final List<Sample> kubeconfigShard = new ArrayList<>();

	private final Map<String, String> pod;

	private final Map<String, String> kubeconfig;

	private StartupBench(ControlPlane controlPlane, Libraries libraries) throws IOException {
		this.controlPlane = controlPlane;
		this.libraries = libraries;
		this.pod = PodEnvironment.of(controlPlane.admin(), FOLDER.resolve("serviceaccount"));
		this.kubeconfig = Map.of("KUBECONFIG", controlPlane.admin().kubeconfigFile().toString());
	}

	/** Runs the benchmark from the folder of the project. */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		int rounds = List.of(args).contains("--quick") ? 2 : 10;
		Files.createDirectories(FOLDER);
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Rings.install(controlPlane.client(), RING);
			StartupBench bench = new StartupBench(controlPlane,
					Libraries.unpack(Path.of("example-app/target"), FOLDER.resolve("lib")));
			for (int round = 1; round <= rounds; round++) {
				bench.plain.add(bench.measurePlain());
				bench.shard.add(bench.measureShard("shard-" + round, bench.pod));
				bench.kubeconfigShard.add(bench.measureShard("kubeconfig-" + round, bench.kubeconfig));
				System.err.printf("round %d of %d: plain %s, shard %s, with a kubeconfig %s%n", round, rounds,
						last(bench.plain), last(bench.shard), last(bench.kubeconfigShard));
			}
			String stop = bench.stopWithFullQueue();
			stdout.println(bench.json(rounds, stop));
		}
	}

	private Sample measurePlain() throws Exception {
		Application application = Application.start(PlainApplication.class, this.libraries.withoutStarter(), Map.of(),
				FOLDER.resolve("plain.log"));
		return measure(application);
	}

	private Sample measureShard(String name, Map<String, String> environment) throws Exception {
		Application application = startShard(name, environment, Duration.ZERO);
		application.readyTime();
		awaitHeld(name);
		return measure(application);
	}

	private Application startShard(String name, Map<String, String> environment, Duration reconcileTime)
			throws IOException {
		return Application.start(ShardApplication.class, this.libraries.withStarter(), environment,
				FOLDER.resolve("shard.log"), "--sharding.ring=" + RING, "--sharding.shard-name=" + name,
				"--sharding.lease.namespace=default", "--bench.reconcile-time=" + reconcileTime.toMillis() + "ms");
	}

	private Sample measure(Application application) throws IOException {
		try {
			Duration ready = application.readyTime();
			return new Sample(ready.toMillis(), Consumption.liveHeapBytes(application.process().pid()),
					application.meter("jvm.threads.live"));
		}
		finally {
			application.process().killNow();
			application.process().awaitExit(10, TimeUnit.SECONDS);
		}
	}

	/**
	 * A TERM while the queue is full: what runs may end, what waits is left to others.
	 */
	private String stopWithFullQueue() throws Exception {
		String name = "shard-busy";
		for (int i = 0; i < QUEUED; i++) {
			this.controlPlane.client()
				.resource(new SecretBuilder().withNewMetadata()
					.withNamespace("default")
					.withName("queued-" + i)
					.addToLabels(ShardingLabels.shard(RING), name)
					.endMetadata()
					.build())
				.create();
		}
		Files.deleteIfExists(FOLDER.resolve("shard.log"));
		Application application = startShard(name, this.pod, Duration.ofSeconds(2));
		try {
			application.readyTime();
			awaitHeld(name);
			Waiting.until("the queue to fill", Duration.ofMinutes(1),
					() -> application.meter("workqueue.depth") >= QUEUED * 0.95);
			double queued = application.meter("workqueue.depth");
			long begun = System.nanoTime();
			application.process().signal("TERM");
			boolean ended = application.process().awaitExit(60, TimeUnit.SECONDS);
			long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
			long interrupted = Files.readAllLines(FOLDER.resolve("shard.log"))
				.stream()
				.filter((line) -> line.contains(ShardApplication.INTERRUPTED))
				.count();
			return String.format(Locale.ROOT,
					"\"interruptedReconciles\":%d,\"queuedAtStop\":%.0f,\"stopMillis\":%d,\"ended\":%s,\"leaseReleased\":%s",
					interrupted, queued, millis, ended, holder(name).isEmpty());
		}
		finally {
			application.process().killNow();
		}
	}

	private void awaitHeld(String name) {
		Waiting.until("the Lease of " + name, Duration.ofMinutes(1), () -> holder(name).equals(name));
	}

	private String holder(String name) {
		Lease lease = this.controlPlane.client().leases().inNamespace("default").withName(name).get();
		String holder = (lease != null) ? lease.getSpec().getHolderIdentity() : null;
		return (holder != null) ? holder : "";
	}

	private String json(int rounds, String stop) {
		double plainReady = median(this.plain, Sample::readyMillis);
		double shardReady = median(this.shard, Sample::readyMillis);
		double kubeconfigReady = median(this.kubeconfigShard, Sample::readyMillis);
		double plainHeap = median(this.plain, Sample::heapBytes);
		double shardHeap = median(this.shard, Sample::heapBytes);
		double threads = median(this.shard, Sample::threads) - median(this.plain, Sample::threads);
		return String.format(Locale.ROOT,
				"{\"bench\":\"startup\",\"rounds\":%d,\"startTimeRatio\":%.2f,\"kubeconfigStartTimeRatio\":%.2f,"
						+ "\"plainMillis\":%.0f,\"shardMillis\":%.0f,\"kubeconfigMillis\":%.0f,"
						+ "\"heapRatio\":%.2f,\"plainHeapMiB\":%.1f,\"shardHeapMiB\":%.1f,\"threadsAdded\":%.0f,%s}",
				rounds, shardReady / plainReady, kubeconfigReady / plainReady, plainReady, shardReady, kubeconfigReady,
				shardHeap / plainHeap, plainHeap / (1 << 20), shardHeap / (1 << 20), threads, stop);
	}

	private static Sample last(List<Sample> samples) {
		return samples.get(samples.size() - 1);
	}

	private static double median(List<Sample> samples, ToDoubleFunction<Sample> value) {
		double[] sorted = samples.stream().mapToDouble(value).sorted().toArray();
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

	/**
	 * One start.
	 *
	 * @param readyMillis time to ApplicationReadyEvent
	 * @param heapBytes what lives after a full collection
	 * @param threads platform threads of the JVM that are alive
	 */
	private record Sample(double readyMillis, double heapBytes, double threads) {
	}

}

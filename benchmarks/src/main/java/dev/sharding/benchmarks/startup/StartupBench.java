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
import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;

/**
 * An application with web and Actuator, without the starter, with the Kubernetes client
 * alone, as a shard of a ring that finds its cluster as a pod does, and as one that reads
 * a kubeconfig, by turns: time to ApplicationReadyEvent, CPU time until then, heap,
 * threads. All are started by the launch that we ship, each with a cache that was trained
 * by it. Then the first two again on one core, and a stop while 1,000 objects wait for
 * their reconcile.
 */
public final class StartupBench {

	private static final String RING = "checksums";

	private static final int QUEUED = 1000;

	private static final Duration TO_WRITE_A_CACHE = Duration.ofMinutes(3);

	private static final Path FOLDER = Path.of("benchmarks/target/startup");

	private static final Path PLAIN_CACHE = FOLDER.resolve("plain.cache");

	private static final Path CLIENT_CACHE = FOLDER.resolve("client.cache");

	private static final Path SHARD_CACHE = FOLDER.resolve("shard.cache");

	private static final List<String> ALL_CORES = List.of();

	private static final List<String> ONE_CORE = List.of("taskset", "-c", "0");

	private final ControlPlane controlPlane;

	private final Libraries libraries;

	private final List<Sample> plain = new ArrayList<>();

	private final List<Sample> client = new ArrayList<>();

	private final List<Sample> shard = new ArrayList<>();

	private final List<Sample> kubeconfigShard = new ArrayList<>();

	private final List<Sample> oneCorePlain = new ArrayList<>();

	private final List<Sample> oneCoreShard = new ArrayList<>();

	private final Map<String, String> pod;

	private final Map<String, String> kubeconfig;

	private final Launch plainLaunch;

	private final Launch clientLaunch;

	private final Launch shardLaunch;

	private StartupBench(ControlPlane controlPlane, Libraries libraries) throws IOException {
		this.controlPlane = controlPlane;
		this.libraries = libraries;
		this.pod = PodEnvironment.of(controlPlane.admin(), FOLDER.resolve("serviceaccount"));
		this.kubeconfig = Map.of("KUBECONFIG", controlPlane.admin().kubeconfigFile().toString());
		this.plainLaunch = Launch.shipped().trained(PLAIN_CACHE.toAbsolutePath());
		this.clientLaunch = Launch.shipped().trained(CLIENT_CACHE.toAbsolutePath());
		this.shardLaunch = Launch.shipped().trained(SHARD_CACHE.toAbsolutePath());
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
			System.err.println("Training the launches");
			bench.train();
			for (int round = 1; round <= rounds; round++) {
				bench.plain.add(bench.measurePlain(ALL_CORES));
				bench.client.add(bench.measureClient());
				bench.shard.add(bench.measureShard("shard-" + round, ALL_CORES, bench.pod));
				bench.kubeconfigShard.add(bench.measureShard("kubeconfig-" + round, ALL_CORES, bench.kubeconfig));
				bench.oneCorePlain.add(bench.measurePlain(ONE_CORE));
				bench.oneCoreShard.add(bench.measureShard("one-core-" + round, ONE_CORE, bench.pod));
				System.err.printf(
						"round %d of %d: plain %s, client %s, shard %s, with a kubeconfig %s, one core: %s, %s%n",
						round, rounds, last(bench.plain), last(bench.client), last(bench.shard),
						last(bench.kubeconfigShard), last(bench.oneCorePlain), last(bench.oneCoreShard));
			}
			String stop = bench.stopWithFullQueue();
			stdout.println(bench.json(rounds, stop));
		}
	}

	private void train() throws Exception {
		train(startPlain(ALL_CORES, Launch.shipped().training(PLAIN_CACHE.toAbsolutePath())), PLAIN_CACHE);
		train(startClient(Launch.shipped().training(CLIENT_CACHE.toAbsolutePath())), CLIENT_CACHE);
		train(startShard("training", ALL_CORES, Launch.shipped().training(SHARD_CACHE.toAbsolutePath()), this.pod,
				Duration.ZERO), SHARD_CACHE);
	}

	private static void train(Application application, Path cache) throws IOException {
		try {
			Files.deleteIfExists(cache);
			application.readyTime();
			application.process().signal("TERM");
			if (!application.process().awaitExit(TO_WRITE_A_CACHE.toSeconds(), TimeUnit.SECONDS)
					|| !Files.exists(cache)) {
				throw new IllegalStateException("The JVM has written no " + cache);
			}
		}
		finally {
			application.process().killNow();
		}
	}

	private Application startPlain(List<String> prefix, Launch launch) throws IOException {
		return Application.start(prefix, launch, PlainApplication.class, this.libraries.withoutStarter(), Map.of(),
				FOLDER.resolve("plain.log"));
	}

	private Sample measurePlain(List<String> prefix) throws Exception {
		return measure(startPlain(prefix, this.plainLaunch), () -> {
		});
	}

	private Application startClient(Launch launch) throws IOException {
		return Application.start(ALL_CORES, launch, ClientApplication.class, this.libraries.withClient(), this.pod,
				FOLDER.resolve("client.log"));
	}

	private Sample measureClient() throws Exception {
		return measure(startClient(this.clientLaunch), () -> {
		});
	}

	private Sample measureShard(String name, List<String> prefix, Map<String, String> environment) throws Exception {
		return measure(startShard(name, prefix, this.shardLaunch, environment, Duration.ZERO), () -> awaitHeld(name));
	}

	private Application startShard(String name, List<String> prefix, Launch launch, Map<String, String> environment,
			Duration reconcileTime) throws IOException {
		return Application.start(prefix, launch, ShardApplication.class, this.libraries.withStarter(), environment,
				FOLDER.resolve("shard.log"), "--sharding.ring=" + RING, "--sharding.shard-name=" + name,
				"--sharding.lease.namespace=default", "--bench.reconcile-time=" + reconcileTime.toMillis() + "ms");
	}

	/* Heap and threads are those of one that has settled. */
	private Sample measure(Application application, Runnable settle) throws IOException {
		try {
			Duration ready = application.readyTime();
			double cpu = Consumption.cpu(application.process().pid()).toMillis();
			settle.run();
			return new Sample(ready.toMillis(), cpu, Consumption.liveHeapBytes(application.process().pid()),
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
		Application application = startShard(name, ALL_CORES, this.shardLaunch, this.pod, Duration.ofSeconds(2));
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
		double plainCpu = median(this.plain, Sample::cpuMillis);
		double clientReady = median(this.client, Sample::readyMillis);
		double clientCpu = median(this.client, Sample::cpuMillis);
		double shardCpu = median(this.shard, Sample::cpuMillis);
		double plainHeap = median(this.plain, Sample::heapBytes);
		double shardHeap = median(this.shard, Sample::heapBytes);
		double threads = median(this.shard, Sample::threads) - median(this.plain, Sample::threads);
		return String.format(Locale.ROOT,
				"{\"bench\":\"startup\",\"rounds\":%d,\"startTimeRatio\":%.2f,\"cpuRatio\":%.2f,"
						+ "\"kubeconfigStartTimeRatio\":%.2f,\"startTimeRatioToClient\":%.2f,\"cpuRatioToClient\":%.2f,"
						+ "\"oneCoreStartTimeRatio\":%.2f,\"oneCoreCpuRatio\":%.2f,"
						+ "\"plainCpuMillis\":%.0f,\"shardCpuMillis\":%.0f,"
						+ "\"plainMillis\":%.0f,\"shardMillis\":%.0f,\"kubeconfigMillis\":%.0f,"
						+ "\"heapRatio\":%.2f,\"plainHeapMiB\":%.1f,\"shardHeapMiB\":%.1f,\"threadsAdded\":%.0f,%s}",
				rounds, shardReady / plainReady, shardCpu / plainCpu, kubeconfigReady / plainReady,
				shardReady / clientReady, shardCpu / clientCpu,
				median(this.oneCoreShard, Sample::readyMillis) / median(this.oneCorePlain, Sample::readyMillis),
				median(this.oneCoreShard, Sample::cpuMillis) / median(this.oneCorePlain, Sample::cpuMillis), plainCpu,
				shardCpu, plainReady, shardReady, kubeconfigReady, shardHeap / plainHeap, plainHeap / (1 << 20),
				shardHeap / (1 << 20), threads, stop);
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
	 * @param cpuMillis CPU time of the process until then
	 * @param heapBytes what lives after a full collection
	 * @param threads platform threads of the JVM that are alive
	 */
	private record Sample(double readyMillis, double cpuMillis, double heapBytes, double threads) {
	}

}

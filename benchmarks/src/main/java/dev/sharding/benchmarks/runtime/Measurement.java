package dev.sharding.benchmarks.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.sharding.benchmarks.cluster.Consumption;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.benchmarks.runtime.Contender.Place;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.Access;
import dev.sharding.test.WatchedProcess;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * One process of a contender, in a namespace of its own: from its start until the results
 * of all objects that are there are right, then under a steady rate of changes.
 */
final class Measurement {

	private static final int CHANGES_A_SECOND = 200;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	/** A busy machine takes a minute to write 100 MiB. */
	private static final Duration TO_WRITE_A_CACHE = Duration.ofMinutes(3);

	private static final double MEBIBYTE = 1 << 20;

	private final Access access;

	private final KubernetesClient client;

	private final int objects;

	private final Path logs;

	Measurement(Access access, int objects, Path logs) {
		this.access = access;
		this.client = access.client();
		this.objects = objects;
		this.logs = logs;
	}

	/**
	 * Measures.
	 * @param namespace a name that nobody had before
	 * @param changes for how long objects are changed, in the first time and in the time
	 * after that
	 */
	Map<Figure, Double> of(Contender contender, String namespace, Duration changes) throws Exception {
		Place place = new Place(namespace, namespace);
		this.client.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
			.create();
		this.client.resource(FreeLease.of(place)).create();
		try (Results results = new Results(this.client, namespace);
				Load load = new Load(this.client, namespace, this.objects, results)) {
			load.create(Map.of(ShardingLabels.shard(Contender.RING), place.shard()));
			List<String> command = new ArrayList<>(
					List.of("/usr/bin/env", "KUBECONFIG=" + this.access.kubeconfigFile()));
			command.addAll(contender.command().apply(place));
			Path log = this.logs.resolve(namespace + ".log");
			Files.deleteIfExists(log);
			long start = System.nanoTime();
			WatchedProcess process = WatchedProcess.start(command, log);
			Map<Figure, Double> figures;
			try {
				figures = start(process, results, start, log);
				if (contender.isChanged()) {
					figures.putAll(change(process, load, changes, contender.isJvm()));
				}
			}
			finally {
				if (!contender.isMeasured()) {
					process.signal("TERM");
					process.awaitExit(TO_WRITE_A_CACHE.toSeconds(), TimeUnit.SECONDS);
				}
				process.killNow();
				process.awaitExit(10, TimeUnit.SECONDS);
			}
			// The memory of the API server shall not grow from run to run.
			load.delete();
			return figures;
		}
	}

	private Map<Figure, Double> start(WatchedProcess process, Results results, long start, Path log) {
		Waiting.until("the results, see " + log, PATIENCE, () -> {
			if (!process.isAlive()) {
				throw new IllegalStateException("A process has ended, see " + log);
			}
			return results.right() == this.objects;
		});
		long nanos = System.nanoTime() - start;
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		figures.put(Figure.START_MILLIS, nanos / 1e6);
		figures.put(Figure.START_CPU_MILLIS, cpuMillis(process));
		return figures;
	}

	private static Map<Figure, Double> change(WatchedProcess process, Load load, Duration duration, boolean isJvm)
			throws Exception {
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		List<Long> first = load.change(CHANGES_A_SECOND, duration);
		figures.put(Figure.FIRST_P50_MILLIS, millis(first, 0.5));
		figures.put(Figure.FIRST_P99_MILLIS, millis(first, 0.99));
		double before = cpuMillis(process);
		List<Long> warm = load.change(CHANGES_A_SECOND, duration);
		figures.put(Figure.P50_MILLIS, millis(warm, 0.5));
		figures.put(Figure.P99_MILLIS, millis(warm, 0.99));
		figures.put(Figure.CHANGES_CPU_MILLIS, cpuMillis(process) - before);
		figures.putAll(memory(process.pid(), isJvm));
		return figures;
	}

	private static Map<Figure, Double> memory(long pid, boolean isJvm) throws IOException {
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		figures.put(Figure.RSS_MIB, Consumption.residentBytes(pid) / MEBIBYTE);
		if (isJvm) {
			figures.put(Figure.HEAP_MIB, Consumption.liveHeapBytes(pid) / MEBIBYTE);
		}
		return figures;
	}

	private static double cpuMillis(WatchedProcess process) {
		return Consumption.cpu(process.pid()).toMillis();
	}

	private static double millis(List<Long> nanos, double share) {
		List<Long> sorted = nanos.stream().sorted().toList();
		return sorted.get((int) Math.ceil(share * sorted.size()) - 1) / 1e6;
	}

}

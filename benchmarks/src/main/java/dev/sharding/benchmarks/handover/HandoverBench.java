package dev.sharding.benchmarks.handover;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.sharder.Sharder;
import dev.sharding.internal.sharder.SharderOptions;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * Two shards share Secrets, each with a ConfigMap. A third joins, and a third of all
 * objects changes hands by drain. Then one of the three stops gracefully, then another
 * one crashes.
 */
public final class HandoverBench implements AutoCloseable {

	private static final String RING = "bench";

	private static final String NAMESPACE = "bench";

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofMinutes(10);

	private static final int CREATORS = 16;

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final int objects;

	private final Sharder sharder;

	private final Sightings<Secret> secrets;

	private final Sightings<ConfigMap> configMaps;

	private final List<BenchShard> shards = new ArrayList<>();

	private HandoverBench(ControlPlane controlPlane, int objects) {
		this.controlPlane = controlPlane;
		this.client = controlPlane.client();
		this.objects = objects;
		this.sharder = new Sharder(controlPlane.admin().client(), SharderOptions.DEFAULT, new SimpleMeterRegistry());
		KubernetesClient watcher = controlPlane.admin().client();
		this.secrets = new Sightings<>(watcher, Secret.class, NAMESPACE, RING);
		this.configMaps = new Sightings<>(watcher, ConfigMap.class, NAMESPACE, RING);
	}

	/** Runs the benchmark. */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		int objects = List.of(args).contains("--quick") ? 900 : 9000;
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Rings.install(controlPlane.client(), RING);
			controlPlane.client()
				.resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
				.create();
			try (HandoverBench bench = new HandoverBench(controlPlane, objects)) {
				stdout.println(bench.run());
			}
		}
		// Clients leave threads behind.
		System.exit(0);
	}

	private String run() throws Exception {
		this.sharder.start();
		BenchShard first = join("shard-a");
		BenchShard second = join("shard-b");
		awaitAvailable(2);
		System.err.printf("Creating %d Secrets%n", this.objects);
		create();
		awaitSettled("shard-a", "shard-b");

		forget();
		BenchShard third = join("shard-c");
		awaitSettled("shard-a", "shard-b", "shard-c");
		List<Long> gaps = this.secrets.gaps();
		List<Long> moves = moves();
		double seconds = (moves.get(moves.size() - 1) - this.secrets.firstLoss()) / 1e9;
		double rate = moves.size() / seconds;
		System.err.printf(
				"A third shard joined: %d Secrets and their ConfigMaps moved in %.1f s, %.0f moves/s; without "
						+ "owner p50 %d ms, p99 %d ms, at most %d ms%n",
				gaps.size(), seconds, rate, percentile(gaps, 0.5), percentile(gaps, 0.99), percentile(gaps, 1));

		forget();
		long stopped = System.nanoTime();
		second.stop();
		awaitSettled("shard-a", "shard-c");
		long graceful = TimeUnit.NANOSECONDS.toMillis(last(moves()) - stopped);
		System.err.printf("shard-b stopped gracefully: the last of %d moves after %d ms%n", moves().size(), graceful);

		forget();
		double failover = crash(first);
		awaitSettled("shard-c");
		System.err.printf("shard-a crashed: the first of %d moves after %.2f leases%n", moves().size(), failover);
		return String.format(Locale.ROOT,
				"{\"bench\":\"handover\",\"gapMillisP99\":%d,\"failoverOverLease\":%.2f,\"movesPerSecond\":%.0f,"
						+ "\"gracefulMillis\":%d,\"objects\":%d,\"drained\":%d,\"gapMillisP50\":%d,\"gapMillisMax\":%d,"
						+ "\"owners\":\"%s\"}",
				percentile(gaps, 0.99), failover, rate, graceful, this.objects, gaps.size(), percentile(gaps, 0.5),
				percentile(gaps, 1), third.name());
	}

	/**
	 * From the last renewal of the shard until the first of its objects, main or
	 * controlled, has another owner, in leases.
	 */
	private double crash(BenchShard shard) {
		shard.crash();
		Instant renewed = this.client.leases()
			.inNamespace(NAMESPACE)
			.withName(shard.name())
			.get()
			.getSpec()
			.getRenewTime()
			.toInstant();
		long now = System.nanoTime();
		long renewedNanos = now - Duration.between(renewed, Instant.now()).toNanos();
		Waiting.until("the first move", PATIENCE, () -> !moves().isEmpty());
		return (moves().get(0) - renewedNanos) / (double) LEASE.toNanos();
	}

	private BenchShard join(String name) {
		BenchShard shard = BenchShard.start(this.controlPlane, RING, NAMESPACE, name, LEASE);
		this.shards.add(shard);
		Waiting.until(name + " to run", PATIENCE, shard::isRunning);
		return shard;
	}

	private void create() throws Exception {
		ExecutorService creators = Executors.newFixedThreadPool(CREATORS);
		try {
			List<Future<?>> created = new ArrayList<>();
			for (int i = 0; i < this.objects; i++) {
				Secret secret = new SecretBuilder().withNewMetadata()
					.withName("secret-" + i)
					.withNamespace(NAMESPACE)
					.endMetadata()
					.build();
				created.add(creators.submit(() -> this.client.resource(secret).create()));
			}
			for (Future<?> future : created) {
				future.get();
			}
		}
		finally {
			creators.shutdownNow();
		}
	}

	/** Until each object and its ConfigMap are where the ring of these has them. */
	private void awaitSettled(String... names) {
		HashRing ring = HashRing.of(List.of(names));
		Waiting.until("all objects to be with " + List.of(names), PATIENCE,
				() -> this.secrets.inPlace(ring, NAMESPACE, UnaryOperator.identity()) == this.objects && this.configMaps
					.inPlace(ring, NAMESPACE, (name) -> name.substring(BenchShard.PREFIX.length())) == this.objects);
	}

	private void awaitAvailable(int shards) {
		Waiting.until(shards + " available shards", PATIENCE, () -> Rings.available(this.client, RING) == shards);
	}

	private void forget() {
		this.secrets.forget();
		this.configMaps.forget();
	}

	/** When objects of both kinds got their owners, oldest first. */
	private List<Long> moves() {
		List<Long> moves = new ArrayList<>(this.secrets.gains());
		moves.addAll(this.configMaps.gains());
		moves.sort(Long::compare);
		return moves;
	}

	private static long last(List<Long> times) {
		return times.get(times.size() - 1);
	}

	private static long percentile(List<Long> sortedNanos, double share) {
		return TimeUnit.NANOSECONDS.toMillis(sortedNanos.get((int) Math.ceil(share * sortedNanos.size()) - 1));
	}

	@Override
	public void close() {
		this.secrets.close();
		this.configMaps.close();
		this.sharder.close();
		this.shards.forEach(BenchShard::close);
	}

}

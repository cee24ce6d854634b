package dev.sharding.benchmarks.assignment;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.Sharder;
import dev.sharding.internal.sharder.SharderOptions;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * Three idle shards; one of them owns all objects and dies. The clock of the sharder runs
 * from the take of its Lease until the informers of the other two have the last object.
 * The clock of the bare client runs from its first patch until the informer of the one
 * has them all again. The first round is warm-up for both.
 */
public final class AssignmentBench implements AutoCloseable {

	private static final String RING = "bench";

	private static final String DYING = "shard-a";

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final int[] CONCURRENCIES = { 16, 32, 64, 100 };

	private static final int[] QUICK_CONCURRENCIES = { 16, 64 };

	private final KubernetesClient client;

	private final BareClient bareClient;

	private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(3);

	private final IdleShard dying;

	private final List<IdleShard> others;

	private final int objects;

	private final int[] concurrencies;

	private AssignmentBench(ControlPlane controlPlane, boolean quick) {
		this.client = controlPlane.client();
		this.objects = quick ? 1500 : 10_000;
		this.concurrencies = quick ? QUICK_CONCURRENCIES : CONCURRENCIES;
		this.bareClient = new BareClient(controlPlane.admin().client(), RING, "bench");
		KubernetesClient shards = controlPlane.admin().client();
		this.dying = new IdleShard(shards, this.timer, RING, DYING);
		this.others = List.of(new IdleShard(shards, this.timer, RING, "shard-b"),
				new IdleShard(shards, this.timer, RING, "shard-c"));
	}

	/** Runs the benchmark. */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		boolean quick = List.of(args).contains("--quick");
		int rounds = List.of(args).contains("--full") ? 5 : (quick ? 1 : 3);
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Rings.install(controlPlane.client(), RING);
			controlPlane.client()
				.resource(new NamespaceBuilder().withNewMetadata().withName("bench").endMetadata().build())
				.create();
			try (AssignmentBench bench = new AssignmentBench(controlPlane, quick)) {
				stdout.println(bench.run(controlPlane, rounds));
			}
		}
	}

	private String run(ControlPlane controlPlane, int rounds) throws Exception {
		System.err.printf("Creating %d Secrets%n", this.objects);
		this.bareClient.create(namesOfDying(), DYING);
		awaitOwnedByDying();
		int concurrency = tune();
		List<Round> measured = new ArrayList<>();
		for (int round = 0; round <= rounds; round++) {
			double moves = moveByDeath(controlPlane.admin().client(), concurrency);
			double patches = takeBack(concurrency);
			System.err.printf("%s: %.0f moves/s by the sharder, %.0f patches/s by the bare client%n",
					(round == 0) ? "Warm-up" : "Round " + round, moves, patches);
			if (round > 0) {
				measured.add(new Round(moves, patches));
			}
		}
		measured.sort((a, b) -> Double.compare(a.share(), b.share()));
		Round median = measured.get(measured.size() / 2);
		return String.format(Locale.ROOT,
				"{\"bench\":\"assignment\",\"moveRateShare\":%.2f,\"objects\":%d,\"concurrency\":%d,"
						+ "\"movesPerSecond\":%.0f,\"patchesPerSecond\":%.0f}",
				median.share(), this.objects, concurrency, median.moves(), median.patches());
	}

	/** Names of objects that all belong to the shard that will die. */
	private List<String> namesOfDying() {
		HashRing ring = HashRing.of(Set.of(DYING, "shard-b", "shard-c"));
		List<String> names = new ArrayList<>();
		for (int i = 0; names.size() < this.objects; i++) {
			String name = "secret-" + i;
			if (DYING.equals(ring.shardFor(new ShardingKey("", "Secret", "bench", name)))) {
				names.add(name);
			}
		}
		return names;
	}

	/**
	 * The concurrency at which the bare client is fastest, after a warm-up of its own.
	 */
	private int tune() throws Exception {
		int best = this.concurrencies[0];
		double bestRate = 0;
		takeBack(this.concurrencies[0]);
		for (int concurrency : this.concurrencies) {
			List<Secret> some = this.bareClient.list().subList(0, Math.min(this.objects, 1500));
			long start = System.nanoTime();
			this.bareClient.give(some, "shard-b", concurrency);
			double rate = some.size() / seconds(start);
			System.err.printf("The bare client with %d patches in flight: %.0f/s%n", concurrency, rate);
			if (rate > bestRate) {
				bestRate = rate;
				best = concurrency;
			}
			this.bareClient.give(this.bareClient.list(), DYING, concurrency);
			awaitOwnedByDying();
		}
		return best;
	}

	private double moveByDeath(KubernetesClient sharderClient, int concurrency) {
		SharderOptions options = SharderOptions.DEFAULT.withConcurrentMoves(concurrency);
		try (Sharder sharder = new Sharder(sharderClient, options, new SimpleMeterRegistry())) {
			sharder.start();
			Waiting.until("three available shards", PATIENCE, () -> available() == 3);
			this.dying.die();
			Waiting.until("the take of the Lease", PATIENCE, () -> this.dying.takenAt() != null);
			// At once: when the Lease is given back after the moves, its times are new
			// ones.
			Instant taken = Objects.requireNonNull(this.dying.takenAt());
			Waiting.until("all objects to be moved", PATIENCE,
					() -> this.others.stream().mapToInt(IdleShard::owned).sum() == this.objects);
			Instant end = Instant.now();
			double rate = this.objects * 1000.0 / Duration.between(taken, end).toMillis();
			Waiting.until("two available shards", PATIENCE, () -> available() == 2);
			return rate;
		}
	}

	private double takeBack(int concurrency) throws Exception {
		List<Secret> secrets = this.bareClient.list();
		long start = System.nanoTime();
		this.bareClient.give(secrets, DYING, concurrency);
		awaitOwnedByDying();
		double rate = this.objects / seconds(start);
		this.dying.revive();
		return rate;
	}

	private void awaitOwnedByDying() {
		Waiting.until("all objects to be of " + DYING, PATIENCE, () -> this.dying.owned() == this.objects);
	}

	private int available() {
		return Rings.available(this.client, RING);
	}

	private static double seconds(long start) {
		return (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.dying.close();
		this.others.forEach(IdleShard::close);
	}

	/**
	 * @param moves objects a second by the sharder
	 * @param patches objects a second by the bare client
	 */
	private record Round(double moves, double patches) {

		double share() {
			return this.moves / this.patches;
		}

	}

}

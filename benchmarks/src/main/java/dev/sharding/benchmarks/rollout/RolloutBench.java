package dev.sharding.benchmarks.rollout;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.Pause;
import dev.sharding.internal.core.lease.RenewalTimings;

/**
 * Three replicas are rolled out under load: with the names of pods, as a StatefulSet with
 * a grace, and with six slots. With slots they then fail, grow and shrink.
 */
public final class RolloutBench {

	private static final int REPLICAS = 3;

	private static final double LEASE_MILLIS = RenewalTimings.DEFAULTS.leaseDuration().toMillis();

	private final int objects;

	private final int perSecond;

	private final Launch launch;

	private final Path logs;

	private final Figures figures = new Figures("rollout");

	private RolloutBench(int objects, Launch launch, Path logs) {
		this.objects = objects;
		this.perSecond = Math.min(100, objects / 20);
		this.launch = launch;
		this.logs = logs;
	}

	/** Runs the benchmark. */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		int objects = List.of(args).contains("--quick") ? 1_000 : 10_000;
		Path logs = Files.createTempDirectory("bench-rollout-");
		Path cache = logs.resolve("shard.cache");
		train(Launch.shipped().training(cache), cache, logs);
		RolloutBench bench = new RolloutBench(objects, Launch.shipped().trained(cache), logs);
		bench.figures.put("objects", 2L * objects);
		bench.compare(Naming.PODS, "Names");
		bench.compare(Naming.STATEFUL, "Stateful");
		bench.slots();
		stdout.println(bench.figures);
		// Clients leave threads behind.
		System.exit(0);
	}

	private static void train(Launch launch, Path cache, Path logs) throws Exception {
		System.err.println("Training the launch");
		try (Stage stage = new Stage(100); Fleet fleet = new Fleet(Naming.SLOTS, launch, stage.kubeconfig(), logs)) {
			fill(stage, fleet, 1);
			fleet.stop(fleet.oldest());
			fleet.awaitEnds();
		}
		if (!Files.exists(cache)) {
			throw new IllegalStateException("The JVM has written no " + cache);
		}
	}

	private static void fill(Stage stage, Fleet fleet, int replicas) throws Exception {
		fleet.scaleUp(replicas);
		stage.load().create();
		stage.awaitServed();
		stage.awaitInPlace(fleet.pods());
	}

	private void compare(Naming naming, String key) throws Exception {
		System.err.printf("%s, %d + %d objects%n", naming, this.objects, this.objects);
		try (Stage stage = new Stage(this.objects);
				Fleet fleet = new Fleet(naming, this.launch, stage.kubeconfig(), this.logs)) {
			fill(stage, fleet, REPLICAS);
			rollOut(stage, fleet, key, (naming == Naming.PODS) ? fleet::rollOutWithSurge : fleet::rollOutInOrder);
		}
	}

	private void slots() throws Exception {
		System.err.printf("%s, %d + %d objects%n", Naming.SLOTS, this.objects, this.objects);
		try (Stage stage = new Stage(this.objects);
				Fleet fleet = new Fleet(Naming.SLOTS, this.launch, stage.kubeconfig(), this.logs)) {
			fill(stage, fleet, REPLICAS);
			rollOut(stage, fleet, "Slots", fleet::rollOutWithSurge);
			failOver(stage, fleet);
			// A term that ends before it has served for one grace gets none of its own.
			Pause.of(RolloutShard.GRACE.plusSeconds(5));
			rollOut(stage, fleet, "SlotsUnavailable", fleet::rollOutUnavailable);
			failOverAlone(stage, fleet);
			fleet.scaleUp(1);
			stage.awaitInPlace(fleet.pods());
			scaleUp(stage, fleet);
			scaleDown(stage, fleet);
		}
	}

	private void rollOut(Stage stage, Fleet fleet, String key, Step rollOut) throws Exception {
		stage.trail().begin();
		long begin = System.nanoTime();
		stage.load().start(this.perSecond);
		rollOut.run();
		fleet.awaitEnds();
		stage.awaitInPlace(fleet.pods());
		double seconds = (System.nanoTime() - begin) / 1e9;
		stage.load().stop();
		stage.awaitServed();
		Trail trail = stage.trail();
		this.figures.put("movesShare" + key, trail.moves() / (2.0 * this.objects));
		this.figures.put("writes" + key, trail.writes());
		List<Duration> waits = trail.waits().stream().map(Trail.Wait::lasted).sorted().toList();
		this.figures.put("gapMillisP99" + key, waits.get((int) Math.ceil(0.99 * waits.size()) - 1).toMillis());
		this.figures.put("gapMillisMax" + key, waits.get(waits.size() - 1).toMillis());
		this.figures.put("seconds" + key, seconds);
	}

	/** A holder is killed while a candidate stands by. */
	private void failOver(Stage stage, Fleet fleet) throws Exception {
		String victim = fleet.oldest();
		fleet.nextVersion();
		fleet.scaleUp(1);
		String shard = require(stage, victim);
		stage.trail().begin();
		fleet.kill(victim);
		List<String> objects = stage.objectsOf(shard);
		this.figures.put("failoverOverLeaseSlots", leasesUntilServed(stage, fleet, shard));
		// Each object and what is made of it is touched, then the change is served.
		double writes = stage.load().writeOnly(objects, 3).toMillis() / LEASE_MILLIS;
		this.figures.put("failoverFloorSlots", 1 + writes);
		this.figures.put("failoverFloorNoStandby", 2 + writes);
		this.figures.put("failoverMoves", stage.trail().moves());
	}

	/** A holder is killed and nobody stands by. */
	private void failOverAlone(Stage stage, Fleet fleet) throws Exception {
		String victim = fleet.oldest();
		String shard = require(stage, victim);
		stage.trail().begin();
		fleet.kill(victim);
		this.figures.put("failoverNoStandby", leasesUntilServed(stage, fleet, shard));
	}

	private double leasesUntilServed(Stage stage, Fleet fleet, String shard) throws Exception {
		List<String> objects = stage.objectsOf(shard);
		Instant renewed = stage.trail().lease(shard).renewed();
		stage.load().change(objects);
		stage.awaitInPlace(fleet.pods());
		stage.awaitServed();
		return Duration.between(renewed, lastServed(stage)).toMillis() / LEASE_MILLIS;
	}

	private void scaleUp(Stage stage, Fleet fleet) throws Exception {
		stage.trail().begin();
		fleet.scaleUp(RolloutShard.SLOTS - REPLICAS);
		stage.awaitInPlace(fleet.pods());
		Trail trail = stage.trail();
		this.figures.put("scaleUpMovesShare", trail.moves() / (2.0 * this.objects));
		this.figures.put("scaleUpMovedTwice", trail.movedTwice());
	}

	/** One replica goes for good, and its objects change as it goes. */
	private void scaleDown(Stage stage, Fleet fleet) throws Exception {
		String victim = fleet.oldest();
		String shard = require(stage, victim);
		List<String> objects = stage.objectsOf(shard);
		stage.trail().begin();
		fleet.stop(victim);
		stage.await(victim + " to give its Lease back", () -> !stage.trail().lease(shard).held());
		Instant givenBack = stage.trail().lease(shard).givenBack();
		stage.load().change(objects);
		stage.awaitInPlace(fleet.pods());
		stage.awaitServed();
		this.figures.put("scaleDownGapSeconds", Duration.between(givenBack, lastServed(stage)).toMillis() / 1e3);
		// Each object and what is made of it moves, then the change is served.
		this.figures.put("scaleDownFloorSeconds",
				(RolloutShard.GRACE.plus(stage.load().writeOnly(objects, 3))).toMillis() / 1e3);
		this.figures.put("scaleDownMovesShare", stage.trail().moves() / (2.0 * this.objects));
	}

	private static Instant lastServed(Stage stage) throws IOException {
		return stage.trail().waits().stream().map(Trail.Wait::end).max(Instant::compareTo).orElseThrow();
	}

	private static String require(Stage stage, String pod) throws IOException {
		String shard = stage.shards().get(pod);
		if (shard == null) {
			throw new IllegalStateException("%s holds no Lease: %s".formatted(pod, stage.shards()));
		}
		return shard;
	}

	/** What is measured. */
	private interface Step {

		void run() throws Exception;

	}

}

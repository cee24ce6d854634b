package dev.sharding.benchmarks.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.LeaderLease;
import dev.sharding.benchmarks.cluster.Pause;
import dev.sharding.internal.sharder.ring.ControllerRing;

/**
 * {@code tightHeapRestarts}: an adoption with as much heap as one of 1,000 objects needs,
 * and what is allowed on top; then with half of that, where a condition of the ring shall
 * say why it is slow. A sharder that ends is started again, as a kubelet does.
 */
final class TightHeap implements Part {

	private static final long ALLOWED = 12 + 32;

	private static final int ENOUGH = 3;

	private static final Pattern MEMORY = Pattern.compile("(?i)memory|heap");

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		stage.holdShards();
		try (Tally secrets = stage.tally(Population.SECRETS)) {
			Adopt.create(stage, secrets, 0, Options.FEW);
			long heap = Adopt.peak(stage, secrets) + ALLOWED;
			stage.bareClient().takeOff(secrets);
			Adopt.create(stage, secrets, Options.FEW, stage.objects());
			figures.put("tightHeapMiB", heap);
			Outcome tight = adopt(stage, secrets, heap);
			figures.put("tightHeapRestarts", tight.restarts);
			figures.put("tightHeapLeft", tight.left);
			stage.bareClient().takeOff(secrets);
			Outcome half = adopt(stage, secrets, heap / 2);
			figures.put("halfHeapRestarts", half.restarts);
			figures.put("halfHeapTold", half.told ? 1 : 0);
			figures.put("halfHeapLeft", half.left);
		}
	}

	private static Outcome adopt(Stage stage, Tally secrets, long heap) throws IOException {
		secrets.expect(Population.ownersOf(Stage.SHARDS));
		stage.createRing();
		boolean told = false;
		int restarts = 0;
		long end = System.nanoTime() + patience(stage).toNanos();
		while (restarts < ENOUGH && secrets.misplaced() > 0 && System.nanoTime() < end) {
			LeaderLease.free(stage.client());
			try (MeasuredSharder sharder = stage.sharder(heap, false)) {
				while (sharder.process().isAlive() && secrets.misplaced() > 0 && System.nanoTime() < end) {
					Pause.of(Duration.ofMillis(500));
					told |= isTold(stage);
				}
				restarts += sharder.process().isAlive() ? 0 : 1;
			}
		}
		stage.forgetRing();
		return new Outcome(restarts, told, secrets.misplaced());
	}

	/* Ten times what it takes with enough heap here. */
	private static Duration patience(Stage stage) {
		return Duration.ofSeconds(60 + stage.objects() / 50);
	}

	private static boolean isTold(Stage stage) {
		ControllerRing ring = stage.client().resources(ControllerRing.class).withName(Stage.RING).get();
		return ring != null && ring.getStatus() != null
				&& ring.getStatus()
					.conditions()
					.stream()
					.anyMatch((condition) -> "False".equals(condition.getStatus())
							&& MEMORY.matcher(condition.getReason() + " " + condition.getMessage()).find());
	}

	/**
	 * @param restarts how often it ended by itself, no more than {@link #ENOUGH}
	 * @param told whether a condition said that memory is short
	 * @param left objects that had no shard when this was given up
	 */
	private record Outcome(int restarts, boolean told, int left) {
	}

}

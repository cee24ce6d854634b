package dev.sharding.benchmarks.simulation;

import java.util.List;
import java.util.Locale;

import dev.sharding.benchmarks.simulation.Population.Balance;
import dev.sharding.benchmarks.simulation.Population.Moves;
import dev.sharding.internal.core.assignment.HashRing;

/**
 * Shares a million keys out among up to a thousand shards. Progress on stderr, one JSON
 * object as the last line of stdout.
 */
public final class SimulationBench {

	private static final int KEYS = 1_000_000;

	private static final int SHARDS = 1_000;

	private SimulationBench() {
	}

	/** Runs the benchmark. */
	public static void main(String[] args) {
		boolean quick = List.of(args).contains("--quick");
		Population population = new Population(KEYS);
		for (int shards : List.of(3, 10, 100)) {
			show(population, shards);
		}
		HashRing ring = HashRing.of(Population.shards(0, SHARDS));
		Balance balance = show(population, SHARDS);
		Moves join = population.moves(ring, HashRing.of(Population.shards(0, SHARDS + 1)));
		Moves leave = population.moves(ring, HashRing.of(Population.shards(1, SHARDS)));
		// Another roll-out step: one comes, one goes.
		Moves replace = population.moves(ring, HashRing.of(Population.shards(1, SHARDS + 1)));
		System.err.printf(Locale.ROOT, "%d shards: one more moves %.3f %%, one less %.3f %%, one replaced %.3f %%%n",
				SHARDS, 100 * join.share(), 100 * leave.share(), 100 * replace.share());
		Timings timings = new Timings(Population.shards(0, SHARDS), population.keys());
		timings.measure(quick ? 5 : 20);
		double lookup = timings.lookupNanos().median();
		System.err.printf(
				"Making the ring, ms: %s%nOut of the one before, ms: %s%nA decision, ns: %s%nA look-up in a HashMap, ns: %s%n",
				timings.ringMillis(), timings.changeMillis(), timings.decisionNanos(), timings.lookupNanos());
		System.out.printf(Locale.ROOT,
				"{\"bench\":\"simulation\",\"balanceMost\":%.2f,\"balanceP99\":%.2f,\"balanceLeast\":%.2f,"
						+ "\"joinMovesOverIdeal\":%.2f,\"leaveMovesOverIdeal\":%.2f,\"replaceMovesOverIdeal\":%.2f,"
						+ "\"needlessMoves\":%d,\"decisionRatio\":%.2f,\"ringLookups\":%.0f,\"ringMillis\":%.1f,\"ringChangeRatio\":%.3f,"
						+ "\"decisionNanos\":%.0f,\"lookupNanos\":%.0f,\"keys\":%d,\"shards\":%d}%n",
				balance.most(), balance.p99(), balance.least(), join.share() * (SHARDS + 1), leave.share() * SHARDS,
				replace.share() * SHARDS / 2, join.needless() + leave.needless() + replace.needless(),
				timings.decisionNanos().median() / lookup, timings.ringMillis().median() * 1e6 / lookup,
				timings.ringMillis().median(), timings.changeMillis().median() / timings.ringMillis().median(),
				timings.decisionNanos().median(), lookup, KEYS, SHARDS);
	}

	private static Balance show(Population population, int shards) {
		Balance balance = population.balance(HashRing.of(Population.shards(0, shards)));
		Moves join = population.moves(HashRing.of(Population.shards(0, shards)),
				HashRing.of(Population.shards(0, shards + 1)));
		System.err.printf(Locale.ROOT,
				"%d shards: least %.2f, p99 %.2f, most %.2f of the mean; one more moves %.2f %%%n", shards,
				balance.least(), balance.p99(), balance.most(), 100 * join.share());
		return balance;
	}

}

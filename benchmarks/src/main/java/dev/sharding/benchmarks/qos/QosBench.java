package dev.sharding.benchmarks.qos;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import dev.sharding.benchmarks.qos.Neighbours.Outcome;
import dev.sharding.core.qos.QosRules;
import dev.sharding.test.ControlPlane;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Limits on outgoing requests: how exact they are, what they cost, whom they protect.
 */
public final class QosBench {

	private static final double[] RATES = { 10, 100, 1_000, 5_000 };

	private QosBench() {
	}

	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		boolean quick = List.of(args).contains("--quick");
		boolean full = List.of(args).contains("--full");
		double error = Accuracy.largestErrorPercent(RATES, Duration.ofSeconds(full ? 60 : (quick ? 10 : 30)));
		RunResult unmatched = unmatched(full, quick);
		double nanos = unmatched.getPrimaryResult().getStatistics().getMin();
		double bytes = Objects.requireNonNull(unmatched.getSecondaryResults().get("gc.alloc.rate.norm")).getScore();
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Neighbours.fill(controlPlane, quick ? 2_000 : 5_000);
			Neighbours neighbours = new Neighbours(controlPlane, Duration.ofSeconds(full ? 30 : (quick ? 5 : 15)));
			neighbours.alone();
			Outcome alone = report("Alone", neighbours.alone());
			Outcome runaway = report("Beside a runaway client", neighbours.beside(QosRules.NONE));
			Outcome limited = report("Beside a limited one", neighbours.beside(Neighbours.limited()));
			stdout.printf(Locale.ROOT,
					"{\"bench\":\"qos\",\"maxMeanErrorPercent\":%.3f,\"unmatchedNanos\":%.0f,\"unmatchedBytes\":%.0f,"
							+ "\"protectedP99Ratio\":%.2f,\"runawayP99Ratio\":%.2f,\"protectedServerCores\":%.2f,"
							+ "\"runawayServerCores\":%.2f}%n",
					error, nanos, bytes, limited.p99Millis() / alone.p99Millis(),
					runaway.p99Millis() / alone.p99Millis(), limited.serverCores(), runaway.serverCores());
		}
	}

	private static RunResult unmatched(boolean full, boolean quick) throws RunnerException {
		return new Runner(new OptionsBuilder().include(UnmatchedRequest.class.getName() + "\\.")
			.addProfiler(GCProfiler.class)
			.forks(full ? 5 : 1)
			.warmupIterations(3)
			.warmupTime(TimeValue.seconds(1))
			.measurementIterations(quick ? 10 : 20)
			.measurementTime(TimeValue.milliseconds(200))
			.build()).run().iterator().next();
	}

	private static Outcome report(String what, Outcome outcome) {
		System.err.printf("%s: p99 %.1f ms, API server %.2f cores, %d lists%n", what, outcome.p99Millis(),
				outcome.serverCores(), outcome.lists());
		return outcome;
	}

}

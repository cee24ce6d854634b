package dev.sharding.benchmarks.qos;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

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
		List<Accuracy.Result> rates = Accuracy.measure(RATES, Duration.ofSeconds(quick ? 3 : 5),
				Duration.ofSeconds(full ? 60 : (quick ? 10 : 30)));
		RunResult unmatched = unmatched(full, quick);
		double nanos = unmatched.getPrimaryResult().getStatistics().getPercentile(50);
		double bytes = Objects.requireNonNull(unmatched.getSecondaryResults().get("gc.alloc.rate.norm")).getScore();
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Neighbours.fill(controlPlane, quick ? 2_000 : 5_000);
			Neighbours neighbours = new Neighbours(controlPlane, Duration.ofSeconds(full ? 10 : (quick ? 2 : 5)));
			Pairs pairs = Pairs.measure(controlPlane, neighbours, full ? 9 : (quick ? 3 : 5));
			stdout.printf(Locale.ROOT,
					"{\"bench\":\"qos\",\"maxMeanErrorPercent\":%.3f,%s,\"unmatchedNanos\":%.0f,"
							+ "\"unmatchedBytes\":%.0f,\"protectedP99Ratio\":%.2f,\"runawayP99Ratio\":%.2f,"
							+ "\"protectedServerCores\":%.2f,\"runawayServerCores\":%.2f}%n",
					rates.stream().mapToDouble(Accuracy.Result::errorPercent).max().orElse(0),
					rates.stream().map(Accuracy.Result::json).collect(Collectors.joining(",")), nanos, bytes,
					pairs.protectedP99(), pairs.runawayP99(), pairs.protectedCores(), pairs.runawayCores());
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

}

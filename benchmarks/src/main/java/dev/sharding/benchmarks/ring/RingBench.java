package dev.sharding.benchmarks.ring;

import java.io.PrintStream;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs {@link RingLookup}: progress on stderr, one JSON object as the last line of
 * stdout.
 */
public final class RingBench {

	private RingBench() {
	}

	public static void main(String[] args) throws RunnerException {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		boolean full = List.of(args).contains("--full");
		boolean quick = List.of(args).contains("--quick");
		Collection<RunResult> results = new Runner(new OptionsBuilder().include(RingLookup.class.getName() + "\\.")
			.addProfiler(GCProfiler.class)
			.forks(full ? 5 : (quick ? 1 : 2))
			.warmupIterations(3)
			.warmupTime(TimeValue.seconds(1))
			.measurementIterations(full ? 50 : 15)
			.measurementTime(TimeValue.milliseconds(200))
			.build()).run();
		double lookup = nanos(results, "ring");
		double baseline = nanos(results, "tree");
		stdout.printf(Locale.ROOT,
				"{\"bench\":\"ring\",\"lookupNanos\":%.1f,\"bytesPerLookup\":%.1f,\"baselineNanos\":%.1f,"
						+ "\"baselineBytesPerLookup\":%.1f,\"lookupRatio\":%.3f}%n",
				lookup, bytes(results, "ring"), baseline, bytes(results, "tree"), lookup / baseline);
	}

	/* The median of the iterations. */
	private static double nanos(Collection<RunResult> results, String benchmark) {
		return result(results, benchmark).getPrimaryResult().getStatistics().getPercentile(50);
	}

	private static double bytes(Collection<RunResult> results, String benchmark) {
		Result<?> allocation = result(results, benchmark).getSecondaryResults().get("gc.alloc.rate.norm");
		return Objects.requireNonNull(allocation, "The garbage collector profiler reported nothing").getScore();
	}

	private static RunResult result(Collection<RunResult> results, String benchmark) {
		return results.stream()
			.filter((result) -> result.getParams().getBenchmark().endsWith("." + benchmark))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No result of benchmark '" + benchmark + "'"));
	}

}

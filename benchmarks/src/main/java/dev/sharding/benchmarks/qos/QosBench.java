package dev.sharding.benchmarks.qos;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

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
		Duration warmUp = Duration.ofSeconds(quick ? 3 : 5);
		Duration duration = Duration.ofSeconds(full ? 60 : (quick ? 10 : 30));
		List<Accuracy.Result> rates = laws(warmUp, quick ? Duration.ofSeconds(5) : duration);
		RunResult unmatched = unmatched(full, quick);
		double nanos = unmatched.getPrimaryResult().getStatistics().getPercentile(50);
		double bytes = Objects.requireNonNull(unmatched.getSecondaryResults().get("gc.alloc.rate.norm")).getScore();
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Neighbours.fill(controlPlane, 0, 10);
			List<ClassAccuracy.Result> classes = classes(controlPlane, warmUp, duration);
			Neighbours.fill(controlPlane, 10, quick ? 2_000 : 5_000);
			Neighbours neighbours = new Neighbours(controlPlane, Duration.ofSeconds(full ? 10 : (quick ? 2 : 5)));
			Pairs pairs = Pairs.measure(controlPlane, neighbours, full ? 9 : (quick ? 3 : 5));
			double error = DoubleStream
				.concat(rates.stream().mapToDouble(Accuracy.Result::errorPercent),
						classes.stream().mapToDouble(ClassAccuracy.Result::errorPercent))
				.max()
				.orElse(0);
			stdout.printf(Locale.ROOT,
					"{\"bench\":\"qos\",\"maxMeanErrorPercent\":%.3f,%s,%s,\"unmatchedNanos\":%.0f,"
							+ "\"unmatchedBytes\":%.0f,\"protectedP99Ratio\":%.2f,\"runawayP99Ratio\":%.2f,"
							+ "\"protectedServerCores\":%.2f,\"runawayServerCores\":%.2f}%n",
					error, rates.stream().map(Accuracy.Result::json).collect(Collectors.joining(",")),
					classes.stream().map(ClassAccuracy.Result::json).collect(Collectors.joining(",")), nanos, bytes,
					pairs.protectedP99(), pairs.runawayP99(), pairs.protectedCores(), pairs.runawayCores());
		}
	}

	private static List<Accuracy.Result> laws(Duration warmUp, Duration duration) {
		List<Accuracy> measured = Accuracy.start(RATES, warmUp.plus(duration));
		Calm.after(warmUp);
		long begin = System.nanoTime();
		Calm.after(duration);
		return measured.stream().map((law) -> law.result(begin)).toList();
	}

	/* Side by side: none of them needs the machine for itself. */
	private static List<ClassAccuracy.Result> classes(ControlPlane controlPlane, Duration warmUp, Duration duration) {
		List<ClassAccuracy> measured = ClassAccuracy.all(controlPlane);
		measured.forEach(ClassAccuracy::start);
		Calm.after(warmUp);
		long begin = System.nanoTime();
		Calm.after(duration);
		List<ClassAccuracy.Result> results = measured.stream().map((one) -> one.result(begin)).toList();
		measured.forEach(ClassAccuracy::close);
		return results;
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

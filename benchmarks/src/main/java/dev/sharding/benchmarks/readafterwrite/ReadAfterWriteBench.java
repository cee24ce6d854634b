package dev.sharding.benchmarks.readafterwrite;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

import dev.sharding.benchmarks.cluster.Spread;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs {@link CacheReads}, {@link PutEcho} and {@link AtRest}: progress on stderr, one
 * JSON object as the last line of stdout.
 */
public final class ReadAfterWriteBench {

	private ReadAfterWriteBench() {
	}

	public static void main(String[] args) throws RunnerException {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		int rounds = List.of(args).contains("--full") ? 20 : (List.of(args).contains("--quick") ? 3 : 8);
		long bytesAtRest = AtRest.bytesPerOverlay();
		System.err.printf("Bytes at rest: %d%n", bytesAtRest);
		Map<String, List<Double>> nanos = new HashMap<>();
		for (int round = 0; round < rounds; round++) {
			measure(round == 0)
				.forEach((name, median) -> nanos.computeIfAbsent(name, (absent) -> new ArrayList<>()).add(median));
		}
		ToDoubleFunction<String> median = (name) -> Spread.of(Objects.requireNonNull(nanos.get(name), name)).median();
		double get = median.applyAsDouble("overlaidGet");
		double bareGet = median.applyAsDouble("bareGet");
		double list = median.applyAsDouble("cacheList");
		double bareList = median.applyAsDouble("bareList");
		stdout.printf(Locale.ROOT,
				"{\"bench\":\"read-after-write\",\"getRatio\":%.3f,\"listRatio\":%.3f,\"putEchoNanos\":%.1f,"
						+ "\"bytesAtRest\":%d,\"getNanos\":%.1f,\"bareGetNanos\":%.1f,\"listMicros\":%.1f,"
						+ "\"bareListMicros\":%.1f}%n",
				get / bareGet, list / bareList, median.applyAsDouble("putEcho"), bytesAtRest, get, bareGet,
				list / 1_000, bareList / 1_000);
		// The client of the cache has threads that would keep the process.
		System.exit(0);
	}

	/*
	 * Round after round in this process, so that both sides of a ratio read one and the
	 * same store. Of each round the median of its iterations counts, and of these the
	 * median.
	 */
	private static Map<String, Double> measure(boolean cold) throws RunnerException {
		Collection<RunResult> results = new Runner(new OptionsBuilder().include(CacheReads.class.getName() + "\\.")
			.include(PutEcho.class.getName() + "\\.")
			.forks(0)
			.warmupIterations(cold ? 3 : 1)
			.warmupTime(TimeValue.milliseconds(cold ? 700 : 200))
			.measurementIterations(40)
			.measurementTime(TimeValue.milliseconds(25))
			.build()).run();
		Map<String, Double> medians = new HashMap<>();
		for (RunResult result : results) {
			String name = result.getParams().getBenchmark();
			medians.put(name.substring(name.lastIndexOf('.') + 1),
					result.getPrimaryResult().getStatistics().getPercentile(50));
		}
		return medians;
	}

}

package dev.sharding.benchmarks.readafterwrite;

import java.io.PrintStream;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

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
		boolean full = List.of(args).contains("--full");
		boolean quick = List.of(args).contains("--quick");
		long bytesAtRest = AtRest.bytesPerOverlay();
		System.err.printf("Bytes at rest: %d%n", bytesAtRest);
		Collection<RunResult> results = new Runner(new OptionsBuilder().include(CacheReads.class.getName() + "\\.")
			.include(PutEcho.class.getName() + "\\.")
			.forks(full ? 5 : (quick ? 1 : 2))
			.warmupIterations(quick ? 2 : 3)
			.warmupTime(TimeValue.milliseconds(quick ? 400 : 1_000))
			.measurementIterations(full ? 50 : (quick ? 6 : 15))
			.measurementTime(TimeValue.milliseconds(200))
			.build()).run();
		double bareGet = nanos(results, "bareGet");
		double overlaidGet = nanos(results, "overlaidGet");
		double bareList = nanos(results, "bareList");
		double cacheList = nanos(results, "cacheList");
		stdout.printf(Locale.ROOT,
				"{\"bench\":\"read-after-write\",\"getRatio\":%.3f,\"listRatio\":%.3f,"
						+ "\"putEchoNanos\":%.1f,\"bytesAtRest\":%d,\"getNanos\":%.1f,\"bareGetNanos\":%.1f,"
						+ "\"listMicros\":%.1f,\"bareListMicros\":%.1f}%n",
				overlaidGet / bareGet, cacheList / bareList, nanos(results, "putEcho"), bytesAtRest, overlaidGet,
				bareGet, cacheList / 1_000, bareList / 1_000);
	}

	/*
	 * The fastest iteration: what others do on the machine only makes an iteration
	 * slower.
	 */
	private static double nanos(Collection<RunResult> results, String benchmark) {
		return results.stream()
			.filter((result) -> result.getParams().getBenchmark().endsWith("." + benchmark))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No result of benchmark '" + benchmark + "'"))
			.getPrimaryResult()
			.getStatistics()
			.getMin();
	}

}

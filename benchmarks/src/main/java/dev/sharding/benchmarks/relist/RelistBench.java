package dev.sharding.benchmarks.relist;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.Spread;

/**
 * Lists objects and, when the watch has expired, lists them again: what a relist costs
 * that changes nothing. Progress on stderr, one JSON object as the last line of stdout.
 */
public final class RelistBench {

	/** A store of 100,000 objects, twice, is more than what we ship gives a shard. */
	private static final Launch LAUNCH = new Launch(Map.of(), List.of("-XX:+UseSerialGC", "-Xmx1g"));

	private RelistBench() {
	}

	/** Runs the benchmark. */
	public static void main(String[] args) throws IOException, GeneralSecurityException, InterruptedException {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		List<String> options = List.of(args);
		int objects = options.contains("--quick") ? 10_000 : 100_000;
		int rounds = options.contains("--full") ? 10 : (options.contains("--quick") ? 3 : 4);
		Path keys = Files.createDirectories(Path.of("benchmarks", "target", "relist")).resolve("keys.p12");
		byte[] events = UnchangingApiServer.events(objects);
		List<Round> measured = run("TLS", new UnchangingApiServer(events, keys), objects, rounds);
		List<Round> plain = run("plain", new UnchangingApiServer(events, null), objects, rounds);
		Round cold = measured.remove(0);
		plain.remove(0);
		stdout.printf(Locale.ROOT,
				"{\"bench\":\"relist\",\"cpuRatio\":%.3f,\"peakHeapRatio\":%.3f,\"withoutTlsCpuRatio\":%.3f,"
						+ "\"coldCpuRatio\":%.3f,\"firstListCpuMillis\":%.0f,\"relistCpuMillis\":%.0f,"
						+ "\"withoutTlsFirstListCpuMillis\":%.0f,\"withoutTlsRelistCpuMillis\":%.0f,"
						+ "\"heapBytesPerObject\":%.0f}%n",
				median(measured, Round::cpuRatio), median(measured, Round::heapRatio), median(plain, Round::cpuRatio),
				cold.cpuRatio(), median(measured, Round::firstMillis), median(measured, Round::relistMillis),
				median(plain, Round::firstMillis), median(plain, Round::relistMillis),
				median(measured, Round::heapBytes) / objects);
		System.exit(0);
	}

	/* The client is a process of its own, whose CPU time nobody else shares. */
	private static List<Round> run(String how, UnchangingApiServer server, int objects, int rounds)
			throws IOException, InterruptedException {
		Process client = new ProcessBuilder(LAUNCH.command(List.of("-cp", System.getProperty("java.class.path"),
				ListingClient.class.getName(), server.url(), Integer.toString(objects), Integer.toString(rounds))))
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		List<Round> measured = new ArrayList<>();
		Runtime.getRuntime().addShutdownHook(new Thread(client::destroy));
		try (BufferedReader lines = client.inputReader(StandardCharsets.UTF_8)) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (!line.startsWith(ListingClient.ROUND)) {
					// The JVM says something too now and then.
					continue;
				}
				Round round = Round.of(line.substring(ListingClient.ROUND.length()));
				System.err.printf(Locale.ROOT, "%s %s: %s, CPU %.2f, heap %.2f%n", how,
						measured.isEmpty() ? "cold" : "warm", round, round.cpuRatio(), round.heapRatio());
				measured.add(round);
			}
		}
		if (client.waitFor() != 0 || measured.size() != rounds) {
			throw new IllegalStateException("The client ended with status " + client.exitValue());
		}
		return measured;
	}

	private static double median(List<Round> rounds, ToDoubleFunction<Round> value) {
		return Spread.of(rounds.stream().map(value::applyAsDouble).toList()).median();
	}

	/**
	 * @param firstMillis CPU time of the first list
	 * @param relistMillis CPU time of the relist
	 * @param heapBytes live heap with the filled store
	 * @param peakBytes live heap when the relist has all objects
	 */
	private record Round(double firstMillis, double relistMillis, double heapBytes, double peakBytes) {

		static Round of(String line) {
			String[] words = line.split(" ", 4);
			return new Round(Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]),
					Double.parseDouble(words[3]));
		}

		double cpuRatio() {
			return this.relistMillis / this.firstMillis;
		}

		double heapRatio() {
			return this.peakBytes / this.heapBytes;
		}

	}

}

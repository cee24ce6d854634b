package dev.sharding.benchmarks.runtime;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.test.ControlPlane;

/**
 * The checksum controller on our runtime, as the only shard of a ring, and the same
 * controller on java-operator-sdk and on controller-runtime. In each run each has a
 * process and a namespace of its own, one after the other on one API server; the next run
 * has them in the opposite order.
 */
public final class RuntimeBench {

	private RuntimeBench() {
	}

	/**
	 * Runs the benchmark from the folder of the project. The system property
	 * {@code bench.go-controller} names the program on controller-runtime; without it
	 * that one is left out. The option {@code --floor} compares with the Kubernetes
	 * client alone instead.
	 */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		Plan plan = Plan.of(List.of(args));
		boolean isFloor = List.of(args).contains("--floor");
		Path logs = Files.createDirectories(Path.of("benchmarks/target/runtime")).toAbsolutePath();
		Path ourCache = logs.resolve("ours.cache");
		Path theirCache = logs.resolve(isFloor ? "bare-client.cache" : "java-operator-sdk.cache");
		Launch shipped = Launch.shipped();
		List<Contender> contenders = isFloor ? floor(shipped.trained(ourCache), shipped.trained(theirCache))
				: contenders(shipped.trained(ourCache), shipped.trained(theirCache));
		Runs runs = new Runs();
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Rings.install(controlPlane.client(), Contender.RING);
			Measurement measurement = new Measurement(controlPlane.admin(), plan.objects(), logs);
			System.err.println("Training the launches, which warms up the API server and this process");
			train(Contender.ours(shipped.training(ourCache)), ourCache, measurement, plan);
			Launch training = shipped.training(theirCache);
			train(isFloor ? Contender.bare(training) : Contender.javaOperatorSdkSameFlags(training), theirCache,
					measurement, plan);
			for (int run = 1; run <= plan.runs(); run++) {
				for (Contender contender : contenders) {
					String namespace = contender.name().toLowerCase(Locale.ROOT) + "-" + run;
					Map<Figure, Double> figures = measurement.of(contender, namespace, plan.changes());
					runs.add(contender, figures);
					System.err.printf("run %d of %d: %s%s%n", run, plan.runs(), contender.name(), Runs.text(figures));
				}
				Collections.reverse(contenders);
			}
		}
		System.err.println("Medians of ours to the others, and the least and most of the runs:\n" + runs.text());
		stdout.printf("{\"bench\":\"%s\",\"objects\":%d,\"runs\":%d,%s}%n", isFloor ? "floor" : "runtime",
				plan.objects(), plan.runs(), runs.json());
	}

	private static void train(Contender contender, Path cache, Measurement measurement, Plan plan) throws Exception {
		Files.deleteIfExists(cache);
		Contender training = contender.asTraining();
		measurement.of(training, training.name().toLowerCase(Locale.ROOT), plan.changes().dividedBy(4));
		if (!Files.exists(cache)) {
			throw new IllegalStateException("The JVM has written no " + cache);
		}
	}

	private static List<Contender> floor(Launch ours, Launch theirs) throws IOException {
		return new ArrayList<>(List.of(Contender.ours(ours), Contender.bare(theirs)));
	}

	private static List<Contender> contenders(Launch ours, Launch theirs) throws IOException {
		List<Contender> contenders = new ArrayList<>(
				List.of(Contender.ours(ours), Contender.javaOperatorSdk(), Contender.javaOperatorSdkSameFlags(theirs)));
		String program = System.getProperty("bench.go-controller");
		if (program != null) {
			contenders.add(Contender.controllerRuntime(Path.of(program)));
		}
		return contenders;
	}

	/**
	 * @param runs how often each contender is measured
	 * @param objects Secrets that are there at the start
	 * @param changes for how long they are changed, right after the start and once more
	 */
	private record Plan(int runs, int objects, Duration changes) {

		static Plan of(List<String> options) {
			if (options.contains("--quick")) {
				return new Plan(3, 1000, Duration.ofMillis(7500));
			}
			int usual = options.contains("--floor") ? 3 : 5;
			return new Plan(options.contains("--full") ? 9 : usual, 5000, Duration.ofMinutes(1));
		}

	}

}

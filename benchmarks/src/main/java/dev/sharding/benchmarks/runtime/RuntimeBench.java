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
 * controller on java-operator-sdk, alone and as a shard, and on controller-runtime. In
 * each run each has a process and a namespace of its own, one after the other on one API
 * server; the next run has them in the opposite order.
 */
public final class RuntimeBench {

	private RuntimeBench() {
	}

	/**
	 * Runs the benchmark from the folder of the project. The system property
	 * {@code bench.go-controller} names the program on controller-runtime; without it
	 * that one is left out. The option {@code --floor} compares with the Kubernetes
	 * client alone instead, {@code --tls} with ours by the TLS of the JDK.
	 */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		Plan plan = Plan.of(List.of(args));
		Against against = Against.of(List.of(args));
		Path logs = Files.createDirectories(Path.of("benchmarks/target/runtime")).toAbsolutePath();
		Path ourCache = logs.resolve("ours.cache");
		Path theirCache = logs.resolve(against.name + ".cache");
		Launch shipped = Launch.shipped();
		List<Contender> contenders = contenders(against, shipped.trained(ourCache), shipped.trained(theirCache));
		Runs runs = new Runs();
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Rings.install(controlPlane.client(), Contender.RING);
			Measurement measurement = new Measurement(controlPlane.admin(), plan.objects(), logs);
			System.err.println("Training the launches, which warms up the API server and this process");
			train(Contender.ours(shipped.training(ourCache)), ourCache, measurement, plan);
			train(against.contender.by(shipped.training(theirCache)), theirCache, measurement, plan);
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
		System.err.println("Medians of the one to the other, and the least and most of the runs:\n" + runs.text());
		stdout.printf("{\"bench\":\"%s\",\"objects\":%d,\"runs\":%d,%s}%n", against.bench, plan.objects(), plan.runs(),
				runs.json());
	}

	private static void train(Contender contender, Path cache, Measurement measurement, Plan plan) throws Exception {
		Files.deleteIfExists(cache);
		Contender training = contender.asTraining();
		measurement.of(training, training.name().toLowerCase(Locale.ROOT), plan.changes().dividedBy(4));
		if (!Files.exists(cache)) {
			throw new IllegalStateException("The JVM has written no " + cache);
		}
	}

	private static List<Contender> contenders(Against against, Launch ours, Launch theirs) throws IOException {
		List<Contender> contenders = new ArrayList<>(List.of(Contender.ours(ours), against.contender.by(theirs)));
		if (against != Against.OTHERS) {
			return contenders;
		}
		contenders.addAll(1, List.of(Contender.javaOperatorSdk(), Contender.javaOperatorSdkSharded()));
		String program = System.getProperty("bench.go-controller");
		if (program != null) {
			contenders.add(Contender.controllerRuntime(Path.of(program)));
		}
		return contenders;
	}

	/** Whom ours is compared with. */
	private enum Against {

		OTHERS("java-operator-sdk", "runtime", Contender::javaOperatorSdkSameFlags),

		BARE_CLIENT("bare-client", "floor", Contender::bare),

		JDK_TLS("jdk-tls", "tls", Contender::jdkTls);

		private final String name;

		private final String bench;

		private final Trained contender;

		Against(String name, String bench, Trained contender) {
			this.name = name;
			this.bench = bench;
			this.contender = contender;
		}

		static Against of(List<String> options) {
			if (options.contains("--tls")) {
				return JDK_TLS;
			}
			return options.contains("--floor") ? BARE_CLIENT : OTHERS;
		}

	}

	/** The contender that is started by our launch and has a trained cache, too. */
	@FunctionalInterface
	private interface Trained {

		Contender by(Launch launch) throws IOException;

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
			int usual = options.contains("--floor") || options.contains("--tls") ? 3 : 5;
			return new Plan(options.contains("--full") ? 9 : usual, 5000, Duration.ofMinutes(1));
		}

	}

}

package dev.sharding.benchmarks.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sharding.benchmarks.cluster.Launch;

/**
 * A program that keeps, for every Secret of a namespace, a ConfigMap with checksums, and
 * how it is started. All have ten workers.
 *
 * @param name its key in the result, and the beginning of its namespaces
 * @param isJvm whether it has a heap that a JVM tells of
 * @param isChanged whether the objects are changed once they are right: not for who is
 * there for its start alone
 * @param isMeasured whether it counts: not for a run that trains a cache, which ends in
 * order
 * @param command from where it works to the whole command, without KUBECONFIG
 */
record Contender(String name, boolean isJvm, boolean isChanged, boolean isMeasured,
		Function<Place, List<String>> command) {

	static final String RING = "checksums";

	/** Our runtime, as the only shard of a ring. */
	static Contender ours(Launch launch) throws IOException {
		return ours("ours", launch, List.of());
	}

	/** Our runtime, with the TLS of the JDK. */
	static Contender jdkTls(Launch launch) throws IOException {
		return ours("jdkTls", launch, List.of("-Dio.netty.handler.ssl.noOpenSsl=true"));
	}

	private static Contender ours(String name, Launch launch, List<String> flags) throws IOException {
		String classPath = classPath("benchmarks/target", "sharding-benchmarks-");
		return new Contender(name, true, true, true, (place) -> {
			List<String> program = new ArrayList<>(flags);
			program.addAll(List.of("-cp", classPath, "dev.sharding.benchmarks.runtime.ChecksumShard", RING,
					place.shard(), place.namespace()));
			return launch.command(program);
		});
	}

	/** The Kubernetes client alone, which is as cheap as ours can get. */
	static Contender bare(Launch launch) throws IOException {
		String classPath = classPath("benchmarks/target", "sharding-benchmarks-");
		return new Contender("bareClient", true, true, true, (place) -> launch
			.command(List.of("-cp", classPath, "dev.sharding.benchmarks.runtime.BareChecksums", place.namespace())));
	}

	/** java-operator-sdk as its users get it: {@code java} and a class path. */
	static Contender javaOperatorSdk() throws IOException {
		return javaOperatorSdk("javaOperatorSdk", true, Launch.PLAIN);
	}

	/** java-operator-sdk by a launch of ours. */
	static Contender javaOperatorSdkSameFlags(Launch launch) throws IOException {
		return javaOperatorSdk("javaOperatorSdkSameFlags", false, launch);
	}

	private static Contender javaOperatorSdk(String name, boolean isChanged, Launch launch) throws IOException {
		String classPath = classPath("benchmarks/josdk-operator/target", "sharding-benchmarks-josdk-operator-");
		return new Contender(name, true, isChanged, true, (place) -> {
			List<String> command = new ArrayList<>(List.of("/usr/bin/env", "NAMESPACE=" + place.namespace()));
			command.addAll(launch.command(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classPath,
					"dev.sharding.benchmarks.josdk.ChecksumOperator")));
			return command;
		});
	}

	/**
	 * The same reconciler in an application with our dependency, as the only shard of a
	 * ring, started as its users would: {@code java} and a class path.
	 */
	static Contender javaOperatorSdkSharded() throws IOException {
		String classPath = program("benchmarks/josdk-operator/target", "sharding-benchmarks-josdk-operator-") + ":"
				+ classPath("benchmarks/target", "sharding-benchmarks-") + ":benchmarks/target/operator/*";
		return new Contender("javaOperatorSdkSharded", true, true, true, (place) -> {
			List<String> command = new ArrayList<>(List.of("/usr/bin/env", "NAMESPACE=" + place.namespace()));
			command.addAll(Launch.PLAIN.command(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
					// The logging of the operator that it is compared with.
					"-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
					"-Dorg.springframework.boot.logging.LoggingSystem=none", "-cp", classPath,
					"dev.sharding.benchmarks.runtime.ShardedOperator", "--spring.main.web-application-type=none",
					"--spring.main.keep-alive=true", "--spring.main.banner-mode=off", "--sharding.ring=" + RING,
					"--sharding.shard-name=" + place.shard(), "--sharding.lease.namespace=" + place.namespace(),
					"--sharding.namespaces=" + place.namespace())));
			return command;
		});
	}

	// A cache of classes wants jars, so the program is one, too.
	private static String classPath(String target, String jar) throws IOException {
		return program(target, jar) + ":" + target + "/lib/*";
	}

	private static Path program(String target, String jar) throws IOException {
		try (Stream<Path> files = Files.list(Path.of(target))) {
			return files.filter((file) -> file.getFileName().toString().matches(jar + "[0-9].*\\.jar"))
				.max(Comparator.naturalOrder())
				.orElseThrow(() -> new IllegalStateException("There is no jar of the program in " + target));
		}
	}

	/** The same, changed for a while and then ended in order, which writes its cache. */
	Contender asTraining() {
		return new Contender("training-" + this.name, this.isJvm, true, false, this.command);
	}

	/** controller-runtime as it comes. */
	static Contender controllerRuntime(Path program) {
		return new Contender("controllerRuntime", false, true, true,
				(place) -> List.of(program.toString(), "--namespace=" + place.namespace()));
	}

	/**
	 * Where a process works.
	 *
	 * @param namespace the namespace of its Secrets, and of its Lease if it has one
	 * @param shard what the Secrets bear as their shard
	 */
	record Place(String namespace, String shard) {
	}

}

package dev.sharding.benchmarks.runtime;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import dev.sharding.benchmarks.cluster.Launch;

/**
 * A program that keeps, for every Secret of a namespace, a ConfigMap with checksums, and
 * how it is started. All have ten workers.
 *
 * @param name its key in the result, and the beginning of its namespaces
 * @param isJvm whether it has a heap that a JVM tells of
 * @param isChanged whether the objects are changed once they are right: not for who is
 * there for its start alone
 * @param command from where it works to the whole command, without KUBECONFIG
 */
record Contender(String name, boolean isJvm, boolean isChanged, Function<Place, List<String>> command) {

	static final String RING = "checksums";

	/** Our runtime, as the only shard of a ring, by the launch that we ship. */
	static Contender ours(Launch shipped) {
		return new Contender("ours", true, true,
				(place) -> shipped.command(List.of("-cp", "benchmarks/target/classes:benchmarks/target/lib/*",
						"dev.sharding.benchmarks.runtime.ChecksumShard", RING, place.shard(), place.namespace())));
	}

	/** java-operator-sdk as its users get it: {@code java} and a class path. */
	static Contender javaOperatorSdk() {
		return new Contender("javaOperatorSdk", true, true, (place) -> javaOperatorSdk(Launch.PLAIN, place));
	}

	/** java-operator-sdk by our launch. */
	static Contender javaOperatorSdkSameFlags(Launch shipped) {
		return new Contender("javaOperatorSdkSameFlags", true, false, (place) -> javaOperatorSdk(shipped, place));
	}

	private static List<String> javaOperatorSdk(Launch launch, Place place) {
		String target = "benchmarks/josdk-operator/target/";
		List<String> command = new ArrayList<>(List.of("/usr/bin/env", "NAMESPACE=" + place.namespace()));
		command.addAll(launch.command(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
				target + "classes:" + target + "lib/*", "dev.sharding.benchmarks.josdk.ChecksumOperator")));
		return command;
	}

	/** controller-runtime as it comes. */
	static Contender controllerRuntime(Path program) {
		return new Contender("controllerRuntime", false, true,
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

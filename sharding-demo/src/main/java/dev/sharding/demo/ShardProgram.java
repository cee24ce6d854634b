package dev.sharding.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * What the shards of a play are, all of which do the same job.
 */
public enum ShardProgram {

	/** The example app. */
	EXAMPLE,

	/** An operator on java-operator-sdk. */
	JOSDK;

	private static final String FOLDER = "/dev/sharding/demo/operator/";

	private static final String EXAMPLE_APP = "dev.sharding.demo.held.HeldShard";

	private static final String OPERATOR = "dev.sharding.demo.operator.HeldOperator";

	private static final String LAWLESS_OPERATOR = "dev.sharding.demo.operator.LawlessOperator";

	/** The program of that name on the command line. */
	static boolean isNamed(String name) {
		return name.equals("josdk");
	}

	/**
	 * That with a name on the command line.
	 * @throws IllegalArgumentException if there is none
	 */
	public static ShardProgram named(String name) {
		if (!isNamed(name)) {
			throw new IllegalArgumentException("There are no shards that are '" + name + "'");
		}
		return JOSDK;
	}

	/** How it is asked for on the command line, empty for what needs no asking. */
	public String option() {
		return (this == JOSDK) ? " --shard josdk" : "";
	}

	/** Whether shards of this kind can have a fault, or the sharder has it. */
	public boolean canHave(Fault fault) {
		return this == EXAMPLE || fault == Fault.NONE || fault == Fault.FENCE || fault.breaksSharder();
	}

	/**
	 * Whether there are rings with more main resources than Secrets, of which shards of
	 * this kind have a reconciler each.
	 */
	public boolean hasMore() {
		return this == JOSDK;
	}

	/** A shard of a ring that has more. */
	public Role shardOfMore(Role role, Fault fault) {
		Role shard = shard(role, fault);
		return hasMore() ? shard.with("SPRING_PROFILES_ACTIVE", "three-reconcilers") : shard;
	}

	/**
	 * A manifest of a ring that has more.
	 * @param name of the file
	 */
	static String manifestOfMore(String name) throws IOException {
		try (InputStream file = ShardProgram.class.getResourceAsStream(FOLDER + name)) {
			return new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	/** A shard that can be held, with a fault. */
	public Role shard(Role role, Fault fault) {
		if (this == EXAMPLE) {
			return fault.shard(role.running(EXAMPLE_APP));
		}
		return role.running((fault == Fault.FENCE) ? LAWLESS_OPERATOR : OPERATOR);
	}

}

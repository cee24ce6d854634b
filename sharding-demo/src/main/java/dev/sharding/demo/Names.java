package dev.sharding.demo;

import java.time.Duration;

import dev.sharding.protocol.ShardingLabels;

/** Names in the play. */
public final class Names {

	static final String RING = "checksums";

	static final String NAMESPACE = "demo";

	/** Outside of the scope of every ring. */
	public static final String SYSTEM_NAMESPACE = "sharding-system";

	static final String SHARD_LABEL = ShardingLabels.shard(RING);

	static final String DRAIN_LABEL = ShardingLabels.drain(RING);

	/** How long a Lease lasts: short, so that nobody waits. */
	public static final Duration LEASE = Duration.ofSeconds(3);

	/**
	 * How long the Lease of the sharder lasts: a busy machine can stand still for
	 * seconds, and without a sharder nobody is given anything.
	 */
	public static final Duration SHARDER_LEASE = Duration.ofSeconds(6);

	/** How many objects a shard reconciles at a time. */
	public static final int WORKERS = 10;

	/** How many objects the sharder patches at a time. */
	public static final int MOVES = 100;

	/** Annotation by which the example app says which version it has reconciled. */
	static final String STAMPED_VERSION = "checksums.example/secret-version";

	private Names() {
	}

	/** What is hashed for a Secret. */
	static String key(String secret) {
		return "/Secret/" + NAMESPACE + "/" + secret;
	}

	/** Name of the Secret of that number. */
	public static String secret(int number) {
		return "secret-" + number;
	}

	/** Whether that Secret is deleted and created again now and then. */
	static boolean comesAndGoes(int number) {
		return number % 6 == 5;
	}

	/** The same, by its name. */
	static boolean comesAndGoes(String secret) {
		return comesAndGoes(Integer.parseInt(secret.substring(secret.lastIndexOf('-') + 1)));
	}

}

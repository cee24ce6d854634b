package dev.sharding.internal.core.key;

import java.util.regex.Pattern;

import dev.sharding.protocol.ShardingLabels;

/**
 * Which names a ring and a shard may have. A shard name is the name of a Lease and the
 * value of a label, a ring name is the name of an object and a part of a label key, so
 * both rules apply (protocol section 1.1).
 */
public final class ShardingNames {

	/** The longest name of a ring or shard, in characters. */
	public static final int MAX_LENGTH = 63;

	private static final Pattern SUBDOMAIN = Pattern
		.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

	private ShardingNames() {
	}

	/**
	 * Returns {@code name} if a shard may bear it.
	 * @param name the name of a shard
	 * @return {@code name}
	 * @throws IllegalArgumentException if it is no valid name; the message says why
	 */
	public static String requireShard(String name) {
		if (ShardingLabels.SHARDER_IDENTITY.equals(name)) {
			// A Lease of this name would seem to be held by its shard once it is taken.
			throw new IllegalArgumentException(
					"Shard name '%s' must be another one: '%s' is what the sharder calls itself as holder of a Lease"
						.formatted(name, name));
		}
		return require("Shard name", name);
	}

	/**
	 * Returns {@code name} if a ControllerRing may bear it.
	 * @param name the name of a ring
	 * @return {@code name}
	 * @throws IllegalArgumentException if it is no valid name; the message says why
	 */
	public static String requireRing(String name) {
		return require("Ring name", name);
	}

	private static String require(String what, String name) {
		if (name.isEmpty()) {
			throw new IllegalArgumentException(what + " must not be empty");
		}
		if (name.length() > MAX_LENGTH) {
			throw new IllegalArgumentException("%s '%s' must have at most %d characters (has %d): it is part of a label"
				.formatted(what, name, MAX_LENGTH, name.length()));
		}
		if (!SUBDOMAIN.matcher(name).matches()) {
			throw new IllegalArgumentException(("%s '%s' must consist of lower-case letters, digits, '-' and '.'"
					+ ", and begin and end with a letter or digit")
				.formatted(what, name));
		}
		return name;
	}

}

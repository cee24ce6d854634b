package dev.sharding.internal.core.slot;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.OptionalInt;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.sharding.internal.core.key.ShardingNames;

/**
 * The names of the slots of one ring in one namespace: {@code <prefix>-000} and so on.
 * There are three digits always, as {@code p-1} and {@code p-11} would share tokens of
 * the ring.
 *
 * @param prefix what is before the number
 * @param count how many slots there are, from 1 to 1000
 */
public record SlotNames(String prefix, int count) {

	/** The most slots that there can be. */
	public static final int MOST = 1000;

	private static final int DIGITS = 3;

	private static final int HASH_DIGITS = 6;

	/**
	 * Checks the names.
	 * @throws IllegalArgumentException if there are too few or too many slots, or one
	 * cannot bear its name
	 */
	public SlotNames {
		if (count < 1 || count > MOST) {
			throw new IllegalArgumentException("There must be 1 to %d slots (is %d)".formatted(MOST, count));
		}
		if (prefix.isEmpty()) {
			throw new IllegalArgumentException("The prefix of slots must not be empty");
		}
		ShardingNames.requireShard(name(prefix, 0));
	}

	/**
	 * Returns the prefix of a ring's slots unless another one is set: Leases of one ring
	 * in two namespaces must not share a name.
	 * @param ring the name of the ring
	 * @param namespace the namespace of the Leases
	 * @return the ring and a short hash of the namespace
	 */
	public static String defaultPrefix(String ring, String namespace) {
		long hash = Hashing.xxh64(0).hashBytesToLong(namespace.getBytes(StandardCharsets.UTF_8));
		return ring + "-" + HexFormat.of().toHexDigits(hash, HASH_DIGITS);
	}

	/**
	 * Returns the name of a slot.
	 * @param number its number, from 0 and below {@link #count()}
	 * @return the name of the shard and of its Lease
	 */
	public String name(int number) {
		if (number < 0 || number >= this.count) {
			throw new IllegalArgumentException("There is no slot %d of %d".formatted(number, this.count));
		}
		return name(this.prefix, number);
	}

	/**
	 * Returns the number of a slot.
	 * @param name the name of a Lease
	 * @return its number, empty if it is none of these slots
	 */
	public OptionalInt number(String name) {
		int start = this.prefix.length() + 1;
		if (name.length() != start + DIGITS || !name.startsWith(this.prefix + "-")) {
			return OptionalInt.empty();
		}
		int number = 0;
		for (char digit : name.substring(start).toCharArray()) {
			if (digit < '0' || digit > '9') {
				return OptionalInt.empty();
			}
			number = number * 10 + (digit - '0');
		}
		return (number < this.count) ? OptionalInt.of(number) : OptionalInt.empty();
	}

	private static String name(String prefix, int number) {
		String digits = Integer.toString(number);
		return prefix + "-" + "0".repeat(DIGITS - digits.length()) + digits;
	}

}

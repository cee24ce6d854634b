package dev.sharding.internal.core.read;

import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * The order of resource versions of one resource type (KEP-5504). A comparable version is
 * a decimal number without leading zero, up to 128 bits, so versions are compared by
 * length and then digit by digit and are never parsed.
 */
public final class ResourceVersions {

	/**
	 * Orders versions of one resource of one cluster. Whatever is no comparable version
	 * comes before all that are.
	 */
	public static final Comparator<@Nullable String> OLDEST_FIRST = Comparator.comparing(
			(@Nullable String version) -> (version != null && isComparable(version)) ? version : "",
			Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));

	private ResourceVersions() {
	}

	/**
	 * Tells how {@code left} stands to {@code right}. Both must come from the same
	 * resource of the same cluster.
	 * @param left a version as the API server wrote it, or {@code null}
	 * @param right a version as the API server wrote it, or {@code null}
	 * @return the order, or {@link Order#NOT_COMPARABLE} if one of the two is no
	 * comparable version (absent, empty, "0", a leading zero, anything but digits)
	 */
	public static Order compare(@Nullable String left, @Nullable String right) {
		if (left == null || right == null || !isComparable(left) || !isComparable(right)) {
			return Order.NOT_COMPARABLE;
		}
		int difference = OLDEST_FIRST.compare(left, right);
		if (difference == 0) {
			return Order.SAME;
		}
		return (difference < 0) ? Order.BEFORE : Order.AFTER;
	}

	/**
	 * Tells whether {@code version} can take part in a comparison.
	 * @param version a version as the API server wrote it, or {@code null}
	 * @return {@code true} for a decimal number without leading zero
	 */
	public static boolean isComparable(@Nullable String version) {
		if (version == null || version.isEmpty() || version.charAt(0) == '0') {
			return false;
		}
		for (int i = 0; i < version.length(); i++) {
			char c = version.charAt(i);
			if (c < '0' || c > '9') {
				return false;
			}
		}
		return true;
	}

	/**
	 * The moment right before a version: whatever the API server shows at it is what the
	 * write of that version found.
	 * @param version a version as the API server wrote it, or {@code null}
	 * @return the version, or {@code null} if {@code version} is not comparable or there
	 * is none before it
	 */
	public static @Nullable String before(@Nullable String version) {
		if (version == null || !isComparable(version) || version.equals("1")) {
			return null;
		}
		char[] digits = version.toCharArray();
		int last = digits.length - 1;
		while (digits[last] == '0') {
			digits[last--] = '9';
		}
		digits[last]--;
		return (digits[0] == '0') ? new String(digits, 1, digits.length - 1) : new String(digits);
	}

	/**
	 * How one version stands to another.
	 */
	public enum Order {

		/** The left version is older. */
		BEFORE,

		/** Both are the same version. */
		SAME,

		/** The left version is newer. */
		AFTER,

		/** At least one of them is no comparable version: ask the API server. */
		NOT_COMPARABLE

	}

}

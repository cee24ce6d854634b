package dev.sharding.internal.core.wanted;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import org.jspecify.annotations.Nullable;

/**
 * A digest of a JSON tree that is the same in every process: the members of objects are
 * sorted, numbers have one form, and {@code null} is left out.
 */
final class Fingerprint {

	private Fingerprint() {
	}

	static String of(Map<?, ?> tree) {
		StringBuilder text = new StringBuilder();
		append(text, tree);
		HashValue128 hash = Hashing.murmur3_128().hashCharsTo128Bits(text);
		return "%016x%016x".formatted(hash.getMostSignificantBits(), hash.getLeastSignificantBits());
	}

	/** Whether two values that are no trees are the same to JSON. */
	static boolean isSame(@Nullable Object one, @Nullable Object other) {
		return (one instanceof Number number && other instanceof Number another) ? plain(number).equals(plain(another))
				: Objects.equals(one, other);
	}

	private static String plain(Number number) {
		return new BigDecimal(number.toString()).stripTrailingZeros().toPlainString();
	}

	/* Lengths before texts, so that no value can look like two. */
	private static void append(StringBuilder text, @Nullable Object value) {
		if (value instanceof Map<?, ?> map) {
			text.append('{');
			TreeMap<String, Object> sorted = new TreeMap<>();
			map.forEach((name, below) -> {
				if (below != null) {
					sorted.put(String.valueOf(name), below);
				}
			});
			sorted.forEach((name, below) -> {
				append(text, name);
				append(text, below);
			});
			text.append('}');
		}
		else if (value instanceof Collection<?> list) {
			text.append('[');
			list.forEach((element) -> append(text, element));
			text.append(']');
		}
		else if (value instanceof Number number) {
			text.append('#').append(plain(number)).append(';');
		}
		else if (value instanceof Boolean || value == null) {
			text.append(value).append(';');
		}
		else {
			String string = value.toString();
			text.append('"').append(string.length()).append(':').append(string);
		}
	}

}

package dev.sharding.internal.sharder.ring;

import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;

/**
 * Texts of conditions, which are bounded: the CustomResourceDefinition refuses a message
 * of more than 32,768 characters, and people read no list of a thousand shards.
 */
final class Reasons {

	private static final int NAMED = 5;

	private static final int LONGEST = 500;

	private Reasons() {
	}

	/** Lists the first reasons, each behind what it is about. */
	static String of(SortedMap<String, String> reasons, String separator) {
		return join("; ",
				reasons.entrySet()
					.stream()
					.limit(NAMED)
					.map((Map.Entry<String, String> entry) -> cut(entry.getKey() + separator + entry.getValue()))
					.toList(),
				reasons.size());
	}

	/** Lists the first names. */
	static String names(Collection<String> names) {
		return join(", ", names.stream().limit(NAMED).map(Reasons::cut).toList(), names.size());
	}

	/** A reason, or its beginning if it is long. */
	static String cut(String reason) {
		return (reason.length() <= LONGEST) ? reason : reason.substring(0, LONGEST - 1) + '…';
	}

	private static String join(String delimiter, Collection<String> named, int all) {
		String text = String.join(delimiter, named);
		return (all > named.size()) ? text + " and %d more".formatted(all - named.size()) : text;
	}

}

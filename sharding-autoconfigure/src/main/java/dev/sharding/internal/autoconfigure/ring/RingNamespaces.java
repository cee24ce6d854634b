package dev.sharding.internal.autoconfigure.ring;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * Tells whether a ring gives its shards objects of other namespaces than those that this
 * shard watches. Nobody would reconcile these: the sharder does not know what a shard
 * watches.
 */
final class RingNamespaces {

	private static final String NAME_LABEL = "kubernetes.io/metadata.name";

	private RingNamespaces() {
	}

	/**
	 * Compares a ring with a shard.
	 * @param watched the namespaces that the shard watches; empty for all
	 * @param selector the namespace selector of the ring, {@code null} if it has none
	 * @return whether the ring covers no other namespaces, as far as its selector names
	 * them; what other labels select is not looked up
	 */
	static boolean areWithin(Set<String> watched, @Nullable Object selector) {
		if (watched.isEmpty()) {
			return true;
		}
		Set<String> named = named(selector);
		return named != null && watched.containsAll(named);
	}

	/** The namespaces that the selector names, or {@code null} if it names none. */
	private static @Nullable Set<String> named(@Nullable Object selector) {
		if (!(selector instanceof Map<?, ?> parts)) {
			return null;
		}
		if (parts.get("matchLabels") instanceof Map<?, ?> labels && labels.get(NAME_LABEL) instanceof String name) {
			return Set.of(name);
		}
		if (parts.get("matchExpressions") instanceof List<?> expressions) {
			for (Object expression : expressions) {
				if (expression instanceof Map<?, ?> map && NAME_LABEL.equals(map.get("key"))
						&& "In".equals(map.get("operator")) && map.get("values") instanceof Collection<?> values) {
					Set<String> names = new TreeSet<>();
					values.forEach((value) -> names.add(String.valueOf(value)));
					return names;
				}
			}
		}
		return null;
	}

}

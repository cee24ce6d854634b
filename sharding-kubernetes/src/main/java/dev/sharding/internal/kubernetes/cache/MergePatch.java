package dev.sharding.internal.kubernetes.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The difference of two JSON objects as a merge patch (RFC 7396): members that are gone
 * become {@code null}, arrays are replaced as a whole.
 */
final class MergePatch {

	private MergePatch() {
	}

	static Map<String, @Nullable Object> between(Map<?, ?> before, Map<?, ?> after) {
		Map<String, @Nullable Object> patch = new LinkedHashMap<>();
		before.forEach((name, old) -> {
			if (old != null && after.get(name) == null) {
				patch.put((String) name, null);
			}
		});
		after.forEach((name, wanted) -> {
			Object old = before.get(name);
			if (wanted == null || Objects.equals(old, wanted)) {
				return;
			}
			if (wanted instanceof Map<?, ?> wantedObject) {
				Map<?, ?> oldObject = (old instanceof Map<?, ?> map) ? map : Map.of();
				Map<String, @Nullable Object> below = between(oldObject, wantedObject);
				if (!below.isEmpty() || !(old instanceof Map<?, ?>)) {
					patch.put((String) name, below);
				}
			}
			else {
				patch.put((String) name, wanted);
			}
		});
		return patch;
	}

}

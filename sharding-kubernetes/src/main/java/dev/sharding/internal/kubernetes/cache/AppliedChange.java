package dev.sharding.internal.kubernetes.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.overlay.OwnChange;

/**
 * Whether a server-side apply explains what changed: each field that differs has the
 * value that was applied. Fields that vanished, or that the API server defaulted, are not
 * explained.
 */
final class AppliedChange<T extends HasMetadata> implements OwnChange<T> {

	private static final Set<String> BOOKKEEPING = Set.of("resourceVersion", "generation", "managedFields", "uid",
			"creationTimestamp", "selfLink");

	private final Map<?, ?> applied;

	private final Function<T, Map<?, ?>> tree;

	AppliedChange(Map<?, ?> applied, Function<T, Map<?, ?>> tree) {
		this.applied = applied;
		this.tree = tree;
	}

	@Override
	public boolean explains(@Nullable T before, T after) {
		Map<?, ?> old = (before != null) ? this.tree.apply(before) : Map.of();
		Map<String, @Nullable Object> changed = new LinkedHashMap<>(MergePatch.between(old, this.tree.apply(after)));
		if (changed.get("metadata") instanceof Map<?, ?> metadata) {
			Map<Object, @Nullable Object> ours = new LinkedHashMap<>(metadata);
			ours.keySet().removeAll(BOOKKEEPING);
			changed.put("metadata", ours);
		}
		return isIn(changed, this.applied);
	}

	private static boolean isIn(Map<?, ?> changed, Map<?, ?> applied) {
		return changed.entrySet().stream().allMatch((entry) -> {
			Object sent = applied.get(entry.getKey());
			if (entry.getValue() instanceof Map<?, ?> below) {
				return below.isEmpty() || (sent instanceof Map<?, ?> sentBelow && isIn(below, sentBelow));
			}
			return sent != null && sent.equals(entry.getValue());
		});
	}

}

package dev.sharding.cache;

import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import org.jspecify.annotations.Nullable;

/**
 * The law of label selectors: all labels and all expressions must hold.
 */
final class LabelSelectors {

	private LabelSelectors() {
	}

	static boolean matches(LabelSelector selector, @Nullable Map<String, String> labels) {
		Map<String, String> present = (labels != null) ? labels : Map.of();
		Map<String, String> wanted = selector.getMatchLabels();
		if (wanted != null) {
			for (Map.Entry<String, String> entry : wanted.entrySet()) {
				if (!entry.getValue().equals(present.get(entry.getKey()))) {
					return false;
				}
			}
		}
		List<LabelSelectorRequirement> requirements = selector.getMatchExpressions();
		if (requirements != null) {
			for (LabelSelectorRequirement requirement : requirements) {
				if (!holds(requirement, present.get(requirement.getKey()))) {
					return false;
				}
			}
		}
		return true;
	}

	private static boolean holds(LabelSelectorRequirement requirement, @Nullable String value) {
		return switch (requirement.getOperator()) {
			case "In" -> value != null && requirement.getValues().contains(value);
			case "NotIn" -> value == null || !requirement.getValues().contains(value);
			case "Exists" -> value != null;
			case "DoesNotExist" -> value == null;
			default -> throw new IllegalArgumentException("'operator' of a label selector must be In, NotIn, Exists or"
					+ " DoesNotExist (is %s)".formatted(requirement.getOperator()));
		};
	}

}

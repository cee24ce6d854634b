package dev.sharding.cache;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import org.jspecify.annotations.Nullable;

/*
 * What the API server would refuse selects nothing or everything in memory, and goes on to do so. What is very
 * long may be too long for an address, and costs the API server more than a list of metadata.
 */
/**
 * Label selectors in the words of the API server.
 */
final class SelectorWords {

	static final int LONGEST = 1_000;

	private static final String NAME = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

	private static final Pattern VALUE = Pattern.compile("(" + NAME + ")?");

	private static final Pattern KEY = Pattern
		.compile("([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*/)?" + NAME);

	private SelectorWords() {
	}

	/**
	 * Puts a selector in words, equal ones in equal words.
	 * @param selector the selector
	 * @return the query parameter, or {@code null} if the API server had better not be
	 * asked with it
	 */
	static @Nullable String of(LabelSelector selector) {
		TreeSet<String> words = new TreeSet<>();
		Map<String, String> labels = selector.getMatchLabels();
		if (labels != null) {
			for (Map.Entry<String, String> entry : labels.entrySet()) {
				if (!isKey(entry.getKey()) || !isValue(entry.getValue())) {
					return null;
				}
				words.add(entry.getKey() + "=" + entry.getValue());
			}
		}
		List<LabelSelectorRequirement> requirements = selector.getMatchExpressions();
		if (requirements != null) {
			for (LabelSelectorRequirement requirement : requirements) {
				String word = word(requirement);
				if (word == null) {
					return null;
				}
				words.add(word);
			}
		}
		String all = String.join(",", words);
		return (all.isEmpty() || all.length() > LONGEST) ? null : all;
	}

	private static @Nullable String word(LabelSelectorRequirement requirement) {
		String key = requirement.getKey();
		String operator = requirement.getOperator();
		List<String> values = requirement.getValues();
		if (!isKey(key) || operator == null) {
			return null;
		}
		if (operator.equals("Exists")) {
			return key;
		}
		if (operator.equals("DoesNotExist")) {
			return "!" + key;
		}
		if (!(operator.equals("In") || operator.equals("NotIn")) || values == null || values.isEmpty()
				|| !values.stream().allMatch(SelectorWords::isValue)) {
			return null;
		}
		return key + (operator.equals("In") ? " in (" : " notin (") + String.join(",", new TreeSet<>(values)) + ")";
	}

	private static boolean isKey(@Nullable String key) {
		return key != null && key.length() <= 253 && KEY.matcher(key).matches();
	}

	private static boolean isValue(@Nullable String value) {
		return value != null && VALUE.matcher(value).matches();
	}

}

package dev.sharding.internal.sharder.ring;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import org.jspecify.annotations.Nullable;

/**
 * Says whose objects are distributed: by default those of all namespaces but the excluded
 * ones, else those of the namespaces that the selector of the ring matches. Objects
 * without a namespace always are, except Namespaces, which the caller treats like any
 * cluster-scoped object.
 */
public final class NamespaceFilter {

	private final Set<String> excluded;

	private final @Nullable LabelSelector selector;

	private final Function<String, @Nullable Map<String, String>> labels;

	private NamespaceFilter(Set<String> excluded, @Nullable LabelSelector selector,
			Function<String, @Nullable Map<String, String>> labels) {
		this.excluded = excluded;
		this.selector = selector;
		this.labels = labels;
	}

	/**
	 * Returns the default filter.
	 * @param excluded the names of the namespaces to leave out
	 * @return the filter
	 */
	public static NamespaceFilter excluding(Collection<String> excluded) {
		return new NamespaceFilter(Set.copyOf(excluded), null, (namespace) -> Map.of());
	}

	/**
	 * Returns the filter of a ring that has a selector.
	 * @param selector the selector
	 * @param labels name of a namespace to its labels; {@code null} if there is no such
	 * namespace
	 * @return the filter
	 * @throws IllegalArgumentException if the selector is not valid
	 */
	public static NamespaceFilter selecting(LabelSelector selector,
			Function<String, @Nullable Map<String, String>> labels) {
		for (LabelSelectorRequirement requirement : expressions(selector)) {
			boolean valued = !requirement.getValues().isEmpty();
			boolean valid = switch (requirement.getOperator()) {
				case "In", "NotIn" -> valued;
				case "Exists", "DoesNotExist" -> !valued;
				default -> false;
			};
			if (!valid) {
				throw new IllegalArgumentException("'namespaceSelector' has an invalid expression: key %s, operator %s"
					.formatted(requirement.getKey(), requirement.getOperator()));
			}
		}
		return new NamespaceFilter(Set.of(), selector, labels);
	}

	/**
	 * Tells whether the objects of a namespace are distributed.
	 * @param namespace the name, empty for cluster-scoped objects
	 * @return {@code true} if they are
	 */
	public boolean includes(String namespace) {
		if (namespace.isEmpty()) {
			return true;
		}
		if (this.selector == null) {
			return !this.excluded.contains(namespace);
		}
		Map<String, String> found = this.labels.apply(namespace);
		return found != null && matches(this.selector, found);
	}

	/**
	 * Tells whether the objects of a namespace are known not to be distributed.
	 * @param namespace the name, empty for cluster-scoped objects
	 * @return {@code false} also if nothing is known of the namespace
	 */
	public boolean leavesOut(String namespace) {
		return !includes(namespace) && (this.selector == null || this.labels.apply(namespace) != null);
	}

	/**
	 * Tells whether the objects of a namespace are distributed after a change of it and
	 * were not before, or the other way round. Objects of a new namespace were not.
	 * @param change what happened to the namespace
	 * @return {@code false} if nothing has to be done about its objects
	 */
	public boolean isTurnedBy(NamespaceChange change) {
		return this.selector != null
				&& (change.before() != null && matches(this.selector, change.before())) != matches(this.selector,
						change.after());
	}

	/**
	 * Returns what the API server can leave out for us.
	 * @return a field selector for namespaced resources, or {@code null} if there is none
	 */
	public @Nullable String fieldSelector() {
		if (this.excluded.isEmpty()) {
			return null;
		}
		SortedSet<String> terms = new TreeSet<>();
		this.excluded.forEach((namespace) -> terms.add("metadata.namespace!=" + namespace));
		return String.join(",", terms);
	}

	private static boolean matches(LabelSelector selector, Map<String, String> labels) {
		Map<String, String> equal = selector.getMatchLabels();
		if (equal != null && !labels.entrySet().containsAll(equal.entrySet())) {
			return false;
		}
		return expressions(selector).stream().allMatch((requirement) -> matches(requirement, labels));
	}

	private static boolean matches(LabelSelectorRequirement requirement, Map<String, String> labels) {
		String value = labels.get(requirement.getKey());
		return switch (requirement.getOperator()) {
			case "In" -> value != null && requirement.getValues().contains(value);
			case "NotIn" -> value == null || !requirement.getValues().contains(value);
			case "Exists" -> value != null;
			default -> value == null;
		};
	}

	private static List<LabelSelectorRequirement> expressions(LabelSelector selector) {
		List<LabelSelectorRequirement> expressions = selector.getMatchExpressions();
		return (expressions != null) ? expressions : List.of();
	}

}

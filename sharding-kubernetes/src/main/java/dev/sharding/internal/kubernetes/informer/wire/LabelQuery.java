package dev.sharding.internal.kubernetes.informer.wire;

import java.util.Map;
import java.util.function.Predicate;

/**
 * What selects objects by their labels, in the words of the API server and as a law. Two
 * are equal if their words are.
 *
 * @param selector the label selector as a query parameter
 * @param law tells from all labels of an object whether the selector selects it
 */
public record LabelQuery(String selector, Predicate<Map<String, String>> law) {

	public boolean selects(Map<String, String> labels) {
		return this.law.test(labels);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LabelQuery query && query.selector.equals(this.selector);
	}

	@Override
	public int hashCode() {
		return this.selector.hashCode();
	}

	@Override
	public String toString() {
		return this.selector;
	}

}

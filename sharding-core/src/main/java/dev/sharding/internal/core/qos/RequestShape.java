package dev.sharding.internal.core.qos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.RequestTarget;

/**
 * What requests of about the same cost have in common. Names of objects and the order of
 * a selector's terms do not matter.
 *
 * @param operation what they do
 * @param group the API group
 * @param resource the plural
 * @param namespace the namespace, empty for all
 * @param labelSelector with its terms in order, empty for none
 * @param fieldSelector with its terms in order, empty for none
 * @param limit the page size, empty for none
 * @param versionKind how the resource version was asked for
 */
public record RequestShape(Operation operation, String group, String resource, String namespace, String labelSelector,
		String fieldSelector, String limit, VersionKind versionKind) {

	/**
	 * Returns the shape of a request.
	 * @param operation what it does
	 * @param target what it is about
	 * @param query the decoded query
	 * @return the shape
	 */
	public static RequestShape of(Operation operation, RequestTarget target, Map<String, String> query) {
		return new RequestShape(operation, target.group(), target.resource(), target.namespace(),
				inOrder(query.getOrDefault("labelSelector", "")), inOrder(query.getOrDefault("fieldSelector", "")),
				query.getOrDefault("limit", ""), VersionKind.of(query.getOrDefault("resourceVersion", "")));
	}

	/* A comma inside parentheses belongs to a set, not between terms. */
	private static String inOrder(String selector) {
		List<String> terms = new ArrayList<>();
		int depth = 0;
		int start = 0;
		for (int i = 0; i < selector.length(); i++) {
			char character = selector.charAt(i);
			if (character == '(') {
				depth++;
			}
			else if (character == ')') {
				depth--;
			}
			else if (character == ',' && depth == 0) {
				terms.add(selector.substring(start, i).strip());
				start = i + 1;
			}
		}
		terms.add(selector.substring(start).strip());
		terms.sort(null);
		return String.join(",", terms);
	}

	/** Where the server takes the answer from. */
	public enum VersionKind {

		/** The most recent state. */
		UNSET,

		/** Any state. */
		ZERO,

		/** A given state, or one not older. */
		GIVEN;

		static VersionKind of(String resourceVersion) {
			if (resourceVersion.isEmpty()) {
				return UNSET;
			}
			return resourceVersion.equals("0") ? ZERO : GIVEN;
		}

	}

}

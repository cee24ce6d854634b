package dev.sharding.qos.spi;

import org.jspecify.annotations.Nullable;

/**
 * A part of the API, compared by whole segments. A part that is {@code null} stands for
 * any.
 *
 * @param group the API group, empty for the core group
 * @param version the version of the group
 * @param namespace the namespace
 * @param resource the plural
 * @param name the object's name
 */
public record PathPrefix(@Nullable String group, @Nullable String version, @Nullable String namespace,
		@Nullable String resource, @Nullable String name) {

	/**
	 * Reads a prefix.
	 * @param text {@code /}, {@code /api[/v1]} or {@code /apis/group[/version]} with
	 * {@code [/namespaces/ns][/resource[/name]]}; or, as in etcd,
	 * {@code /registry[/[group/]resource[/ns[/name]]]} where a group has a dot; the first
	 * slash may be missing
	 * @return the prefix
	 * @throws IllegalArgumentException if it is none of these
	 */
	public static PathPrefix parse(String text) {
		Segments segments = new Segments(text);
		PathPrefix prefix = switch (segments.next()) {
			case "" -> new PathPrefix(null, null, null, null, null);
			case "api" -> inGroup("", segments);
			case "apis" -> inGroup(groupOf(text, segments.next()), segments);
			case "registry" -> inRegistry(segments);
			default -> throw invalid(text);
		};
		if (!segments.atEnd()) {
			throw invalid(text);
		}
		return prefix;
	}

	/**
	 * Whether a request touches this part. A read of a collection touches each part of
	 * it: a list of all namespaces is a list of each. A write touches only what it names.
	 * @param target what the request is about
	 * @param operation what the request does
	 * @return whether it does
	 */
	public boolean matches(RequestTarget target, Operation operation) {
		return (this.resource == null || target.isOfResource(this.resource))
				&& (this.group == null || target.isInGroup(this.group))
				&& (this.version == null || target.isInVersion(this.version))
				&& (this.namespace == null || matchesNamespace(this.namespace, target, operation)) && (this.name == null
						|| target.isNamed(this.name) || (operation.readsCollection() && target.isCollection()));
	}

	private boolean matchesNamespace(String wanted, RequestTarget target, Operation operation) {
		if (target.isInNamespace(wanted) || (operation.readsCollection() && target.isInNoNamespace())) {
			return true;
		}
		// The namespace's own object lies in no namespace, yet below the same path.
		// In a registry path an object without namespace has its name where others
		// have their namespace.
		return (this.resource == null) ? target.isOfResource("namespaces") && target.isNamed(wanted)
				: this.version == null && this.name == null && target.isInNoNamespace() && target.isNamed(wanted);
	}

	/**
	 * Whether one request can match both, whatever its operation.
	 * @param other another prefix
	 * @return whether it can; {@code true} also for two namespaces, since a list of all
	 * touches both, if collections count
	 */
	boolean overlaps(PathPrefix other, boolean collections) {
		return meet(this.group, other.group) && meet(this.version, other.version) && meet(this.resource, other.resource)
				&& (collections || (meet(this.namespace, other.namespace) && meet(this.name, other.name)));
	}

	/**
	 * Returns the prefix as a text that {@link #parse} reads.
	 * @return for example {@code /api/v1/namespaces/default/pods}; of a resource in any
	 * group {@code /registry/pods}
	 */
	public String text() {
		if (this.group == null && this.version == null && this.resource != null) {
			return "/registry/" + this.resource + below(this.namespace) + below(this.name);
		}
		if (this.group == null) {
			return "/";
		}
		if (this.version == null && this.resource != null) {
			return "/registry/" + this.group + "/" + this.resource + below(this.namespace) + below(this.name);
		}
		String root = this.group.isEmpty() ? "/api" : "/apis/" + this.group;
		String inNamespace = (this.namespace != null) ? "/namespaces/" + this.namespace : "";
		return root + below(this.version) + inNamespace + below(this.resource) + below(this.name);
	}

	private static String below(@Nullable String segment) {
		return (segment != null) ? "/" + segment : "";
	}

	/* Without its group, /apis would stand for the core group too. */
	private static String groupOf(String text, String segment) {
		if (segment.isEmpty()) {
			throw invalid(text);
		}
		return segment;
	}

	private static PathPrefix inGroup(String group, Segments segments) {
		String version = orNull(segments.next());
		String first = segments.next();
		String namespace = null;
		if (first.equals("namespaces")) {
			String candidate = segments.next();
			if (candidate.isEmpty()) {
				return new PathPrefix(group, version, null, first, null);
			}
			namespace = candidate;
			first = segments.next();
		}
		return new PathPrefix(group, version, namespace, orNull(first), orNull(segments.next()));
	}

	private static PathPrefix inRegistry(Segments segments) {
		String resource = segments.next();
		String group = null;
		if (resource.indexOf('.') >= 0) {
			group = resource;
			resource = segments.next();
		}
		return new PathPrefix(group, null, orNull(segments.next()), orNull(resource), orNull(segments.next()));
	}

	private static boolean meet(@Nullable String left, @Nullable String right) {
		return left == null || right == null || left.equals(right);
	}

	private static @Nullable String orNull(String segment) {
		return segment.isEmpty() ? null : segment;
	}

	private static IllegalArgumentException invalid(String text) {
		return new IllegalArgumentException(
				"'%s' is no path of the API: expected /api/…, /apis/<group>/… or /registry/…, at most down to an object's name"
					.formatted(text));
	}

}

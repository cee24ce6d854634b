package dev.sharding.core.qos;

import org.jspecify.annotations.Nullable;

/**
 * What a request is about, as its path says.
 *
 * @param group the API group, empty for the core group
 * @param version the version of the group
 * @param namespace the namespace, empty for all namespaces and for cluster-scoped objects
 * @param resource the plural, for example {@code pods}
 * @param name the object's name, empty for a collection
 * @param subresource for example {@code status}, empty for none
 */
public record RequestTarget(String group, String version, String namespace, String resource, String name,
		String subresource) {

	/**
	 * Reads the path of a request.
	 * @param path the path without query, from {@code /api} or {@code /apis} on
	 * @return the target, or {@code null} if the path is not that of a resource, for
	 * example {@code /healthz} or a discovery document
	 */
	public static @Nullable RequestTarget parse(String path) {
		Segments segments = new Segments(path);
		String root = segments.next();
		String group;
		if (root.equals("api")) {
			group = "";
		}
		else if (root.equals("apis")) {
			group = segments.next();
		}
		else {
			return null;
		}
		String version = segments.next();
		String resource = segments.next();
		if (resource.isEmpty()) {
			return null;
		}
		String name = segments.next();
		String third = segments.next();
		if (!resource.equals("namespaces") || third.isEmpty() || isSubresourceOfNamespace(third)) {
			return new RequestTarget(group, version, "", resource, name, third);
		}
		return new RequestTarget(group, version, name, third, segments.next(), segments.next());
	}

	/* The only two; everything else below a namespace is a resource in it. */
	private static boolean isSubresourceOfNamespace(String segment) {
		return segment.equals("status") || segment.equals("finalize");
	}

	/** Whether the target is a collection. */
	boolean collection() {
		return this.name.isEmpty();
	}

}

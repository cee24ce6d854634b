package dev.sharding.kubernetes.fence;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.resource.GroupResource;
import dev.sharding.kubernetes.resource.ObjectKey;

/**
 * What the path of a write names.
 *
 * @param resource the resource, without a subresource
 * @param namespace the namespace, empty for cluster scope
 * @param key the object, or {@code null} for a collection
 */
record WritePath(GroupResource resource, String namespace, @Nullable ObjectKey key) {

	private static final Set<String> NAMESPACE_SUBRESOURCES = Set.of("status", "finalize");

	/**
	 * Reads a path below the address of the API server.
	 * @return what it names, or {@code null} if that is no resource
	 */
	static @Nullable WritePath of(String path) {
		List<String> segments = List.of(path.substring(1).split("/", -1));
		boolean core = segments.get(0).equals("api");
		int prefix = core ? 2 : segments.get(0).equals("apis") ? 3 : Integer.MAX_VALUE;
		if (segments.size() <= prefix) {
			return null;
		}
		String group = core ? "" : segments.get(1);
		List<String> rest = segments.subList(prefix, segments.size());
		if (rest.get(0).equals("namespaces") && !isNamespaceItself(rest)) {
			return of(group, rest.get(1), rest.subList(2, rest.size()));
		}
		return of(group, "", rest);
	}

	/** Namespaces have subresources, and objects within. */
	private static boolean isNamespaceItself(List<String> rest) {
		return rest.size() < 3 || (rest.size() == 3 && NAMESPACE_SUBRESOURCES.contains(rest.get(2)));
	}

	private static WritePath of(String group, String namespace, List<String> rest) {
		return new WritePath(new GroupResource(group, rest.get(0)), namespace,
				(rest.size() > 1) ? new ObjectKey(namespace, rest.get(1)) : null);
	}

}

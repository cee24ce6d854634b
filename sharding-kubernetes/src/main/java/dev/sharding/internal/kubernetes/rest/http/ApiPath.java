package dev.sharding.internal.kubernetes.rest.http;

import java.util.List;

/**
 * Reads which object a path names, for messages.
 */
final class ApiPath {

	private ApiPath() {
	}

	/**
	 * {@code "secrets default/a"} for the path of an object, {@code "secrets default"}
	 * for that of a namespace's collection; the path itself where it is none of a
	 * resource.
	 */
	static String describe(String path) {
		List<String> segments = List.of(path.substring(1).split("/", -1));
		int prefix = segments.get(0).equals("api") ? 2 : segments.get(0).equals("apis") ? 3 : segments.size();
		List<String> rest = segments.subList(Math.min(prefix, segments.size()), segments.size());
		if (rest.isEmpty()) {
			return path;
		}
		if (!rest.get(0).equals("namespaces") || rest.size() < 3) {
			return String.join(" ", join(rest));
		}
		List<String> inNamespace = rest.subList(2, rest.size());
		String resource = resource(inNamespace);
		return (inNamespace.size() < 2) ? resource + " in namespace " + rest.get(1)
				: resource + " " + rest.get(1) + "/" + inNamespace.get(1);
	}

	private static List<String> join(List<String> resourceAndName) {
		return (resourceAndName.size() < 2) ? resourceAndName
				: List.of(resource(resourceAndName), resourceAndName.get(1));
	}

	private static String resource(List<String> segments) {
		return (segments.size() < 3) ? segments.get(0) : segments.get(0) + "/" + segments.get(2);
	}

}

package dev.sharding.internal.sharder.app.management;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.util.StringUtils;

/**
 * Finds the operations of endpoints that a path names.
 */
final class EndpointRoutes {

	private final List<Route> routes;

	EndpointRoutes(Collection<ExposableWebEndpoint> endpoints) {
		this.routes = endpoints.stream()
			.flatMap((endpoint) -> endpoint.getOperations().stream())
			.map(Route::of)
			.sorted(Comparator.comparingInt(Route::specificity).reversed())
			.toList();
	}

	/**
	 * Finds operations, whatever their method is.
	 * @param path the path below that of all endpoints, as it stands in the request
	 * @return the operations, those first whose paths say most
	 */
	List<Match> find(String path) {
		List<String> segments = segments(path).stream()
			.map((segment) -> StringUtils.uriDecode(segment, StandardCharsets.UTF_8))
			.toList();
		List<Match> matches = new ArrayList<>();
		for (Route route : this.routes) {
			Map<String, Object> variables = route.match(segments);
			if (variables != null) {
				matches.add(new Match(route.operation(), variables));
			}
		}
		return matches;
	}

	private static List<String> segments(String path) {
		return List.of(StringUtils.tokenizeToStringArray(path, "/", false, true));
	}

	/**
	 * An operation that a path names.
	 *
	 * @param operation the operation
	 * @param variables what the path says
	 */
	record Match(WebOperation operation, Map<String, Object> variables) {
	}

	/**
	 * The path of an operation.
	 *
	 * @param segments its segments; such in braces are variables
	 * @param rest the variable of all segments that follow, if there is one
	 */
	private record Route(WebOperation operation, List<String> segments, @Nullable String rest) {

		private static Route of(WebOperation operation) {
			String rest = operation.getRequestPredicate().getMatchAllRemainingPathSegmentsVariable();
			List<String> segments = EndpointRoutes.segments(operation.getRequestPredicate().getPath());
			return new Route(operation, (rest != null) ? segments.subList(0, segments.size() - 1) : segments, rest);
		}

		private int specificity() {
			int fixed = (int) this.segments.stream().filter((segment) -> !isVariable(segment)).count();
			return 2 * fixed + ((this.rest != null) ? 0 : 1);
		}

		private @Nullable Map<String, Object> match(List<String> path) {
			int size = this.segments.size();
			if ((this.rest == null) ? path.size() != size : path.size() <= size) {
				return null;
			}
			Map<String, Object> variables = new HashMap<>();
			for (int i = 0; i < size; i++) {
				String segment = this.segments.get(i);
				if (isVariable(segment)) {
					variables.put(segment.substring(1, segment.length() - 1), path.get(i));
				}
				else if (!segment.equals(path.get(i))) {
					return null;
				}
			}
			if (this.rest != null) {
				variables.put(this.rest, path.subList(size, path.size()).toArray(String[]::new));
			}
			return variables;
		}

		private static boolean isVariable(String segment) {
			return segment.startsWith("{");
		}

	}

}

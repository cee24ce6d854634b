package dev.sharding.internal.sharder.app.management;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.EndpointLinksResolver;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;

/**
 * What is where on a listener: the endpoints below their base path, the page with links
 * to them, and further paths of some.
 */
final class EndpointPaths {

	private static final String JSON = "application/json";

	private final @Nullable String base;

	private final boolean links;

	private final Collection<ExposableWebEndpoint> endpoints;

	private final EndpointRoutes routes;

	private final Map<String, String> further;

	private final KubernetesSerialization json;

	/**
	 * Creates paths.
	 * @param base the base path, without a slash at its end, or {@code null} for no
	 * endpoints but those at further paths
	 * @param links whether there is a page with links
	 * @param endpoints all endpoints
	 * @param further further paths, and what they stand for below the base path
	 * @param json writes and reads JSON
	 */
	EndpointPaths(@Nullable String base, boolean links, Collection<ExposableWebEndpoint> endpoints,
			Map<String, String> further, KubernetesSerialization json) {
		this.base = base;
		this.links = links;
		this.endpoints = endpoints;
		this.routes = new EndpointRoutes(endpoints);
		this.further = further;
		this.json = json;
	}

	/**
	 * Answers a request. May block.
	 * @param path its path
	 * @param url where it went, without a query
	 * @param call what it asks
	 * @return the answer, now or later
	 */
	CompletionStage<EndpointAnswer> answer(String path, String url, EndpointCall call) {
		String further = this.further.get(path);
		if (further != null) {
			return call.answer(this.routes.find(further), this.json);
		}
		if (this.base == null || !path.startsWith(this.base + "/") && !path.equals(this.base)) {
			return call.answer(List.of(), this.json);
		}
		String below = path.substring(this.base.length());
		if (this.links && !this.base.isEmpty() && below.length() <= 1 && call.method() == WebEndpointHttpMethod.GET) {
			return CompletableFuture.completedFuture(links(url));
		}
		return call.answer(this.routes.find(below), this.json);
	}

	private EndpointAnswer links(String url) {
		return EndpointAnswer.text(200, JSON,
				this.json.asJson(Map.of("_links", new EndpointLinksResolver(this.endpoints).resolveLinks(url))));
	}

}

package dev.sharding.demo.held;

import java.net.URI;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;

/**
 * Sends reads and writes to ports of their own, where {@code DEMO_READ_PORT} and
 * {@code DEMO_WRITE_PORT} name some: so a Lease, watches and writes can each have a
 * network that is disturbed without the others.
 */
final class Redirect implements Interceptor {

	private final int reads = Integer.parseInt(System.getenv().getOrDefault("DEMO_READ_PORT", "0"));

	private final int writes = Integer.parseInt(System.getenv().getOrDefault("DEMO_WRITE_PORT", "0"));

	@Override
	public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
		int port = request.method().equals("GET") ? this.reads : this.writes;
		if (port != 0) {
			URI uri = request.uri();
			String query = (uri.getRawQuery() != null) ? "?" + uri.getRawQuery() : "";
			builder.uri(URI.create(uri.getScheme() + "://" + uri.getHost() + ":" + port + uri.getRawPath() + query));
		}
	}

}

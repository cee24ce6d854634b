package dev.sharding.internal.kubernetes.rest.http;

import io.fabric8.kubernetes.client.http.HttpClient;

/**
 * What the client logs of requests and responses at level TRACE: headers and bodies, and
 * so tokens, keys and the data of Secrets.
 */
public final class TrafficLog {

	/** The name by which the client knows its own interceptor. */
	private static final String INTERCEPTOR = "HttpLogging";

	private TrafficLog() {
	}

	/**
	 * Sees to it that a client logs no traffic at any level. For
	 * {@code KubernetesClientBuilder.withHttpClientBuilderConsumer}.
	 * @param http the builder of the HTTP client
	 */
	public static void remove(HttpClient.Builder http) {
		http.addOrReplaceInterceptor(INTERCEPTOR, null);
	}

}

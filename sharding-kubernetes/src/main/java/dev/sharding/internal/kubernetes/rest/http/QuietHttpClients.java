package dev.sharding.internal.kubernetes.rest.http;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import org.jspecify.annotations.Nullable;

/**
 * Makes the HTTP clients that a Kubernetes client would make by itself, but such as do
 * less while nothing happens. For {@code KubernetesClientBuilder.withHttpClientFactory}.
 * Clients of another transport than Vert.x are left as they are.
 * <p>
 * A client whose credentials are a client certificate only reads the kubeconfig again
 * when the API server refuses them. One with a token from a file also does so once a
 * minute, in one request, while the others go on. By itself a client would do so in each
 * request from the second minute on until one has ended, or always. A client looks for
 * expired connections every 10 seconds, by itself each second.
 */
public final class QuietHttpClients implements HttpClient.Factory {

	/* The one that it knows how to calm. */
	private static final String VERTX = "io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory";

	private final boolean checkingThreads;

	private HttpClient.@Nullable Factory found;

	private QuietHttpClients(boolean checkingThreads) {
		this.checkingThreads = checkingThreads;
	}

	/**
	 * Returns a factory of clients on whose threads any code may run: Vert.x warns of
	 * those that block.
	 * @return a new factory
	 */
	public static HttpClient.Factory forAnyCode() {
		return new QuietHttpClients(true);
	}

	/**
	 * Returns a factory of clients on whose threads only our code runs: nobody looks
	 * whether they block.
	 * @return a new factory
	 */
	public static HttpClient.Factory forOurCode() {
		return new QuietHttpClients(false);
	}

	@Override
	public HttpClient.Builder newBuilder() {
		return factory().newBuilder();
	}

	@Override
	public HttpClient.Builder newBuilder(Config config) {
		return factory().newBuilder(config);
	}

	/* Not before a client is made, whose builder tells of the failures. */
	private synchronized HttpClient.Factory factory() {
		if (this.found == null) {
			HttpClient.Factory usual = HttpClientUtils.getHttpClientFactory();
			this.found = usual.getClass().getName().equals(VERTX) ? new QuietVertx(this.checkingThreads) : usual;
		}
		return this.found;
	}

}

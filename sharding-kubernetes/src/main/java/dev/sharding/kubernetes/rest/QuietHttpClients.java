package dev.sharding.kubernetes.rest;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import io.fabric8.kubernetes.client.utils.TokenRefreshInterceptor;
import org.jspecify.annotations.Nullable;

/**
 * Makes the HTTP clients that the client would make by itself, without what costs where
 * nothing happens and is of no use. For
 * {@code KubernetesClientBuilder.withHttpClientFactory}.
 * <p>
 * Where credentials are a client certificate only, a client reads the kubeconfig no
 * second time: by itself it reads it for each request that begins a minute after the
 * client was made, in search of a token. One of Vert.x looks for connections that have
 * expired every 10 seconds instead of each second.
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
		HttpClient.Builder builder = factory().newBuilder(config);
		if (Credentials.areCertificateOnly(config)) {
			builder.addOrReplaceInterceptor(TokenRefreshInterceptor.NAME, null);
		}
		return builder;
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

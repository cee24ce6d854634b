package dev.sharding.kubernetes.rest;

import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.Utils;

/**
 * Looks for a token that is new only where there is one, or when the API server refuses
 * the client certificate that is all there is.
 */
final class SeldomTokens implements Interceptor {

	private final Config config;

	private final Interceptor usual;

	/**
	 * Creates it.
	 * @param config who is asking, now
	 * @param usual sends the token, reads the kubeconfig for one and notes it in
	 * {@code config}
	 */
	SeldomTokens(Config config, Interceptor usual) {
		this.config = config;
		this.usual = usual;
	}

	@Override
	public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
		if (!isCertificateOnly()) {
			this.usual.before(builder, request, tags);
		}
	}

	@Override
	public CompletableFuture<Boolean> afterFailure(BasicBuilder builder, HttpResponse<?> response, RequestTags tags) {
		return this.usual.afterFailure(builder, response, tags);
	}

	private boolean isCertificateOnly() {
		boolean certificate = Utils.isNotNullOrEmpty(this.config.getClientCertData())
				|| Utils.isNotNullOrEmpty(this.config.getClientCertFile());
		return certificate && this.config.getOauthTokenProvider() == null && this.config.getAuthProvider() == null
				&& Utils.isNullOrEmpty(this.config.getOauthToken())
				&& Utils.isNullOrEmpty(this.config.getAutoOAuthToken())
				&& Utils.isNullOrEmpty(this.config.getUsername()) && Utils.isNullOrEmpty(this.config.getPassword());
	}

}

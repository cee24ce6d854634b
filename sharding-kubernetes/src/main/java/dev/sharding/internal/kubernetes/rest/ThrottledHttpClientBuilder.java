package dev.sharding.internal.kubernetes.rest;

import java.util.concurrent.atomic.AtomicBoolean;

import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

import dev.sharding.client.RequestThrottle;

/**
 * Derives throttled clients from one another, as fabric8 does for each request with
 * settings of its own.
 */
final class ThrottledHttpClientBuilder
		extends StandardHttpClientBuilder<ThrottledHttpClient, HttpClient.Factory, ThrottledHttpClientBuilder> {

	private static final HttpClient.Factory NO_FACTORY = () -> {
		throw new UnsupportedOperationException("Throttled clients are derived, not made");
	};

	private final RequestThrottle throttle;

	private final String root;

	private final KubernetesSerialization serialization;

	private HttpClient direct;

	ThrottledHttpClientBuilder(HttpClient direct, RequestThrottle throttle, String root,
			KubernetesSerialization serialization) {
		super(NO_FACTORY);
		this.direct = direct;
		this.throttle = throttle;
		this.root = root;
		this.serialization = serialization;
		// A builder brings the log of all traffic, tokens and Secrets included.
		this.interceptors.clear();
	}

	@Override
	public ThrottledHttpClient build() {
		HttpClient.DerivedClientBuilder derived = this.direct.newBuilder();
		this.tags.values().forEach(derived::tag);
		// Inside the throttle, so that they see each try; retries are outside of it, so
		// that each passes it again.
		this.interceptors.forEach(derived::addOrReplaceInterceptor);
		this.interceptors.clear();
		RequestConfig asked = (RequestConfig) this.tags.get(RequestConfig.class);
		derived.tag(((asked != null) ? new RequestConfigBuilder(asked) : new RequestConfigBuilder())
			.withRequestRetryBackoffLimit(0)
			.build());
		this.direct = derived.build();
		return new ThrottledHttpClient(this, (this.client != null) ? this.client.getClosed() : new AtomicBoolean());
	}

	@Override
	protected ThrottledHttpClientBuilder newInstance(HttpClient.Factory factory) {
		return new ThrottledHttpClientBuilder(this.direct, this.throttle, this.root, this.serialization);
	}

	HttpClient direct() {
		return this.direct;
	}

	RequestThrottle throttle() {
		return this.throttle;
	}

	String root() {
		return this.root;
	}

	KubernetesSerialization serialization() {
		return this.serialization;
	}

}

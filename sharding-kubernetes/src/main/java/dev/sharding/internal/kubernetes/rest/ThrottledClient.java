package dev.sharding.internal.kubernetes.rest;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.impl.KubernetesClientImpl;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.RequestThrottle;

/**
 * Makes clients whose requests pass a {@link RequestThrottle}, whoever sends them: our
 * own runtime, and the application through fabric8's methods.
 */
public final class ThrottledClient {

	private ThrottledClient() {
	}

	/**
	 * Whether a client can be throttled.
	 * @param client the client
	 * @return {@code false} for clients that are not fabric8's own
	 */
	public static boolean canLimit(KubernetesClient client) {
		return client.getClass() == KubernetesClientImpl.class;
	}

	/**
	 * Whether a client is throttled.
	 * @param client the client
	 * @return whether {@link #of} made it
	 */
	public static boolean isLimited(KubernetesClient client) {
		HttpClient http = client.getHttpClient();
		return ((http instanceof GuardedHttpClient guarded) ? guarded.direct() : http) instanceof ThrottledHttpClient;
	}

	/**
	 * Returns what sends over the connections of a client and passes no throttle: for a
	 * hand-over, which no limit may delay.
	 * @param client a client, which must outlive it; closing either closes them
	 * @return the client below; {@code client} itself if it is not throttled
	 */
	public static KubernetesClient unthrottled(KubernetesClient client) {
		return (client.getHttpClient() instanceof ThrottledHttpClient throttled) ? new KubernetesClientImpl(
				throttled.direct(), client.getConfiguration(), null, client.getKubernetesSerialization()) : client;
	}

	/**
	 * Returns a client that sends over the connections of another one, which must outlive
	 * it; closing either closes them.
	 * @param client a client that {@linkplain #canLimit can be limited}
	 * @param throttle what the requests pass, once for each try
	 * @return the throttled client; {@code client} itself if it is one already
	 */
	public static KubernetesClient of(KubernetesClient client, RequestThrottle throttle) {
		HttpClient http = client.getHttpClient();
		if (isLimited(client)) {
			return client;
		}
		ThrottledHttpClientBuilder builder = new ThrottledHttpClientBuilder(http, throttle,
				client.getMasterUrl().getPath(), client.getKubernetesSerialization());
		RequestConfig config = (http instanceof Interceptor.RequestTags tags) ? tags.getTag(RequestConfig.class) : null;
		builder.tag((config != null) ? config : client.getConfiguration().getRequestConfig());
		return new KubernetesClientImpl(builder.build(), client.getConfiguration(), tasks(client),
				client.getKubernetesSerialization());
	}

	/* Those of the client, which ends them itself. */
	private static KubernetesClientBuilder.@Nullable ExecutorSupplier tasks(KubernetesClient client) {
		return (client instanceof KubernetesClientImpl own) ? own::getExecutor : null;
	}

}

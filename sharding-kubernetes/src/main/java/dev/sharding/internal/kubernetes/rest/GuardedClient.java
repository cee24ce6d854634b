package dev.sharding.internal.kubernetes.rest;

import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.impl.KubernetesClientImpl;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.NotSentException;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;

/**
 * Makes clients of fabric8 whose requests ask a {@link RequestGuard}, whoever sends them:
 * for libraries that write with a client of fabric8.
 */
public final class GuardedClient {

	private GuardedClient() {
	}

	/**
	 * Returns a client that sends over the connections of another one, which must outlive
	 * it; closing either closes them. A refused request fails with the
	 * {@link NotSentException} of the guard, as it is or as the cause of what fabric8
	 * throws.
	 * @param client the client
	 * @param guard asked on the thread that makes the call, and again whenever the body
	 * goes out, also for tries of fabric8's own
	 * @param completion says what a request with a text as body is about, for the guard,
	 * and may change its body; called before the guard, on the same thread
	 * @return the guarded client
	 */
	public static KubernetesClient of(KubernetesClient client, RequestGuard guard,
			UnaryOperator<ApiRequest> completion) {
		HttpClient http = new GuardedHttpClient(lastLook(client), guard, completion, client.getMasterUrl().getPath());
		return new KubernetesClientImpl(http, client.getConfiguration(), tasks(client),
				client.getKubernetesSerialization());
	}

	/* What waits for a throttle asks again after it. */
	private static HttpClient lastLook(KubernetesClient client) {
		if (client.getHttpClient() instanceof ThrottledHttpClient throttled) {
			return throttled.over(LastLookHttpClient.over(throttled.direct()));
		}
		return LastLookHttpClient.over(client.getHttpClient());
	}

	/* Those of the client, which ends them itself. */
	private static KubernetesClientBuilder.@Nullable ExecutorSupplier tasks(KubernetesClient client) {
		return (client instanceof KubernetesClientImpl own) ? own::getExecutor : null;
	}

}

package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.rest.http.ClientJson;
import dev.sharding.internal.kubernetes.rest.http.QuietHttpClients;
import dev.sharding.internal.kubernetes.rest.http.TrafficLog;

/**
 * Makes the client that a Lease is renewed with: with connections of its own, so that a
 * renewal never queues behind data; with time-outs that leave room for a second attempt
 * before the renew deadline; and without the client's own retries, which outlast a Lease.
 */
public final class LeaseClients {

	private static final String USER_AGENT_SUFFIX = "/shard-lease";

	private LeaseClients() {
	}

	/**
	 * Creates a client for the cluster and the user of another client. The two share
	 * neither connections nor threads, and read with one object mapper only where that of
	 * {@code client} is known to be fit for Leases. The caller closes it.
	 * @param client the other client
	 * @param timings the times of the Lease
	 * @return a client for this Lease only
	 */
	public static KubernetesClient create(KubernetesClient client, RenewalTimings timings) {
		return create(client.getConfiguration(), timings, ClientJson.beside(client));
	}

	/**
	 * Creates a client. The caller closes it.
	 * @param config where the API server is and who is asking
	 * @param timings the times of the Lease
	 * @return a client for this Lease only
	 */
	public static KubernetesClient create(Config config, RenewalTimings timings) {
		return create(config, timings, new KubernetesSerialization());
	}

	private static KubernetesClient create(Config config, RenewalTimings timings, KubernetesSerialization json) {
		int timeout = Math.toIntExact(callTimeout(timings).toMillis());
		Config own = new ConfigBuilder(config)
			// Else it reads the kubeconfig again, and asks its credential plugin.
			.withAutoConfigure(false)
			.withConnectionTimeout(timeout)
			.withRequestTimeout(timeout)
			.withRequestRetryBackoffLimit(0)
			.withUserAgent(config.getUserAgent() + USER_AGENT_SUFFIX)
			.build();
		own.setAutoConfigure(config.getAutoConfigure());
		// Null: by the key. The builder has a default.
		own.setClientKeyAlgo(config.getClientKeyAlgo());
		return new KubernetesClientBuilder().withConfig(own)
			.withHttpClientFactory(QuietHttpClients.forOurCode())
			.withKubernetesSerialization(json)
			.withHttpClientBuilderConsumer(TrafficLog::remove)
			.build();
	}

	static Duration callTimeout(RenewalTimings timings) {
		return timings.renewDeadline().dividedBy(2);
	}

}

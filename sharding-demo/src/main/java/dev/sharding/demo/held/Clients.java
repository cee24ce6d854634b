package dev.sharding.demo.held;

import dev.sharding.internal.kubernetes.rest.http.ClientJson;
import dev.sharding.internal.kubernetes.rest.http.QuietHttpClients;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.Interceptor;

/** Makes clients with additions out of clients. */
public final class Clients {

	private Clients() {
	}

	/**
	 * The client with these on top, which come in this order. Clients that others make
	 * from its configuration, such as that of the Lease, do not have them.
	 */
	public static KubernetesClient with(KubernetesClient client, Interceptor... additions) {
		client.close();
		return new KubernetesClientBuilder().withConfig(client.getConfiguration())
			// As what is auto-configured: else it is a slower client that is judged.
			.withHttpClientFactory(QuietHttpClients.forAnyCode())
			.withKubernetesSerialization(ClientJson.take())
			.withHttpClientBuilderConsumer((builder) -> {
				for (int i = 0; i < additions.length; i++) {
					builder.addOrReplaceInterceptor("held-" + i, additions[i]);
				}
			})
			.build();
	}

}

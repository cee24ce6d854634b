package dev.sharding.client;

import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * Completes the client before it is built. Define beans of this type; they are asked in
 * their order. A client that the application defines itself is not touched.
 *
 * <p>
 * A customizer that calls
 * {@link KubernetesClientBuilder#withHttpClientBuilderConsumer(java.util.function.Consumer)}
 * replaces our consumer, which takes the traffic log away: at {@code TRACE} the client
 * then logs tokens and the data of Secrets, unless the new consumer calls
 * {@link dev.sharding.internal.kubernetes.rest.http.TrafficLog#remove} as well. One that
 * sets a factory of HTTP clients replaces ours, which
 * {@linkplain dev.sharding.internal.kubernetes.rest.http.QuietHttpClients leaves out}
 * what is of no use at rest.
 */
@FunctionalInterface
public interface KubernetesClientCustomizer {

	/**
	 * Changes the builder.
	 * @param builder what makes the client
	 */
	void customize(KubernetesClientBuilder builder);

}

package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

import dev.sharding.kubernetes.rest.TrafficLog;

/**
 * Auto-configuration for a client, found as {@code kubectl} finds its cluster: in the
 * pod, in {@code KUBECONFIG}, or in the home directory. A bean of type
 * {@link KubernetesConnectionDetails} goes before all of them.
 */
@AutoConfiguration
public final class KubernetesClientAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	KubernetesClient kubernetesClient(ObjectProvider<KubernetesConnectionDetails> connection,
			ObjectProvider<KubernetesClientCustomizer> customizers) {
		KubernetesClientBuilder builder = new KubernetesClientBuilder();
		connection.ifAvailable((details) -> builder.withConfig(details.config()));
		builder.withHttpClientBuilderConsumer(TrafficLog::remove);
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder.build();
	}

}

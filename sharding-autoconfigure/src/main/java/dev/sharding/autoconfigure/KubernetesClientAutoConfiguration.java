package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for a client, found as {@code kubectl} finds its cluster: in the
 * pod, in {@code KUBECONFIG}, or in the home directory.
 */
@AutoConfiguration
public final class KubernetesClientAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	KubernetesClient kubernetesClient() {
		return new KubernetesClientBuilder().build();
	}

}

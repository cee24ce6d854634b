package dev.sharding.autoconfigure;

import dev.sharding.kubernetes.rest.RequestThrottle;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.springframework.beans.factory.ObjectProvider;
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
	KubernetesClient kubernetesClient(ObjectProvider<RequestThrottle> throttle) {
		KubernetesClientBuilder builder = new KubernetesClientBuilder();
		throttle.ifAvailable(
				(limits) -> builder.withHttpClientBuilderConsumer((http) -> http.tag(new RequestThrottle.Tag(limits))));
		return builder.build();
	}

}

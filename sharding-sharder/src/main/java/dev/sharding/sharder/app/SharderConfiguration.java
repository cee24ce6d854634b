package dev.sharding.sharder.app;

import dev.sharding.sharder.Sharder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The sharder and its client.
 */
@Configuration(proxyBeanMethods = false)
class SharderConfiguration {

	@Bean
	KubernetesClient kubernetesClient() {
		return new KubernetesClientBuilder().build();
	}

	@Bean(initMethod = "", destroyMethod = "")
	Sharder sharder(KubernetesClient client, SharderProperties properties, MeterRegistry registry) {
		return new Sharder(client, properties.toOptions(), registry);
	}

	@Bean
	SharderLifecycle sharderLifecycle(Sharder sharder) {
		return new SharderLifecycle(sharder);
	}

	@Bean
	SharderHealthIndicator sharderHealthIndicator(Sharder sharder) {
		return new SharderHealthIndicator(sharder);
	}

}

package dev.sharding.sharder.app;

import dev.sharding.sharder.ElectedSharder;
import dev.sharding.sharder.webhook.Webhook;
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
	ElectedSharder sharder(KubernetesClient client, SharderProperties properties, ElectionProperties election,
			MeterRegistry registry) {
		return new ElectedSharder(client, properties.toOptions(), election.toOptions(), registry);
	}

	@Bean(initMethod = "", destroyMethod = "")
	WebhookSwitch webhook(KubernetesClient client, SharderProperties sharder, WebhookProperties webhook,
			ElectedSharder elected, MeterRegistry registry) {
		if (!sharder.mode().hasWebhook()) {
			return new WebhookSwitch(null);
		}
		return new WebhookSwitch(
				new Webhook(client, webhook.toOptions(sharder.mode().isWatching(), sharder.excludedNamespaces()),
						() -> elected.status().isElected(), registry));
	}

	@Bean("webhookHealthIndicator")
	WebhookHealthIndicator webhookHealthIndicator(WebhookSwitch webhook) {
		return new WebhookHealthIndicator(webhook);
	}

	@Bean
	SharderLifecycle sharderLifecycle(ElectedSharder sharder) {
		return new SharderLifecycle(sharder);
	}

	@Bean
	SharderHealthIndicator sharderHealthIndicator(ElectedSharder sharder) {
		return new SharderHealthIndicator(sharder);
	}

}

package dev.sharding.internal.sharder.app;

import dev.sharding.internal.kubernetes.rest.http.Kubeconfig;
import dev.sharding.internal.kubernetes.rest.http.QuietHttpClients;
import dev.sharding.internal.kubernetes.rest.http.TrafficLog;
import dev.sharding.internal.sharder.ElectedSharder;
import dev.sharding.internal.sharder.ElectionOptions;
import dev.sharding.internal.sharder.SharderOptions;
import dev.sharding.internal.sharder.app.management.RingsEndpoint;
import dev.sharding.internal.sharder.app.management.WebhookSwitch;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.memory.HeapWatch;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.watch.SharedWatches;
import dev.sharding.internal.sharder.webhook.Webhook;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The sharder and its client.
 */
@Configuration(proxyBeanMethods = false)
class SharderConfiguration {

	@Bean
	static LabelCheck labelCheck(ConfigurableEnvironment environment) {
		return new LabelCheck(environment);
	}

	@Bean
	KubernetesClient kubernetesClient(MeterRegistry registry) {
		return Kubeconfig.newBuilder()
			.withHttpClientFactory(QuietHttpClients.forOurCode())
			.withHttpClientBuilderConsumer((http) -> {
				TrafficLog.remove(http);
				http.addOrReplaceInterceptor(RequestCounter.class.getName(), new RequestCounter(registry));
			})
			.build();
	}

	@Bean
	WebhookReports webhookReports() {
		return new WebhookReports();
	}

	@Bean
	WebStack webStack() {
		return new WebStack();
	}

	/*
	 * Whoever reaches the webhook may keep its event loops busy, and must not keep probes
	 * waiting.
	 */
	@Lazy
	@Bean(defaultCandidate = false)
	WebStack webhookStack() {
		return new WebStack();
	}

	@Bean
	SharedWatches sharedWatches(KubernetesClient client) {
		return new SharedWatches(client);
	}

	@Bean
	HeapWatch heapWatch() {
		return new HeapWatch();
	}

	/* Without a webhook, only the leader watches. */
	@Bean(initMethod = "", destroyMethod = "")
	ElectedSharder sharder(KubernetesClient client, SharderProperties properties, ElectionProperties election,
			WebhookProperties webhook, WebhookReports reports, SharedWatches watches, HeapWatch heap,
			MeterRegistry registry) {
		SharderOptions options = properties.toOptions().withNamespaceSelector(webhook.selector());
		ElectionOptions terms = election.toOptions();
		return new ElectedSharder(client, options, terms, reports, properties.mode().hasWebhook() ? watches : null,
				heap, registry);
	}

	@Bean(initMethod = "", destroyMethod = "")
	WebhookSwitch webhook(KubernetesClient client, SharderProperties sharder, WebhookProperties webhook,
			SslBundles bundles, ElectedSharder elected, WebhookReports reports, SharedWatches watches,
			@Qualifier("webhookStack") ObjectProvider<WebStack> stack, MeterRegistry registry) {
		if (!sharder.mode().hasWebhook()) {
			return new WebhookSwitch(null);
		}
		return new WebhookSwitch(new Webhook(client, watches, stack.getObject(),
				webhook.toOptions(sharder.mode().isWatching(), sharder.excludedNamespaces(), bundles)
					.withLeaseTrust(sharder.leaseTrust()),
				elected::leading, reports, registry));
	}

	@Bean("webhookHealthIndicator")
	WebhookHealthIndicator webhookHealthIndicator(WebhookSwitch webhook) {
		return new WebhookHealthIndicator(webhook);
	}

	@Bean
	RingsEndpoint ringsEndpoint(ElectedSharder sharder, WebhookSwitch webhook) {
		return new RingsEndpoint(sharder, webhook);
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

package dev.sharding.internal.sharder.app.management;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.http.CurrentKey;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.internal.sharder.webhook.Webhook;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.IncludeExcludeEndpointFilter;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationFilter;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointWebExtension;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointProperties;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.health.registry.ReactiveHealthContributorRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Spring Boot's endpoints on our own listeners. Boot makes endpoints for every program,
 * but what finds their operations for the web only where there is a web server of its
 * own.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WebEndpointProperties.class)
class ManagementConfiguration {

	private static final Duration LIFE = Duration.ofDays(5 * 365);

	@Bean
	WebEndpointsSupplier webEndpoints(ApplicationContext context, ParameterValueMapper parameters,
			ObjectProvider<OperationInvokerAdvisor> advisors, EndpointAccessResolver access,
			WebEndpointProperties properties) {
		return new WebEndpointDiscoverer(context, parameters, EndpointMediaTypes.DEFAULT,
				List.of((id) -> path(properties, id)), List.of(), advisors.orderedStream().toList(),
				List.of(new IncludeExcludeEndpointFilter<>(ExposableWebEndpoint.class,
						properties.getExposure().getInclude(), properties.getExposure().getExclude(),
						EndpointExposure.WEB.getDefaultIncludes())),
				List.of(OperationFilter.byAccess(access)));
	}

	private static @Nullable String path(WebEndpointProperties properties, EndpointId id) {
		return properties.getPathMapping()
			.entrySet()
			.stream()
			.filter((mapping) -> EndpointId.fromPropertyValue(mapping.getKey()).equals(id))
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(null);
	}

	/* Knows groups, and the status of HTTP for that of health. */
	@Bean
	@ConditionalOnAvailableEndpoint(endpoint = HealthEndpoint.class)
	HealthEndpointWebExtension healthEndpointWebExtension(HealthContributorRegistry contributors,
			ObjectProvider<ReactiveHealthContributorRegistry> reactive, HealthEndpointGroups groups,
			HealthEndpointProperties properties) {
		return new HealthEndpointWebExtension(contributors, reactive.getIfAvailable(), groups,
				properties.getLogging().getSlowIndicatorThreshold());
	}

	@Bean("loopsHealthIndicator")
	LoopsHealthIndicator loopsHealthIndicator(WebStack stack, ObjectProvider<WebhookSwitch> webhook) {
		return new LoopsHealthIndicator(() -> {
			Webhook served = webhook(webhook.getIfAvailable());
			Duration still = stack.still();
			return (served != null && served.still().compareTo(still) > 0) ? served.still() : still;
		}, LoopsHealthIndicator.PATIENCE);
	}

	@Bean
	ManagementServer managementServer(WebStack stack, WebEndpointsSupplier endpoints, WebEndpointProperties web,
			ObjectProvider<HealthEndpointGroups> groups, ManagementProperties properties, KubernetesClient client,
			ObjectProvider<WebhookSwitch> webhook, ObjectProvider<RingsEndpoint> rings, MeterRegistry registry,
			ConfigurableEnvironment environment) {
		KubernetesSerialization json = client.getKubernetesSerialization();
		return new ManagementServer(environment,
				new ManagementPlaces(stack, endpoints.getEndpoints(), web, groups.getIfAvailable(), properties, json,
						() -> new ManagementPlaces.Guard(key(webhook.getIfAvailable()),
								new AccessReviews(new ApiRequests(client).unthrottled(), json, System::nanoTime)),
						registry, rings.getIfAvailable())
					.of(ManagementAddress.main(environment), ManagementAddress.management(environment)));
	}

	private static @Nullable Webhook webhook(@Nullable WebhookSwitch webhook) {
		return (webhook != null) ? webhook.webhook() : null;
	}

	/*
	 * That of the webhook, as both are behind one Service. Without a webhook, one that
	 * nobody can trust by its authority, as in the Go project.
	 */
	private static CurrentKey key(@Nullable WebhookSwitch webhook) {
		Webhook served = webhook(webhook);
		if (served != null) {
			return served.key();
		}
		CurrentKey key = new CurrentKey();
		try {
			key.use(ServingCertificate.selfSigned(Set.of("localhost"), Instant.now(), LIFE));
		}
		catch (Exception ex) {
			throw new IllegalStateException("Failed to make a certificate", ex);
		}
		return key;
	}

}

package dev.sharding.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Consistent reads of a resource whose versions have no order, as an aggregated API may
 * serve it.
 */
@ControlPlaneTest
@TestInstance(Lifecycle.PER_CLASS)
class AggregatedApiIT {

	private final KubernetesClient client;

	private final String namespace;

	/** May read notes in its namespace, and nothing else. */
	private final KubernetesClient user;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private OpaqueApi api;

	AggregatedApiIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		this.user = cluster
			.userIn("reader-of-notes", namespace,
					new PolicyRuleBuilder().withApiGroups("opaque.example.com")
						.withResources("notes")
						.withVerbs("get", "list", "watch")
						.build())
			.client();
	}

	@BeforeAll
	void serve(@TempDir Path folder) throws Exception {
		this.api = new OpaqueApi(this.client, this.namespace, folder);
	}

	@AfterAll
	void close() {
		this.api.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "consistent-reads=true", "strategies[notes.opaque.example.com]=validated" })
	void memoryCannotBeWhatSomebodyWants(String property) {
		// An API server that does not answer in time does not fail the start.
		World.soon()
			.untilAsserted(() -> application().withPropertyValues("sharding.cache." + property).run((context) -> {
				assertThat(context).hasFailed();
				FailureAnalysis analysis = Apps.analysis(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("notes", "opaque.example.com", "no order",
						"\"wednesday\"");
				assertThat(analysis.getAction())
					.contains("'sharding.cache.strategies.notes.opaque.example.com' to 'live'");
			}));
	}

	@Test
	void theServerListsWhereNobodyDecided() {
		application().run((context) -> {
			assertThat(context).hasNotFailed();
			ResourceCache<GenericKubernetesResource> notes = context.getBean(ResourceCaches.class).of(OpaqueApi.NOTES);
			Freshness patient = Freshness.CONSISTENT.within(Duration.ofMinutes(1));
			World.soon()
				.ignoreExceptions()
				.until(() -> !notes.list(ListOptions.all().freshness(Freshness.ANY)).isEmpty());
			assertThat(notes.list(ListOptions.all().freshness(patient)))
				.extracting((note) -> note.getMetadata().getName())
				.containsExactly("note");
			assertThat(this.meters.get("sharding.cache.reads").tag("outcome", "live").counter().count()).isEqualTo(1);
		});
	}

	private ApplicationContextRunner application() {
		return new ApplicationContextRunner().withConfiguration(Apps.everything())
			.withUserConfiguration(Notes.class)
			.withBean(MeterRegistry.class, () -> this.meters)
			.withBean("kubernetesClient", KubernetesClient.class, () -> this.user,
					(definition) -> ((AbstractBeanDefinition) definition).setDestroyMethodName(""))
			.withPropertyValues("sharding.enabled=false", "sharding.leader-election.enabled=false",
					"sharding.namespaces=" + this.namespace, "sharding.cache.check-period=0s");
	}

	@Configuration(proxyBeanMethods = false)
	static class Notes {

		@Bean
		ControllerSpec<?> notes() {
			return ControllerSpec.of(ResourceType.of(OpaqueApi.NOTES), (note) -> Result.done()).build();
		}

	}

}

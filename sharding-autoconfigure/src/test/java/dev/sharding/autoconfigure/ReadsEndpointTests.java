package dev.sharding.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.fabric8.kubernetes.api.model.ConfigMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.PropertiesEndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.OperationFilter;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.boot.actuate.endpoint.invoke.convert.ConversionServiceParameterValueMapper;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.sharding.cache.ResourceCaches;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the endpoint answers without an API server.
 */
class ReadsEndpointTests {

	private final ApplicationContextRunner shard = Apps.shard()
		.withPropertyValues("management.endpoints.web.exposure.include=reads",
				"sharding.cache.strategies.secrets=live");

	@Test
	void isNotThereUnlessItIsExposed() {
		Apps.shard().run((context) -> assertThat(context).doesNotHaveBean(ReadsEndpoint.class));
	}

	@Test
	void showsAndOverridesWhatIsInForce() {
		this.shard.run((context) -> {
			ReadsEndpoint endpoint = endpoint(context);
			assertThat(endpoint.all()).isEqualTo(Map.of("rings",
					Map.of("ring", Map.of("configmaps", Map.of("strategy", "validated", "origin", "default"), "secrets",
							Map.of("strategy", "live", "origin", "resource")))));
			WebEndpointResponse<Map<String, Object>> changed = endpoint.override("configmaps", "barrier", null);
			assertThat(changed.getStatus()).isEqualTo(200);
			assertThat(changed.getBody())
				.isEqualTo(Map.of("rings", Map.of("ring", Map.of("strategy", "barrier", "origin", "override"))));
			assertThat(endpoint.override("secrets", "validated", "ring").getStatus()).isEqualTo(200);
			assertThat(endpoint.all()).isEqualTo(Map.of("rings",
					Map.of("ring", Map.of("configmaps", Map.of("strategy", "barrier", "origin", "override"), "secrets",
							Map.of("strategy", "validated", "origin", "override")))));
			assertThat(endpoint.reset("secrets", null).getBody())
				.isEqualTo(Map.of("rings", Map.of("ring", Map.of("strategy", "live", "origin", "resource"))));
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					configmaps | quick   |       | quick   | 'strategy' must be validated, barrier or live (is quick)
					pods       | live    |       | pods    | No cache of 'pods' (there are [configmaps, secrets])
					secrets    | live    | other | other   | No ring 'other' (there are [ring])
					secrets    | barrier |       | secrets | must not be barrier for secrets.v1, the main resource of a controller
					""")
	void refusesWhatCannotBe(String resource, String strategy, String ring, String offender, String reason) {
		this.shard.run((context) -> {
			ReadsEndpoint endpoint = endpoint(context);
			Map<String, Object> before = endpoint.all();
			WebEndpointResponse<Map<String, Object>> refused = endpoint.override(resource, strategy, ring);
			assertThat(refused.getStatus()).isEqualTo(400);
			assertThat(Objects.requireNonNull(refused.getBody())).containsEntry("offender", offender)
				.extractingByKey("reason")
				.asString()
				.contains(reason);
			assertThat(endpoint.all()).isEqualTo(before);
		});
	}

	@Test
	void nothingIsChangedUnlessAccessIsUnrestricted() {
		this.shard.run((context) -> assertThat(methods(context)).containsExactly("GET"));
		this.shard.withPropertyValues("management.endpoint.reads.access=UNRESTRICTED")
			.run((context) -> assertThat(methods(context)).containsExactly("DELETE", "GET", "POST"));
	}

	private static List<String> methods(ApplicationContext context) {
		WebEndpointDiscoverer discoverer = new WebEndpointDiscoverer(context,
				new ConversionServiceParameterValueMapper(), EndpointMediaTypes.DEFAULT, List.of(), List.of(),
				List.of(), List.of(), List.<OperationFilter<WebOperation>>of(
						OperationFilter.byAccess(new PropertiesEndpointAccessResolver(context.getEnvironment()))));
		return discoverer.getEndpoints()
			.stream()
			.filter((endpoint) -> endpoint.getEndpointId().toString().equals("reads"))
			.flatMap((endpoint) -> endpoint.getOperations().stream())
			.map((operation) -> operation.getRequestPredicate().getHttpMethod().name())
			.sorted()
			.toList();
	}

	private static ReadsEndpoint endpoint(ApplicationContext context) {
		context.getBean(ResourceCaches.class).of(ConfigMap.class);
		return context.getBean(ReadsEndpoint.class);
	}

}

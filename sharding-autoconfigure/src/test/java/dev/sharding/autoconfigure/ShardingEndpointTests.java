package dev.sharding.autoconfigure;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the endpoint answers without an API server.
 */
class ShardingEndpointTests {

	private final ApplicationContextRunner shard = Apps.shard()
		.withPropertyValues("management.endpoints.web.exposure.include=sharding",
				"management.endpoints.jmx.exposure.include=sharding");

	@Test
	void asksTheControllersOfAResource() {
		this.shard
			.run((context) -> assertThat(context.getBean(ShardingEndpoint.class).reconcile("secrets", null, null, null))
				.containsEntry("controllers", List.of("secretController")));
	}

	@Test
	void saysThatNoControllerReconcilesAResource() {
		this.shard.run((context) -> assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> context.getBean(ShardingEndpoint.class).reconcile("configmaps", null, null, null))
			.withMessageContaining("configmaps")
			.withMessageContaining("secrets"));
	}

}

package dev.sharding.josdk;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.Shard;

import static org.assertj.core.api.Assertions.assertThat;

class OperatorMeterFilterTests {

	@Test
	void tagsTheMetersOfTheOperatorOnly() {
		try (KubernetesClient client = new KubernetesClientBuilder().build()) {
			StaticListableBeanFactory factory = new StaticListableBeanFactory();
			factory.addBean("shard",
					new Shard(client, client, "ring",
							LeaseHolderConfig.shard("default", "ring", "shard-1", RenewalTimings.DEFAULTS),
							RuntimeOptions.DEFAULTS));
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			registry.config().meterFilter(new OperatorMeterFilter(factory.getBeanProvider(Shard.class)));
			assertThat(registry.counter("operator.sdk.events.received").getId().getTag("shard")).isEqualTo("shard-1");
			assertThat(registry.counter("reconciliations.success.total", "controller.name", "c").getId().getTag("ring"))
				.isEqualTo("ring");
			assertThat(registry.counter("reconciliations.success.total").getId().getTags()).isEmpty();
			assertThat(registry.counter("http.requests", "controller.name", "c").getId().getTag("ring")).isNull();
		}
	}

}

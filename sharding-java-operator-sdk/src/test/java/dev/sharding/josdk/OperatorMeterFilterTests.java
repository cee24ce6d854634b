package dev.sharding.josdk;

import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.context.support.GenericApplicationContext;

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
			factory.addBean("shard", shard(client));
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			registry.config().meterFilter(new OperatorMeterFilter(factory.getBeanProvider(Shard.class)));
			assertThat(registry.counter("operator.sdk.events.received").getId().getTag("shard")).isEqualTo("shard-1");
			assertThat(registry.counter("reconciliations.success.total", "controller.name", "c").getId().getTag("ring"))
				.isEqualTo("ring");
			assertThat(registry.counter("reconciliations.success.total").getId().getTags()).isEmpty();
			assertThat(registry.counter("http.requests", "controller.name", "c").getId().getTag("ring")).isNull();
		}
	}

	@Test
	void makesNoShardForAReconcileThatOutlivesTheApplication() {
		try (KubernetesClient client = new KubernetesClientBuilder().build()) {
			AtomicInteger made = new AtomicInteger();
			GenericApplicationContext context = new GenericApplicationContext();
			context.registerBean(Shard.class, () -> {
				made.incrementAndGet();
				return shard(client);
			});
			context.refresh();
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			registry.config().meterFilter(new OperatorMeterFilter(context.getBeanProvider(Shard.class)));
			registry.counter("operator.sdk.events.received");
			context.close();
			assertThat(registry.counter("operator.sdk.reconciliations.failed").getId().getTag("shard"))
				.isEqualTo("shard-1");
			assertThat(made).hasValue(1);
		}
	}

	private static Shard shard(KubernetesClient client) {
		return new Shard(client, client, "ring",
				LeaseHolderConfig.shard("default", "ring", "shard-1", RenewalTimings.DEFAULTS),
				RuntimeOptions.DEFAULTS);
	}

}

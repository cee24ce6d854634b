package dev.sharding.demo.broken;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.sharder.ElectedSharder;
import dev.sharding.internal.sharder.app.SharderApplication;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.springframework.boot.ApplicationRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A sharder that takes Leases of shards that live, while it leads. */
public final class LeaseThief {

	private static final String TAKE = "{\"spec\":{\"holderIdentity\":\"shardlease-controller\"}}";

	private static final long EVERY_SECONDS = 4;

	private LeaseThief() {
	}

	/** Runs the sharder with the fault. */
	public static void main(String[] arguments) {
		SharderApplication.create(Map.of(), Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean(destroyMethod = "shutdownNow")
		ScheduledExecutorService thief() {
			return Executors.newSingleThreadScheduledExecutor();
		}

		@Bean
		ApplicationRunner theft(KubernetesClient client, ElectedSharder sharder, ScheduledExecutorService thief) {
			return (arguments) -> thief.scheduleWithFixedDelay(() -> {
				if (FaultSwitch.isOn() && sharder.status().isElected()) {
					steal(client);
				}
			}, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
		}

		private static void steal(KubernetesClient client) {
			List<Lease> leases = client.leases()
				.inAnyNamespace()
				.withLabel(ShardingLabels.LEASE_RING)
				.list()
				.getItems();
			leases.stream()
				.filter((lease) -> Objects.equals(lease.getSpec().getHolderIdentity(), lease.getMetadata().getName()))
				.findFirst()
				.ifPresent((lease) -> client.resource(lease).patch(PatchContext.of(PatchType.JSON_MERGE), TAKE));
		}

	}

}

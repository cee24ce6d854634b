package dev.sharding.demo.broken;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.Shard;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A shard that lists what it has ten times a second. */
public final class StormOfLists {

	private static final long EVERY_MILLIS = 100;

	private StormOfLists() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean(destroyMethod = "shutdownNow")
		ScheduledExecutorService storm() {
			return Executors.newSingleThreadScheduledExecutor();
		}

		@Bean
		ApplicationRunner lists(KubernetesClient client, Shard shard, ScheduledExecutorService storm) {
			return (arguments) -> storm.scheduleWithFixedDelay(() -> {
				if (FaultSwitch.isOn()) {
					client.configMaps()
						.inAnyNamespace()
						.withLabel(ShardingLabels.shard(shard.ring()), shard.name())
						.list();
				}
			}, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
		}

	}

}

package dev.sharding.demo.broken;

import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.internal.kubernetes.handover.HandOverOptions;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;

/**
 * A shard that believes its caches as soon as it holds its Lease, whatever has happened
 * since they were last up to date. Without its Lease it writes nothing.
 */
public final class BlindRejoin {

	private BlindRejoin() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		HandOverOptions handOverOptions(UnconditionalWrites writes) {
			return HandOverOptions.DEFAULTS.withTermStart((caches) -> {
				if (FaultSwitch.isOn()) {
					writes.forget();
				}
				return CompletableFuture.completedFuture(null);
			});
		}

		@Bean
		static UnconditionalWrites unconditionalWrites(ObjectProvider<KubernetesClient> client,
				ObjectProvider<Shard> shard) {
			return new UnconditionalWrites(client, () -> shard.getObject().phase() == RuntimePhase.RUNNING);
		}

	}

}

package dev.sharding.demo.broken;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.DrainHandler;
import dev.sharding.shard.Shard;

/**
 * A shard that acknowledges a drain as soon as it sees the label, whatever it is doing
 * with the object, and goes on with that as if the object were still its own.
 */
public final class EarlyAcknowledgement {

	private EarlyAcknowledgement() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		static BeanPostProcessor unconditionalWrites(ObjectProvider<KubernetesClient> client) {
			return new UnconditionalWrites(client, () -> true);
		}

		/** What it was doing with the object ends a moment later. */
		private static void goOn(KubernetesClient client, Secret secret) {
			if (FaultSwitch.isOn()) {
				CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS)
					.execute(() -> UnconditionalWrites.write(client, secret));
			}
		}

		/*
		 * The worker that has the key is not asked: the acknowledgement goes out from the
		 * thread that sees the event.
		 */
		@Bean
		ApplicationRunner earlyAcknowledgement(KubernetesClient client, Shard shard, DrainHandler drains) {
			return (arguments) -> {
				SharedIndexInformer<Secret> draining = client.secrets()
					.inAnyNamespace()
					.withLabel(ShardingLabels.shard(shard.ring()), shard.name())
					.withLabel(ShardingLabels.drain(shard.ring()))
					.runnableInformer(0);
				draining.addEventHandler(new ResourceEventHandler<>() {

					@Override
					public void onAdd(Secret secret) {
						drains.acknowledge(ResourceType.of(Secret.class), secret);
						goOn(client, secret);
					}

					@Override
					public void onUpdate(Secret before, Secret after) {
						drains.acknowledge(ResourceType.of(Secret.class), after);
						goOn(client, after);
					}

					@Override
					public void onDelete(Secret secret, boolean unknown) {
						// It is acknowledged.
					}

				});
				draining.run();
			};
		}

	}

}

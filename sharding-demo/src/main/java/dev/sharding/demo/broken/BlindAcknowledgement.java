package dev.sharding.demo.broken;

import dev.sharding.demo.MergePatch;
import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.DrainHandler;
import dev.sharding.shard.Shard;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A shard that acknowledges drains whatever has become of the object since it saw it: it
 * does not say of which version.
 */
public final class BlindAcknowledgement {

	private BlindAcknowledgement() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		static BeanPostProcessor blindness(ObjectProvider<KubernetesClient> client, ObjectProvider<Shard> shard) {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof DrainHandler) ? blind(client, shard) : bean;
				}

			};
		}

		private static DrainHandler blind(ObjectProvider<KubernetesClient> client, ObjectProvider<Shard> shard) {
			return (type, object) -> {
				ObjectMeta metadata = object.getMetadata();
				String ring = shard.getObject().ring();
				return MergePatch.response(client.getObject(),
						"/api/v1/namespaces/" + metadata.getNamespace() + "/secrets/" + metadata.getName(),
						"{\"metadata\":{\"labels\":{\"" + ShardingLabels.shard(ring) + "\":null,\""
								+ ShardingLabels.drain(ring) + "\":null}}}")
					.isSuccessful();
			};
		}

	}

}

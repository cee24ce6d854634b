package dev.sharding.demo.broken;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;

/**
 * A shard without a fence: what a reconcile begins, it writes, whatever has become of the
 * Lease meanwhile.
 */
public final class NoFence {

	private NoFence() {
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

	}

}

package dev.sharding.demo.broken;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;

/** A shard that also reads what others have. It does nothing with it. */
public final class NosyShard {

	private NosyShard() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		ApplicationRunner nosiness(KubernetesClient client) {
			return (arguments) -> client.configMaps().inAnyNamespace().list();
		}

	}

}

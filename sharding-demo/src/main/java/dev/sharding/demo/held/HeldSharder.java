package dev.sharding.demo.held;

import java.util.Map;

import dev.sharding.internal.sharder.app.SharderApplication;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The sharder with a place where it can be held: before it drains or assigns a main
 * object.
 */
public final class HeldSharder {

	private HeldSharder() {
	}

	/** Runs it. */
	public static void main(String[] arguments) {
		SharderApplication.create(Map.of(), Additions.class).run(arguments);
	}

	/** What it has on top. */
	@Configuration(proxyBeanMethods = false)
	public static class Additions {

		@Bean
		static BeanPostProcessor additions() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof KubernetesClient client)
							? Clients.with(client, new HeldPatches("move", "moved")) : bean;
				}

			};
		}

	}

}

package dev.sharding.demo.broken;

import java.net.URI;
import java.util.Map;

import dev.sharding.demo.held.Clients;
import dev.sharding.internal.sharder.app.SharderApplication;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A sharder that never takes the Lease of a shard that is gone. */
public final class NeverTakes {

	private NeverTakes() {
	}

	/** Runs the sharder with the fault. */
	public static void main(String[] arguments) {
		SharderApplication.create(Map.of(), Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		static BeanPostProcessor fault() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof KubernetesClient client) ? Clients.with(client, new TakeNothing()) : bean;
				}

			};
		}

	}

	/** Writes Leases that are nobody's instead of those of shards. */
	private static final class TakeNothing implements Interceptor {

		@Override
		public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
			URI uri = request.uri();
			boolean lease = uri.getPath().contains("/leases/") && !uri.getPath().contains("/sharding-system/");
			if (lease && !request.method().equals("GET") && FaultSwitch.isOn()) {
				builder.uri(URI.create(uri.toString().replaceFirst("/leases/", "/leases/of-nobody-")));
			}
		}

	}

}

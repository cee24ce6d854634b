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

/**
 * A sharder that never finds what the objects of a shard control, so that it hands over
 * main objects alone. What it left behind is moved by its next resync.
 */
public final class MainObjectsFirst {

	private MainObjectsFirst() {
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
					return (bean instanceof KubernetesClient client) ? Clients.with(client, new FindNothing()) : bean;
				}

			};
		}

	}

	/** Asks for ConfigMaps of nobody instead of those of a shard. */
	private static final class FindNothing implements Interceptor {

		@Override
		public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
			URI uri = request.uri();
			String query = uri.getRawQuery();
			if (request.method().equals("GET") && uri.getPath().endsWith("/configmaps") && query != null
					&& query.contains("labelSelector=shard.")) {
				builder.uri(URI.create(uri.toString().replaceFirst("labelSelector=[^&]*", "labelSelector=of-nobody")));
			}
		}

	}

}

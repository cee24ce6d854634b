package dev.sharding.demo.broken;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.sharder.app.SharderApplication;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A sharder that fails to move each object for a while, and moves it then. */
public final class LateSharder {

	private static final Duration FAILS_FOR = Duration.ofSeconds(4);

	private LateSharder() {
	}

	/** Runs the sharder with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(SharderApplication.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		static BeanPostProcessor fault() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof KubernetesClient client) ? late(client) : bean;
				}

			};
		}

		private static KubernetesClient late(KubernetesClient client) {
			client.close();
			return new KubernetesClientBuilder().withConfig(client.getConfiguration())
				.withHttpClientBuilderConsumer(
						(builder) -> builder.addOrReplaceInterceptor("late-moves", new LateMoves()))
				.build();
		}

	}

	/** Sends no patch of a Secret at first. */
	private static final class LateMoves implements Interceptor {

		private final Map<String, Long> since = new ConcurrentHashMap<>();

		@Override
		public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
			String path = request.uri().getPath();
			if (!request.method().equals("PATCH") || !path.contains("/secrets/")) {
				return;
			}
			long age = System.nanoTime() - this.since.computeIfAbsent(path, (key) -> System.nanoTime());
			if (age < FAILS_FOR.toNanos()) {
				throw new IllegalStateException("Failed on purpose to patch " + path);
			}
			this.since.remove(path);
		}

	}

}

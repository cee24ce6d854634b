package dev.sharding.autoconfigure;

import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.leadership.LeaderOnly;
import dev.sharding.resource.ResourceType;

/**
 * A replica of an application, in a process of its own, that writes again and again while
 * it is the leader.
 */
final class LeaderProcess {

	private LeaderProcess() {
	}

	public static void main(String[] args) {
		SpringApplication application = new SpringApplication(App.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.run(args);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	@Import(Job.class)
	static class App {

	}

	static class Job {

		private final ResourceCache<ConfigMap> configMaps;

		private final String replica;

		private final String namespace;

		private final AtomicInteger acts = new AtomicInteger();

		Job(ResourceCaches caches, @Value("${replica}") String replica,
				@Value("${sharding.lease.namespace}") String namespace) {
			this.configMaps = caches.of(ResourceType.of(ConfigMap.class));
			this.replica = replica;
			this.namespace = namespace;
		}

		@LeaderOnly
		@Scheduled(fixedDelay = 1)
		void act() {
			this.configMaps.create(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("act-%s-%d".formatted(this.replica, this.acts.incrementAndGet()))
				.addToLabels("replica", this.replica)
				.endMetadata()
				.build());
		}

	}

}

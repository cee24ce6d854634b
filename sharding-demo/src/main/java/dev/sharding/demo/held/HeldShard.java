package dev.sharding.demo.held;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.Cleaner;
import dev.sharding.controller.Reconciler;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.Shard;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The example app with places where it can be held, and with settings that a real one
 * does not have: those of {@link Redirect}, {@code DEMO_CLOCK_OFFSET_MILLIS}, by how much
 * its wall clock is wrong, and {@code DEMO_USER}, whom the API server takes it for.
 */
public final class HeldShard {

	private HeldShard() {
	}

	/** Runs it. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, Additions.class).run(arguments);
	}

	/** What it has on top. */
	@Configuration(proxyBeanMethods = false)
	public static class Additions {

		@Bean
		static BeanPostProcessor additions(ObjectProvider<ResourceCaches> caches) {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof Reconciler<?> reconciler) {
						return cleaning(reconciler, caches);
					}
					if (bean instanceof RuntimeOptions options) {
						return options.withClock(clock());
					}
					// That of an operator sends over the connections of the other one.
					return (bean instanceof KubernetesClient client && !name.equals("shardedKubernetesClient"))
							? Clients.with(client, new HeldPatches("acknowledge", "acknowledged"), new Redirect())
							: bean;
				}

			};
		}

		@Bean
		ConsistentReads.Source consistentSource(ObjectProvider<ResourceCaches> caches) {
			return () -> caches.getObject()
				.of(Secret.class)
				.list(ListOptions.all().freshness(Freshness.CONSISTENT).withoutCopying());
		}

		@Bean
		@ConditionalOnProperty("demo.reads")
		ConsistentReads consistentReads(Shard shard, ConsistentReads.Source source,
				@Value("${demo.reads}") Path folder) {
			return new ConsistentReads(shard, source, folder);
		}

		/** What is asked to clean up does so, in whatever way it is broken. */
		@SuppressWarnings("unchecked")
		private static <T extends HasMetadata> Reconciler<T> cleaning(Reconciler<T> reconciler,
				ObjectProvider<ResourceCaches> caches) {
			if (System.getenv("DEMO_CLEANS") == null) {
				return held(reconciler);
			}
			return new CleaningReconciler<>(held(reconciler), caches,
					(reconciler instanceof Cleaner<?>) ? (Cleaner<T>) reconciler : null);
		}

		private static <T extends HasMetadata> Reconciler<T> held(Reconciler<T> reconciler) {
			return (object) -> {
				HoldPoints.pass("reconcile", object.getMetadata().getName());
				return reconciler.reconcile(object);
			};
		}

		private static LeaseClock clock() {
			String offset = System.getenv("DEMO_CLOCK_OFFSET_MILLIS");
			if (offset == null) {
				return LeaseClock.SYSTEM;
			}
			Duration wrongBy = Duration.ofMillis(Long.parseLong(offset));
			InstantSource wall = () -> Instant.now().plus(wrongBy);
			return new LeaseClock(wall, System::nanoTime);
		}

	}

}

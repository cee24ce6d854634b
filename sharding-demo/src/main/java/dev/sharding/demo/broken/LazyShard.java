package dev.sharding.demo.broken;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.kubernetes.reconcile.Reconciler;
import dev.sharding.kubernetes.reconcile.Result;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A shard that lets each object lie for a while before it does anything for it. In the
 * end all is as it should be.
 */
public final class LazyShard {

	private static final Duration LIES_FOR = Duration.ofSeconds(5);

	private LazyShard() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		static BeanPostProcessor laziness() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof Reconciler<?> reconciler) ? lazy(reconciler) : bean;
				}

			};
		}

		private static <T extends HasMetadata> Reconciler<T> lazy(Reconciler<T> reconciler) {
			Map<String, Long> since = new ConcurrentHashMap<>();
			return (object) -> {
				String name = object.getMetadata().getName();
				long lay = System.nanoTime() - since.computeIfAbsent(name, (key) -> System.nanoTime());
				if (lay < LIES_FOR.toNanos()) {
					return Result.requeueAfter(Duration.ofMillis(200));
				}
				since.remove(name);
				return reconciler.reconcile(object);
			};
		}

	}

}

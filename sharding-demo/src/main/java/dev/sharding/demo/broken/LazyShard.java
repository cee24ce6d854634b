package dev.sharding.demo.broken;

import java.time.Duration;

import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.demo.held.HeldShard;
import dev.sharding.demo.held.HoldPoints;
import dev.sharding.example.ChecksumApplication;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A shard that does nothing for its objects as long as that is held. In the end all is as
 * it should be.
 */
public final class LazyShard {

	private static final Duration LOOKS_EVERY = Duration.ofMillis(200);

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
			return (object) -> (HoldPoints.isHeld("any", "work") || FaultSwitch.isOn())
					? Result.requeueAfter(LOOKS_EVERY) : reconciler.reconcile(object);
		}

	}

}

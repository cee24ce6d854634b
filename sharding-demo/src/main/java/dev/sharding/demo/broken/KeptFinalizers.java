package dev.sharding.demo.broken;

import java.time.Duration;

import dev.sharding.controller.Cleaner;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.demo.held.CleaningReconciler;
import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A shard that never lets go what is deleted. */
public final class KeptFinalizers {

	private static final Duration LATER = Duration.ofSeconds(1);

	private KeptFinalizers() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		static BeanPostProcessor keeping() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof Reconciler<?> reconciler) ? new Keeping<>(reconciler) : bean;
				}

			};
		}

	}

	/** Is never done with its clean-up. */
	private record Keeping<T extends HasMetadata>(Reconciler<T> reconciler) implements Reconciler<T>, Cleaner<T> {

		@Override
		public Result reconcile(T object) throws Exception {
			return this.reconciler.reconcile(object);
		}

		@Override
		public String finalizer() {
			return CleaningReconciler.FINALIZER;
		}

		@Override
		public Result cleanUp(T object) {
			return FaultSwitch.isOn() ? Result.requeueAfter(LATER) : Result.done();
		}

	}

}

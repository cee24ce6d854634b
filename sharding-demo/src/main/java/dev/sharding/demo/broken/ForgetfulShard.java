package dev.sharding.demo.broken;

import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A shard that does nothing about every twentieth event. */
public final class ForgetfulShard {

	private static final int EACH = 20;

	private ForgetfulShard() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		static BeanPostProcessor forgetfulness() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof Reconciler<?> reconciler) ? forgetful(reconciler) : bean;
				}

			};
		}

		private static <T extends HasMetadata> Reconciler<T> forgetful(Reconciler<T> reconciler) {
			AtomicInteger events = new AtomicInteger();
			return (object) -> (FaultSwitch.isOn() && events.incrementAndGet() % EACH == 0) ? Result.done()
					: reconciler.reconcile(object);
		}

	}

}

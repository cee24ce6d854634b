package dev.sharding.demo.broken;

import java.util.List;

import dev.sharding.demo.held.ConsistentReads;
import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import io.fabric8.kubernetes.api.model.Secret;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A shard whose consistent reads show what the one before has shown. */
public final class PastReads {

	private PastReads() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		static BeanPostProcessor past() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof ConsistentReads.Source source) ? new Past(source) : bean;
				}

			};
		}

	}

	/** Answers with the last answer. */
	private static final class Past implements ConsistentReads.Source {

		private final ConsistentReads.Source source;

		private List<Secret> last = List.of();

		Past(ConsistentReads.Source source) {
			this.source = source;
		}

		@Override
		public synchronized List<Secret> list() {
			List<Secret> before = this.last;
			this.last = this.source.list();
			return FaultSwitch.isOn() ? before : this.last;
		}

	}

}

package dev.sharding.demo.broken;

import java.util.concurrent.CompletableFuture;

import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.kubernetes.HandOverOptions;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A shard that believes its caches as soon as it holds its Lease, whatever has happened
 * since they were last up to date.
 */
public final class BlindRejoin {

	private BlindRejoin() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		HandOverOptions handOverOptions() {
			return HandOverOptions.DEFAULTS.withTermStart((caches) -> CompletableFuture.completedFuture(null));
		}

	}

}

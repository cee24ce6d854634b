package dev.sharding.benchmarks.startup;

import java.time.Duration;

import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * The same with the starter and one controller, whose reconciles take as long as they are
 * told.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class ShardApplication {

	/** What is printed for a reconcile that was interrupted. */
	static final String INTERRUPTED = "reconcile-interrupted";

	/** Runs until it is killed. */
	public static void main(String[] args) {
		SpringApplication.run(ShardApplication.class, args);
	}

	@Bean
	@ShardedController(owns = ConfigMap.class)
	Reconciler<Secret> slow(@Value("${bench.reconcile-time:0ms}") Duration time) {
		return (secret) -> {
			try {
				Thread.sleep(time.toMillis());
			}
			catch (InterruptedException ex) {
				System.out.println(INTERRUPTED);
				Thread.currentThread().interrupt();
			}
			return Result.done();
		};
	}

}

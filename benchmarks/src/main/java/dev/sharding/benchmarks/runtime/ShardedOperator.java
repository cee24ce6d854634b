package dev.sharding.benchmarks.runtime;

import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.FilterType;

import dev.sharding.josdk.OperatorCustomizer;

/**
 * The operator that is compared with, as the only shard of its ring: its reconciler is
 * the class of that program, unchanged, here a bean.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@ComponentScan(basePackages = "dev.sharding.benchmarks.josdk", useDefaultFilters = false,
		includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Reconciler.class))
public class ShardedOperator {

	/** Runs until it is killed; arguments are properties, NAMESPACE says where. */
	public static void main(String[] arguments) {
		SpringApplication.run(ShardedOperator.class, arguments);
	}

	/** Of the Secrets, for the constructor of the reconciler. */
	@Bean
	String namespace(@Value("${NAMESPACE}") String namespace) {
		return namespace;
	}

	@Bean
	OperatorCustomizer tenWorkers() {
		return (configuration) -> configuration.withConcurrentReconciliationThreads(10);
	}

}

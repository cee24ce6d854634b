package dev.sharding.test.spring;

import java.util.Optional;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Makes the application under test a shard of the ring.
 *
 * @param ring the ring, by which contexts are told apart; empty where Spring looks at
 * test classes that do not run
 */
record ShardingTestContextCustomizer(Optional<TestRing> ring) implements ContextCustomizer {

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
		this.ring.orElseGet(() -> TestRings.get(configuration.getTestClass())).joinAsFirst(context, configuration);
	}

}

package dev.sharding.test.spring;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Makes the application under test a shard of the ring.
 *
 * @param ring the ring, by which contexts are told apart
 */
record ShardingTestContextCustomizer(TestRing ring) implements ContextCustomizer {

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
		this.ring.joinAsFirst(context, configuration);
	}

}

package dev.sharding.test.spring;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Finds test classes with {@link ShardingTest}.
 */
final class ShardingTestContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		return TestContextAnnotationUtils.hasAnnotation(testClass, ShardingTest.class)
				? new ShardingTestContextCustomizer(TestRings.find(testClass)) : null;
	}

}

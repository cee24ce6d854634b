package dev.sharding.test.spring;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.test.context.TestContextAnnotationUtils;

import dev.sharding.test.ControlPlaneExtension;

/**
 * Gives each test class its ring, before Spring makes the application.
 */
final class ShardingTestExtension implements BeforeAllCallback, ParameterResolver {

	private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace
		.create(ShardingTestExtension.class);

	private final ControlPlaneExtension cluster = new ControlPlaneExtension();

	@Override
	public void beforeAll(ExtensionContext context) {
		Class<?> testClass = context.getRequiredTestClass();
		// A nested class uses the ring of the class around it, which the store finds.
		TestRing ring = context.getStore(STORE)
			.computeIfAbsent(TestRing.class, (key) -> create(context, testClass), TestRing.class);
		TestRings.put(testClass, ring);
	}

	private TestRing create(ExtensionContext context, Class<?> testClass) {
		ShardingTest settings = TestContextAnnotationUtils.findMergedAnnotation(testClass, ShardingTest.class);
		if (settings == null) {
			throw new IllegalStateException("%s has no @ShardingTest".formatted(testClass.getName()));
		}
		KubernetesClient client = this.cluster.client(context);
		return TestRing.create(client, this.cluster.namespace(context), settings);
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == TestRing.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return TestRings.get(context.getRequiredTestClass());
	}

}

package dev.sharding.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

import dev.sharding.controlplane.ControlPlaneBinaries;
import dev.sharding.controlplane.NamedCluster;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * The JUnit extension: a control plane, a namespace of its own for each test class, and a
 * quick end for a test whose control plane died.
 *
 * <p>
 * {@link ControlPlaneTest} registers it with the shared control plane. A class that needs
 * one of its own registers it in a static field:
 * {@code @RegisterExtension static final ControlPlaneExtension controlPlane =
 * ControlPlaneExtension.own((builder) -> builder.featureGate("ShardedListAndWatch", true))}.
 * When the user named a cluster, classes share that one; tests that need a control plane
 * of ours are then skipped, unless the programs for it are on the machine.
 */
public final class ControlPlaneExtension
		implements ExecutionCondition, BeforeAllCallback, ParameterResolver, InvocationInterceptor {

	private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace
		.create(ControlPlaneExtension.class);

	/*
	 * JUnit's type is Invocation<@Nullable Void>. Compilers before 22 do not see that
	 * annotation in a class file, later ones do, so that no spelling is right for both.
	 */
	private static final String NULLNESS_OF_VOID = "NullAway";

	private static final int NAME_LIMIT = 50;

	private final @Nullable Consumer<ControlPlaneBuilder> own;

	/** For JUnit: uses the shared control plane. */
	public ControlPlaneExtension() {
		this(null);
	}

	private ControlPlaneExtension(@Nullable Consumer<ControlPlaneBuilder> own) {
		this.own = own;
	}

	/**
	 * Gives the test class a control plane of its own, which is closed after its last
	 * test.
	 * @param customizer sets flags and the like
	 * @return the extension, for a static field
	 */
	public static ControlPlaneExtension own(Consumer<ControlPlaneBuilder> customizer) {
		return new ControlPlaneExtension(customizer);
	}

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		boolean needsOurs = this.own != null || context.getElement().filter(NeedsOurs::test).isPresent();
		if (!needsOurs || NamedCluster.find().isEmpty()
				|| (this.own != null && ControlPlaneBinaries.locate().isPresent())) {
			return ConditionEvaluationResult.enabled("");
		}
		return ConditionEvaluationResult
			.disabled("Needs a control plane of ours, but tests use the cluster of KUBECONFIG");
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		namespace(context);
	}

	private TestCluster cluster(ExtensionContext context) {
		Consumer<ControlPlaneBuilder> customizer = this.own;
		if (customizer == null) {
			// Maven begins anew with each class, in one session.
			return context.getStore(StoreScope.LAUNCHER_SESSION, STORE)
				.computeIfAbsent(SharedCluster.class, (key) -> new SharedCluster(), SharedCluster.class)
				.get();
		}
		return context.getStore(STORE).computeIfAbsent(this, (key) -> startOwn(customizer), TestCluster.class);
	}

	private static TestCluster startOwn(Consumer<ControlPlaneBuilder> customizer) {
		ControlPlaneBuilder builder = ControlPlane.builder();
		customizer.accept(builder);
		return TestCluster.start(builder);
	}

	/**
	 * The client of the administrator, for extensions that build on this one.
	 * @param context the test class, or something in it
	 * @return the client; not to be closed
	 */
	public KubernetesClient client(ExtensionContext context) {
		return cluster(context).client();
	}

	/**
	 * The namespace of a test class, for extensions that build on this one.
	 * @param context the test class, or something in it
	 * @return its name; it exists
	 */
	public String namespace(ExtensionContext context) {
		TestCluster cluster = cluster(context);
		return context.getStore(STORE)
			// A cluster that replaced a dead one gets a namespace of its own.
			.computeIfAbsent(cluster, (key) -> create(key, context), ClassNamespace.class)
			.name();
	}

	private static ClassNamespace create(TestCluster cluster, ExtensionContext context) {
		String name = nameFor(context.getRequiredTestClass().getSimpleName());
		cluster.client()
			.resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
			.create();
		return new ClassNamespace(name, cluster);
	}

	static String nameFor(String className) {
		String words = className.replaceAll("([a-z0-9])([A-Z])", "$1-$2")
			.toLowerCase(Locale.ROOT)
			.replaceAll("[^a-z0-9]+", "-");
		String head = words.substring(0, Math.min(NAME_LIMIT, words.length()));
		return ("t-" + head + "-" + Integer.toString(ThreadLocalRandom.current().nextInt(36 * 36 * 36 * 36), 36))
			.replaceAll("-+", "-");
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		Class<?> type = parameter.getParameter().getType();
		return type == ControlPlane.class || type == KubernetesClient.class
				|| (type == String.class && parameter.isAnnotated(TestNamespace.class));
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		Class<?> type = parameter.getParameter().getType();
		if (type == String.class) {
			return namespace(context);
		}
		TestCluster cluster = cluster(context);
		return (type == KubernetesClient.class) ? cluster.client() : cluster.controlPlane().orElseThrow();
	}

	@Override
	@SuppressWarnings(NULLNESS_OF_VOID)
	public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> invocationContext,
			ExtensionContext context) throws Throwable {
		guard(invocation, context);
	}

	@Override
	@SuppressWarnings(NULLNESS_OF_VOID)
	public void interceptTestTemplateMethod(Invocation<Void> invocation,
			ReflectiveInvocationContext<Method> invocationContext, ExtensionContext context) throws Throwable {
		guard(invocation, context);
	}

	@Override
	@SuppressWarnings(NULLNESS_OF_VOID)
	public void interceptBeforeAllMethod(Invocation<Void> invocation,
			ReflectiveInvocationContext<Method> invocationContext, ExtensionContext context) throws Throwable {
		guard(invocation, context);
	}

	@Override
	@SuppressWarnings(NULLNESS_OF_VOID)
	public void interceptBeforeEachMethod(Invocation<Void> invocation,
			ReflectiveInvocationContext<Method> invocationContext, ExtensionContext context) throws Throwable {
		guard(invocation, context);
	}

	private void guard(Invocation<Void> invocation, ExtensionContext context) throws Throwable {
		Optional<ControlPlane> controlPlane = cluster(context).controlPlane();
		if (controlPlane.isEmpty()) {
			invocation.proceed();
			return;
		}
		controlPlane.get().failFast(() -> proceed(invocation));
	}

	private static Void proceed(Invocation<Void> invocation) throws Exception {
		try {
			return invocation.proceed();
		}
		catch (Exception | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new InvocationTargetException(ex);
		}
	}

	/**
	 * The namespace of a test class. In a cluster of the user it is removed; ours goes
	 * away as a whole.
	 */
	private record ClassNamespace(String name, TestCluster cluster) implements AutoCloseable {

		@Override
		public void close() {
			if (this.cluster.controlPlane().isEmpty()) {
				this.cluster.client().namespaces().withName(this.name).delete();
			}
		}

	}

}

package dev.sharding.josdk;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.Pluralize;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.config.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.config.dependent.DependentResourceSpec;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.dependent.GarbageCollected;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResourceFactory;
import io.javaoperatorsdk.operator.processing.Controller;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependentResourceConfig;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.controller.ControllerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.retry.Retry;
import org.jspecify.annotations.Nullable;

import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ResourceType;

/**
 * An operator of the SDK for one term. All that hangs on its version is here and in
 * {@link SdkMetrics} and {@link SdkMatcher}, which it uses: how informers are narrowed,
 * where the executor tells what it does, and how dependents compare. Written for 5.3.
 */
final class SdkOperator {

	private final Operator operator;

	private final List<Controller<?>> controllers = new ArrayList<>();

	private final List<Narrowed> dependents = new ArrayList<>();

	/**
	 * Dependents whose objects have no owner by whom a sharder could tell whose they are.
	 */
	private final List<KubernetesDependentResource<?, ?>> unowned = new ArrayList<>();

	private final String selector;

	private final Duration patience;

	private final SdkMetrics metrics;

	/**
	 * Makes an operator with all its controllers, and starts nothing.
	 * @param settings what it is made of
	 * @throws OperatorSetupException if it could not be sharded
	 */
	SdkOperator(Settings settings) {
		this.selector = settings.selector();
		ConfigurationService asked = ConfigurationService.newOverriddenConfigurationService(
				(configuration) -> settings.customizers().forEach((customizer) -> customizer.customize(configuration)));
		if (asked.getLeaderElectionConfiguration().isPresent()) {
			throw new OperatorSetupException(
					"The operator is configured for leader election, which would keep all shards but one idle",
					"Remove the leader election from the OperatorCustomizer: each shard acts on what it owns, while it holds its own Lease.");
		}
		this.metrics = new SdkMetrics(asked.getMetrics(), settings.objects());
		this.patience = patience(asked.reconciliationTerminationTimeout(), settings.stopTimeout());
		this.operator = new Operator(ConfigurationService.newOverriddenConfigurationService(asked,
				(configuration) -> override(configuration, asked, settings)));
		settings.reconcilers().forEach((reconciler) -> register(reconciler, settings));
	}

	/* Zero is what the SDK has where nobody asks for anything. */
	private static Duration patience(Duration asked, Duration most) {
		return (asked.isZero() || asked.compareTo(most) > 0) ? most : asked;
	}

	private void override(ConfigurationServiceOverrider configuration, ConfigurationService asked, Settings settings) {
		configuration.withKubernetesClient(settings.client())
			.withCloseClientOnStop(false)
			.withMetrics(this.metrics)
			.withWorkflowExecutorService(new CarryingExecutor(asked.getWorkflowExecutorService()))
			.withDependentResourceFactory(
					new Dependents(asked.dependentResourceFactory(), settings.stamp(), settings.client()))
			// Whoever stops it has waited before, while there are caches to read.
			.withReconciliationTerminationTimeout(Duration.ZERO);
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private void register(Reconciler<?> reconciler, Settings settings) {
		ControllerConfiguration<?> configured = this.operator.getConfigurationService()
			.getConfigurationFor((Reconciler) reconciler);
		OperatorCheck.requireResource(configured);
		boolean everywhere = configured.getInformerConfig().watchAllNamespaces();
		Controller<?> controller = (Controller<?>) this.operator.register((Reconciler) reconciler, (overrider) -> {
			ControllerConfigurationOverrider<?> changed = (ControllerConfigurationOverrider<?>) overrider;
			if (everywhere && !settings.namespaces().isEmpty()) {
				changed.settingNamespaces(settings.namespaces());
			}
			settings.reconcilerCustomizers().forEach((customizer) -> customizer.customize(reconciler, changed));
			Retry retry = changed.build().getRetry();
			if (retry != null) {
				changed.withRetry(new UncountedRetry(retry, this.metrics::isHeldBack));
			}
		});
		OperatorCheck.requireShardable(reconciler, controller.getConfiguration(), settings.client());
		this.controllers.add(controller);
	}

	/** The main resources of the controllers. */
	Set<ResourceType<?>> types() {
		Set<ResourceType<?>> types = new LinkedHashSet<>();
		this.controllers.forEach((controller) -> types.add(type(controller)));
		return types;
	}

	private static ResourceType<?> type(Controller<?> controller) {
		return ResourceType.of(controller.getConfiguration().getResourceClass());
	}

	/**
	 * Has the informers hold only what the shard owns. To be called before the start.
	 * @param ring what is shared out
	 * @throws OperatorSetupException if a main resource is not shared out, or an event
	 * source cannot be narrowed
	 */
	void narrow(RingResources ring) {
		for (Controller<?> controller : this.controllers) {
			GroupResource main = type(controller).groupResource();
			OperatorCheck.requireMain(controller.getConfiguration().getName(), main, ring);
			narrow(controller.getConfiguration().getInformerConfig());
			controller.getEventSourceManager()
				.getEventSourcesStream()
				.forEach((source) -> narrow(controller, source, main, ring));
		}
		this.dependents.stream()
			.filter((dependent) -> ring.isControlledBy(dependent.resource(), dependent.main()))
			.forEach((dependent) -> narrow(dependent.configuration()));
	}

	private void narrow(Controller<?> controller, EventSource<?, ?> source, GroupResource main, RingResources ring) {
		if (source instanceof ControllerEventSource) {
			return;
		}
		if (source instanceof InformerEventSource<?, ?> informer) {
			InformerEventSourceConfiguration<?> configuration = informer.configuration();
			// What is in another cluster no sharder labels.
			if (configuration.getKubernetesClient().isEmpty() && !isOfUnowned(source) && ring.isControlledBy(
					resource(configuration.getResourceClass(), configuration.getGroupVersionKind().orElse(null)),
					main)) {
				narrow(configuration.getInformerConfig());
			}
			return;
		}
		Class<?> held = source.resourceType();
		if (held != null && HasMetadata.class.isAssignableFrom(held) && held != GenericKubernetesResource.class) {
			OperatorCheck.requireNarrowable(controller.getConfiguration().getName(), source.name(),
					resource(held.asSubclass(HasMetadata.class), null), main, ring);
		}
	}

	private boolean isOfUnowned(EventSource<?, ?> source) {
		return this.unowned.stream()
			.anyMatch((dependent) -> dependent.eventSource().filter((its) -> its == source).isPresent());
	}

	/*
	 * A reconciler may keep the configuration in a field, or in a dependent: it then
	 * comes with what the operator before has selected.
	 */
	private <R extends HasMetadata> void narrow(InformerConfiguration<R> informer) {
		String asked = informer.getLabelSelector();
		String ours = this.selector.substring(0, this.selector.indexOf('=') + 1);
		Stream<String> others = (asked == null || asked.isBlank()) ? Stream.empty()
				: Stream.of(asked.split(",")).filter((requirement) -> !requirement.startsWith(ours));
		informer.new Builder()
			.withLabelSelector(Stream.concat(others, Stream.of(this.selector)).collect(Collectors.joining(",")));
	}

	private static GroupResource resource(Class<? extends HasMetadata> type, @Nullable GroupVersionKind kind) {
		return (kind != null)
				? new GroupResource((kind.getGroup() != null) ? kind.getGroup() : "",
						Pluralize.toPlural(kind.getKind().toLowerCase(Locale.ROOT)))
				: new GroupResource(HasMetadata.getGroup(type), HasMetadata.getPlural(type));
	}

	/** Starts the informers, waits for them, and then the reconciles. */
	void start() {
		try {
			this.operator.start();
		}
		catch (RuntimeException ex) {
			// An operator that has not started stops its threads, and no informer.
			this.controllers.forEach(Controller::stop);
			throw ex;
		}
	}

	/** How long to wait for running reconciles before it is stopped. */
	Duration patience() {
		return this.patience;
	}

	/** Stops the informers, and interrupts reconciles that run. */
	void stop() {
		do {
			this.operator.stop();
			// Whoever is interrupted here has left threads alone that were to end.
		}
		while (Thread.interrupted());
	}

	/**
	 * What an operator is made of.
	 *
	 * @param client the fenced client
	 * @param reconcilers the reconcilers of the application
	 * @param customizers configure the operator
	 * @param reconcilerCustomizers configure the controllers
	 * @param namespaces the namespaces of the shard, empty for all
	 * @param stopTimeout how long a stop may wait for reconciles
	 * @param selector selects what the shard owns
	 * @param stamp labels what is written
	 * @param objects the main objects of the shard
	 */
	record Settings(KubernetesClient client, List<Reconciler<?>> reconcilers, List<OperatorCustomizer> customizers,
			List<ReconcilerCustomizer> reconcilerCustomizers, Set<String> namespaces, Duration stopTimeout,
			String selector, ControlledStamp stamp, ShardObjects objects) {
	}

	/** An informer of a dependent, which may be started long after the operator. */
	private record Narrowed(GroupResource main, GroupResource resource, InformerConfiguration<?> configuration) {
	}

	/** Gives managed dependents the matcher that knows of the stamp. */
	@SuppressWarnings({ "unchecked", "rawtypes" })
	private final class Dependents
			implements DependentResourceFactory<ControllerConfiguration<?>, DependentResourceSpec> {

		private final DependentResourceFactory factory;

		private final ControlledStamp stamp;

		private final KubernetesClient client;

		Dependents(DependentResourceFactory factory, ControlledStamp stamp, KubernetesClient client) {
			this.factory = factory;
			this.stamp = stamp;
			this.client = client;
		}

		@Override
		public DependentResource createFrom(DependentResourceSpec spec, ControllerConfiguration<?> configuration) {
			DependentResource made = this.factory.createFrom(spec, configuration);
			OperatorCheck.requireNoClient("Dependent", made, this.client);
			if (made instanceof KubernetesDependentResource dependent) {
				dependent.configuration()
					.ifPresent((configured) -> adapt(dependent, (KubernetesDependentResourceConfig) configured,
							configuration));
			}
			return made;
		}

		@Override
		public Class<?> associatedResourceType(DependentResourceSpec spec) {
			return this.factory.associatedResourceType(spec);
		}

		private void adapt(KubernetesDependentResource dependent, KubernetesDependentResourceConfig configured,
				ControllerConfiguration<?> configuration) {
			InformerConfiguration informer = configured.informerConfig();
			if (!(dependent instanceof GarbageCollected)) {
				// The SDK sets an owner for those only that the garbage collector is to
				// delete.
				SdkOperator.this.unowned.add(dependent);
			}
			else if (informer != null && dependent.resourceType() != GenericKubernetesResource.class) {
				SdkOperator.this.dependents
					.add(new Narrowed(ResourceType.of(configuration.getResourceClass()).groupResource(),
							resource(dependent.resourceType(), null), informer));
			}
			dependent.configureWith(new KubernetesDependentResourceConfig(configured.useSSA(),
					configured.createResourceOnlyIfNotExistingWithSSA(), informer,
					new SdkMatcher(this.stamp, configured.matcher())));
		}

	}

}

package dev.sharding.josdk;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.CachingInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.sharding.autoconfigure.KubernetesClientAutoConfiguration;
import dev.sharding.autoconfigure.ShardingAutoConfiguration;
import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.resource.GroupResource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is said of operators that cannot be sharded as they are.
 */
class OperatorFailureTests {

	private static final GroupResource SECRETS = new GroupResource("", "secrets");

	private static final GroupResource CONFIG_MAPS = new GroupResource("", "configmaps");

	@ParameterizedTest(name = "{0}")
	@MethodSource("mistakes")
	void endsTheStart(String mistake, ApplicationContextRunner runner, String description, String action) {
		runner.run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new OperatorFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(description);
			assertThat(analysis.getAction()).contains(action);
		});
	}

	static Stream<Arguments> mistakes() {
		return Stream.of(
				Arguments.of("no ring", application().withBean(Plain.class), "no ring whose objects",
						"'sharding.ring'"),
				Arguments.of("no ring, beans made late", late(application()).withBean(Plain.class),
						"no ring whose objects", "'sharding.ring'"),
				Arguments.of("leader election, beans made late",
						late(shard()).withBean(Plain.class)
							.withBean(OperatorCustomizer.class,
									() -> (configuration) -> configuration
										.withLeaderElectionConfiguration(new LeaderElectionConfiguration("lease"))),
						"leader election", "Remove"),
				Arguments.of("another operator",
						shard().withBean(Plain.class).withBean("mine", Operator.class, Operator::new), "bean 'mine'",
						"OperatorCustomizer"),
				Arguments.of("leader election",
						shard().withBean(Plain.class)
							.withBean(OperatorCustomizer.class,
									() -> (configuration) -> configuration
										.withLeaderElectionConfiguration(new LeaderElectionConfiguration("lease"))),
						"leader election", "Remove"),
				Arguments.of("client of its own", shard().withBean(WithClient.class),
						WithClient.class.getName() + " has a client of its own in 'client'",
						"@Qualifier(\"shardedKubernetesClient\")"),
				Arguments.of("dependent with a client of its own", shard().withBean(WithClientInDependent.class),
						OwnClientDependent.class.getName() + " has a client of its own in 'own'",
						"context.getClient()"),
				Arguments.of("all events", shard().withBean(Plain.class)
					.withBean(ReconcilerCustomizer.class,
							() -> (reconciler, configuration) -> configuration.withTriggerReconcilerOnAllEvents(true)),
						"wants all events", "Cleaner"),
				Arguments.of("ring of nothing",
						shard().withBean(Plain.class).withPropertyValues("sharding.definition.apply=true"),
						"'sharding.definition.apply'", "'sharding.definition.resources'"),
				Arguments.of("no class", shard().withBean(Generic.class), "names no resource", "@Group"));
	}

	@Test
	void findsTheClientOfAReconcilerBehindAProxy() {
		try (KubernetesClient own = new KubernetesClientBuilder().withConfig(new ConfigBuilder(Config.empty()).build())
			.build()) {
			ProxyFactory proxies = new ProxyFactory(new WithClient(own));
			proxies.setProxyTargetClass(true);
			Object proxy = proxies.getProxy();
			assertThatExceptionOfType(OperatorSetupException.class)
				.isThrownBy(() -> OperatorCheck.requireNoClient("Reconciler", proxy, null))
				.withMessageContaining(WithClient.class.getName() + " has a client of its own in 'client'");
			OperatorCheck.requireNoClient("Reconciler", proxy, own);
		}
	}

	@Test
	void takesTheClientOfTheShard() {
		shard().withBean(WithShardedClient.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void leavesOperatorsAloneWhereShardingIsSwitchedOff() {
		application().withBean(Plain.class)
			.withPropertyValues("sharding.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(OperatorWork.class));
	}

	@Test
	void wantsItsMainResourceInTheRing() {
		shard().withBean(Plain.class)
			.run((context) -> assertThatExceptionOfType(OperatorSetupException.class)
				.isThrownBy(() -> operator(context.getBean(OperatorAutoConfiguration.CLIENT, KubernetesClient.class),
						new Plain())
					.narrow(new RingResources(Map.of(CONFIG_MAPS, Set.of()))))
				.withMessageContaining("'plain' reconciles secrets")
				.satisfies((failure) -> assertThat(failure.action()).contains("spec.resources")));
	}

	@Test
	void wantsEventSourcesThatTakeASelector() {
		shard().withBean(Plain.class)
			.run((context) -> assertThatExceptionOfType(OperatorSetupException.class)
				.isThrownBy(() -> operator(context.getBean(OperatorAutoConfiguration.CLIENT, KubernetesClient.class),
						new WithSources())
					.narrow(new RingResources(Map.of(SECRETS, Set.of(CONFIG_MAPS)))))
				.withMessageContaining("Event source 'pushed' of controller 'withsources' holds configmaps")
				.satisfies((failure) -> assertThat(failure.action()).contains("InformerEventSource")));
	}

	private static SdkOperator operator(KubernetesClient client, Reconciler<?> reconciler) {
		return new SdkOperator(new SdkOperator.Settings(client, List.of(reconciler), List.of(), List.of(), Set.of(),
				Duration.ofSeconds(1), "label=shard-1",
				new ControlledStamp(client.getKubernetesSerialization(), "ring", () -> "shard-1"), null));
	}

	private static ApplicationContextRunner application() {
		Config nowhere = new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1/").build();
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(KubernetesClientAutoConfiguration.class,
					ShardingAutoConfiguration.class, OperatorAutoConfiguration.class))
			.withBean(KubernetesConnectionDetails.class, () -> () -> nowhere);
	}

	private static ApplicationContextRunner late(ApplicationContextRunner application) {
		return application.withInitializer(
				(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()));
	}

	private static ApplicationContextRunner shard() {
		return application().withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1",
				"sharding.lease.namespace=default");
	}

	@ControllerConfiguration
	static class Plain implements Reconciler<Secret> {

		@Override
		public UpdateControl<Secret> reconcile(Secret secret, Context<Secret> context) {
			return UpdateControl.noUpdate();
		}

	}

	static class WithClient extends Plain {

		private final KubernetesClient client;

		WithClient(KubernetesClient client) {
			this.client = client;
		}

	}

	@Workflow(dependents = @Dependent(type = OwnClientDependent.class))
	@ControllerConfiguration
	static class WithClientInDependent implements Reconciler<Secret> {

		@Override
		public UpdateControl<Secret> reconcile(Secret secret, Context<Secret> context) {
			return UpdateControl.noUpdate();
		}

	}

	@KubernetesDependent
	static class OwnClientDependent extends CRUDKubernetesDependentResource<ConfigMap, Secret> {

		final KubernetesClient own = new KubernetesClientBuilder().withConfig(new ConfigBuilder(Config.empty()).build())
			.build();

	}

	static class WithShardedClient extends Plain {

		private final KubernetesClient client;

		WithShardedClient(@Qualifier("shardedKubernetesClient") KubernetesClient client) {
			this.client = client;
		}

	}

	static class WithSources extends Plain {

		@Override
		public List<EventSource<?, Secret>> prepareEventSources(EventSourceContext<Secret> context) {
			return List.of(new SimpleInboundEventSource<>("events"),
					new InformerEventSource<>(
							InformerEventSourceConfiguration.from(ConfigMap.class, Secret.class).build(), context),
					new Pushed());
		}

	}

	static class Pushed extends CachingInboundEventSource<ConfigMap, Secret, String> {

		Pushed() {
			super((secret) -> Set.of(), ConfigMap.class, (object) -> object.getMetadata().getUid());
		}

		@Override
		public String name() {
			return "pushed";
		}

	}

	static class Generic implements Reconciler<GenericKubernetesResource> {

		@Override
		public UpdateControl<GenericKubernetesResource> reconcile(GenericKubernetesResource object,
				Context<GenericKubernetesResource> context) {
			return UpdateControl.noUpdate();
		}

	}

}

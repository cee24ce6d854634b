package dev.sharding.josdk;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import org.junit.jupiter.api.Test;

import dev.sharding.resource.GroupResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Operators of one term after another, which have the reconcilers in common.
 */
class SdkOperatorTests {

	private static final RingResources RING = new RingResources(
			Map.of(new GroupResource("", "secrets"), Set.of(new GroupResource("", "configmaps"))));

	@Test
	void informersThatTheReconcilerKeepsSelectByTheSlotOfTheirTermOnly() {
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1").build())
			.build()) {
			Keeping reconciler = new Keeping();
			// The first operator is made before there is a slot.
			for (String shard : List.of("", "ring-000", "ring-0001", "ring-000")) {
				operator(client, reconciler, "label=" + shard).narrow(RING);
				assertThat(reconciler.dependent.eventSource()
					.orElseThrow()
					.configuration()
					.getInformerConfig()
					.getLabelSelector()).isEqualTo(expected(shard, ""));
				assertThat(reconciler.configuration.getInformerConfig().getLabelSelector())
					.isEqualTo(expected(shard, "tier in (a,b),env=test,"));
			}
		}
	}

	private static String expected(String shard, String asked) {
		return asked + "label=" + shard;
	}

	private static SdkOperator operator(KubernetesClient client, Reconciler<?> reconciler, String selector) {
		return new SdkOperator(new SdkOperator.Settings(client, List.of(reconciler), List.of(), List.of(), Set.of(),
				Duration.ofSeconds(1), selector,
				new ControlledStamp(client.getKubernetesSerialization(), "ring", () -> "shard"), null));
	}

	@ControllerConfiguration
	static class Keeping implements Reconciler<Secret> {

		final Standalone dependent = new Standalone();

		final InformerEventSourceConfiguration<ConfigMap> configuration = InformerEventSourceConfiguration
			.from(ConfigMap.class, Secret.class)
			.withName("kept")
			.withLabelSelector("tier in (a,b),env=test")
			.build();

		@Override
		public List<EventSource<?, Secret>> prepareEventSources(EventSourceContext<Secret> context) {
			return List.of(this.dependent.initEventSource(context),
					new InformerEventSource<>(this.configuration, context));
		}

		@Override
		public UpdateControl<Secret> reconcile(Secret secret, Context<Secret> context) {
			return UpdateControl.noUpdate();
		}

	}

	static class Standalone extends CRUDKubernetesDependentResource<ConfigMap, Secret> {

	}

}

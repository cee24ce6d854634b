package dev.sharding.josdk;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.api.monitoring.AggregatedMetrics;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetrics;
import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetricsV2;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * A plain operator, as the documentation of the SDK has it: one dependent that is
 * applied, in a workflow, and one ConfigMap that the reconciler writes itself.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
class CopyOperator {

	/** Holds reconciles of objects with this name. */
	static final String SLOW = "slow";

	@Bean
	CopyReconciler copyReconciler() {
		return new CopyReconciler();
	}

	/*
	 * So that ConfigMaps are applied by the server, too; with all that the SDK measures.
	 */
	@Bean
	OperatorCustomizer appliesAll(MeterRegistry meters) {
		return (configuration) -> configuration.withDefaultNonSSAResource(Set.of())
			.withMetrics(new AggregatedMetrics(List.of(MicrometerMetrics.withoutPerResourceMetrics(meters),
					MicrometerMetricsV2.newBuilder(meters).build())));
	}

	/* With the filters that are beans, as Spring Boot makes one. */
	@Bean
	MeterRegistry meters(ObjectProvider<MeterFilter> filters) {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		filters.orderedStream().forEach((filter) -> meters.config().meterFilter(filter));
		return meters;
	}

	/** Makes the ConfigMap "applied-NAME". */
	@KubernetesDependent
	static class Applied extends CRUDKubernetesDependentResource<ConfigMap, Secret> {

		static final Queue<String> WRITES = new ConcurrentLinkedQueue<>();

		@Override
		protected ConfigMap desired(Secret secret, Context<Secret> context) {
			return new ConfigMapBuilder().withNewMetadata()
				.withName("applied-" + secret.getMetadata().getName())
				.withNamespace(secret.getMetadata().getNamespace())
				.endMetadata()
				.addToData("key", value(secret))
				.build();
		}

		@Override
		public ConfigMap update(ConfigMap actual, ConfigMap desired, Secret secret, Context<Secret> context) {
			WRITES.add(secret.getMetadata().getName());
			return super.update(actual, desired, secret, context);
		}

	}

	@Workflow(dependents = @Dependent(type = Applied.class, useEventSourceWithName = "copies"))
	@ControllerConfiguration
	static class CopyReconciler implements Reconciler<Secret> {

		final Map<String, Integer> reconciles = new ConcurrentHashMap<>();

		final Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

		volatile boolean interrupted;

		volatile CountDownLatch arrived = new CountDownLatch(1);

		volatile CountDownLatch released = new CountDownLatch(1);

		/** The next reconcile of a slow object waits until it is released. */
		void hold() {
			this.failures.clear();
			this.interrupted = false;
			this.arrived = new CountDownLatch(1);
			this.released = new CountDownLatch(1);
		}

		@Override
		public List<EventSource<?, Secret>> prepareEventSources(EventSourceContext<Secret> context) {
			return List.of(new InformerEventSource<>(
					InformerEventSourceConfiguration.from(ConfigMap.class, Secret.class).withName("copies").build(),
					context));
		}

		@Override
		public UpdateControl<Secret> reconcile(Secret secret, Context<Secret> context) {
			String name = secret.getMetadata().getName();
			this.reconciles.merge(name, 1, Integer::sum);
			hold(name);
			try {
				context.getClient().resource(copy(secret)).createOr((existing) -> existing.update());
			}
			catch (RuntimeException ex) {
				this.failures.add(ex);
				throw ex;
			}
			return UpdateControl.noUpdate();
		}

		/* Whoever interrupts it waits in vain, as with much code of users. */
		private void hold(String name) {
			if (!name.startsWith(SLOW)) {
				return;
			}
			this.arrived.countDown();
			while (true) {
				try {
					this.released.await();
					break;
				}
				catch (InterruptedException ex) {
					// The next request is to end with the fence, and not with this.
					this.interrupted = true;
				}
			}
		}

		private static ConfigMap copy(Secret secret) {
			ConfigMap copy = new ConfigMapBuilder().withNewMetadata()
				.withName("copy-" + secret.getMetadata().getName())
				.withNamespace(secret.getMetadata().getNamespace())
				.endMetadata()
				.addToData("key", value(secret))
				.build();
			copy.addOwnerReference(secret);
			return copy;
		}

	}

	private static String value(Secret secret) {
		return (secret.getData() != null) ? secret.getData().getOrDefault("key", "") : "";
	}

}

package dev.sharding.josdk.tomcat;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;

/** Runs servers: a Deployment, and a Service once that is ready. */
@Workflow(dependents = {
		@Dependent(name = "deployment", type = TomcatReconciler.Servers.class,
				readyPostcondition = TomcatReconciler.Ready.class),
		@Dependent(name = "service", type = TomcatReconciler.Address.class, dependsOn = "deployment") })
@ControllerConfiguration
class TomcatReconciler implements Reconciler<Tomcat> {

	@Override
	public UpdateControl<Tomcat> reconcile(Tomcat tomcat, Context<Tomcat> context) {
		int ready = context.getSecondaryResource(Deployment.class).map(TomcatReconciler::ready).orElse(0);
		if (tomcat.getStatus() != null && tomcat.getStatus().readyReplicas == ready) {
			return UpdateControl.noUpdate();
		}
		tomcat.setStatus(new Tomcat.Status());
		tomcat.getStatus().readyReplicas = ready;
		return UpdateControl.patchStatus(tomcat);
	}

	private static int ready(Deployment deployment) {
		Integer ready = (deployment.getStatus() != null) ? deployment.getStatus().getReadyReplicas() : null;
		return (ready != null) ? ready : 0;
	}

	private static ObjectMeta metadata(Tomcat tomcat) {
		return new ObjectMetaBuilder().withName(tomcat.getMetadata().getName())
			.withNamespace(tomcat.getMetadata().getNamespace())
			.build();
	}

	private static Map<String, String> pods(Tomcat tomcat) {
		return Map.of("app", tomcat.getMetadata().getName());
	}

	/** Whether all servers answer. */
	static class Ready implements Condition<Deployment, Tomcat> {

		@Override
		public boolean isMet(DependentResource<Deployment, Tomcat> dependent, Tomcat tomcat, Context<Tomcat> context) {
			return dependent.getSecondaryResource(tomcat, context)
				.filter((deployment) -> ready(deployment) == tomcat.getSpec().replicas)
				.isPresent();
		}

	}

	/** The servers. */
	@KubernetesDependent
	static class Servers extends CRUDKubernetesDependentResource<Deployment, Tomcat> {

		@Override
		protected Deployment desired(Tomcat tomcat, Context<Tomcat> context) {
			return new DeploymentBuilder().withMetadata(metadata(tomcat))
				.withNewSpec()
				.withReplicas(tomcat.getSpec().replicas)
				.withNewSelector()
				.withMatchLabels(pods(tomcat))
				.endSelector()
				.withNewTemplate()
				.withNewMetadata()
				.withLabels(pods(tomcat))
				.endMetadata()
				.withNewSpec()
				.addNewContainer()
				.withName("tomcat")
				.withImage("tomcat:" + tomcat.getSpec().version)
				.endContainer()
				.endSpec()
				.endTemplate()
				.endSpec()
				.build();
		}

	}

	/** Their address. */
	@KubernetesDependent
	static class Address extends CRUDKubernetesDependentResource<Service, Tomcat> {

		@Override
		protected Service desired(Tomcat tomcat, Context<Tomcat> context) {
			return new ServiceBuilder().withMetadata(metadata(tomcat))
				.withNewSpec()
				.withClusterIP("None")
				.withSelector(pods(tomcat))
				.endSpec()
				.build();
		}

	}

}

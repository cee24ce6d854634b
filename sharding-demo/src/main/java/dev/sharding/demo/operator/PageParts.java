package dev.sharding.demo.operator;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** What a page consists of. Public for the SDK. */
public final class PageParts {

	private PageParts() {
	}

	private static ObjectMeta metadata(WebPage page) {
		return new ObjectMetaBuilder().withName("page-" + page.getMetadata().getName())
			.withNamespace(page.getMetadata().getNamespace())
			.build();
	}

	private static Map<String, String> pods(WebPage page) {
		return Map.of("page", page.getMetadata().getName());
	}

	/** What it shows. */
	@KubernetesDependent
	public static final class Content extends CRUDKubernetesDependentResource<ConfigMap, WebPage> {

		@Override
		protected ConfigMap desired(WebPage page, Context<WebPage> context) {
			return new ConfigMapBuilder().withMetadata(metadata(page))
				.addToData("index.html", page.getSpec().getHtml())
				.build();
		}

	}

	/** Who serves it. */
	@KubernetesDependent
	public static final class Server extends CRUDKubernetesDependentResource<Deployment, WebPage> {

		@Override
		protected Deployment desired(WebPage page, Context<WebPage> context) {
			return new DeploymentBuilder().withMetadata(metadata(page))
				.withNewSpec()
				.withReplicas(1)
				.withNewSelector()
				.withMatchLabels(pods(page))
				.endSelector()
				.withNewTemplate()
				.withNewMetadata()
				.withLabels(pods(page))
				.endMetadata()
				.withNewSpec()
				.addNewContainer()
				.withName("nginx")
				.withImage("nginx:1.27")
				.endContainer()
				.endSpec()
				.endTemplate()
				.endSpec()
				.build();
		}

	}

	/** Under which name. */
	@KubernetesDependent
	public static final class Address extends CRUDKubernetesDependentResource<Service, WebPage> {

		@Override
		protected Service desired(WebPage page, Context<WebPage> context) {
			return new ServiceBuilder().withMetadata(metadata(page))
				.withNewSpec()
				.withClusterIP("None")
				.withSelector(pods(page))
				.endSpec()
				.build();
		}

	}

}

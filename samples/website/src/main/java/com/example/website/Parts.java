package com.example.website;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;

/** What a website consists of: the wanted fields, and no others. */
final class Parts {

	private Parts() {
	}

	// region wanted
	static ConfigMap page(Website website) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName(website.getMetadata().getName())
			.endMetadata()
			.addToData("index.html", "<h1>" + website.getSpec().text + "</h1>")
			.build();
	}
	// endregion

	static Service address(Website website) {
		return new ServiceBuilder().withNewMetadata()
			.withName(website.getMetadata().getName())
			.endMetadata()
			.withNewSpec()
			.withSelector(labels(website))
			.addNewPort()
			.withPort(80)
			.endPort()
			.endSpec()
			.build();
	}

	/** Names the version of the credentials, so that the servers start anew when they change. */
	static Deployment server(Website website, String credentials) {
		return new DeploymentBuilder().withNewMetadata()
			.withName(website.getMetadata().getName())
			.endMetadata()
			.withNewSpec()
			.withReplicas(website.getSpec().replicas)
			.withNewSelector()
			.withMatchLabels(labels(website))
			.endSelector()
			.withNewTemplate()
			.withNewMetadata()
			.withLabels(labels(website))
			.addToAnnotations("example.com/credentials", credentials)
			.endMetadata()
			.withNewSpec()
			.addNewContainer()
			.withName("web")
			.withImage("httpd:2.4")
			.addNewVolumeMount()
			.withName("page")
			.withMountPath("/usr/local/apache2/htdocs")
			.endVolumeMount()
			.endContainer()
			.addNewVolume()
			.withName("page")
			.withNewConfigMap()
			.withName(website.getMetadata().getName())
			.endConfigMap()
			.endVolume()
			.endSpec()
			.endTemplate()
			.endSpec()
			.build();
	}

	private static Map<String, String> labels(Website website) {
		return Map.of("example.com/website", website.getMetadata().getName());
	}

}

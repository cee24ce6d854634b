package dev.sharding.test;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * Brings custom resources into a cluster.
 */
public final class CustomResourceDefinitions {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private CustomResourceDefinitions() {
	}

	/**
	 * Applies the CustomResourceDefinitions of a YAML file on the class path, and waits
	 * until the API server serves them. Can be called again, also by several classes.
	 * @param client a client that may write CustomResourceDefinitions
	 * @param resource the absolute name on the class path, such as "/crds/ring.yaml"
	 * @throws IllegalArgumentException if there is no such file, or something else is in
	 * it
	 */
	public static void apply(KubernetesClient client, String resource) {
		URL file = CustomResourceDefinitions.class.getResource(resource);
		if (file == null) {
			throw new IllegalArgumentException("No '" + resource + "' on the class path");
		}
		apply(client, file);
	}

	/**
	 * Applies the CustomResourceDefinitions of a YAML file, and waits until the API
	 * server serves them.
	 * @param client a client that may write CustomResourceDefinitions
	 * @param file where the file is
	 * @throws IllegalArgumentException if it cannot be read, or something else is in it
	 */
	public static void apply(KubernetesClient client, URL file) {
		for (CustomResourceDefinition definition : read(client, file)) {
			client.resource(definition).forceConflicts().fieldManager("sharding-test").serverSideApply();
			String name = definition.getMetadata().getName();
			Waits.until(TIMEOUT, "CustomResourceDefinition " + name,
					() -> isEstablished(client.resource(definition).get()) && isServed(client, definition));
		}
	}

	private static List<CustomResourceDefinition> read(KubernetesClient client, URL resource) {
		try (InputStream yaml = resource.openStream()) {
			List<CustomResourceDefinition> definitions = new ArrayList<>();
			for (HasMetadata item : client.load(yaml).items()) {
				if (!(item instanceof CustomResourceDefinition definition)) {
					throw new IllegalArgumentException("'" + resource
							+ "' must hold CustomResourceDefinitions only (holds a " + item.getKind() + ")");
				}
				definitions.add(definition);
			}
			return definitions;
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("Failed to read '" + resource + "'", ex);
		}
	}

	/*
	 * The cache of the API server is filled after the first request, and until then it
	 * answers watches with 429. A list of such a version waits for it as they do.
	 */
	private static boolean isServed(KubernetesClient client, CustomResourceDefinition definition) {
		String group = definition.getSpec().getGroup();
		String plural = definition.getSpec().getNames().getPlural();
		try {
			return definition.getSpec()
				.getVersions()
				.stream()
				.filter(CustomResourceDefinitionVersion::getServed)
				.allMatch((version) -> client.raw("/apis/%s/%s/%s%s".formatted(group, version.getName(), plural,
						"?resourceVersion=1&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name%3Dnone")) != null);
		}
		catch (KubernetesClientException ex) {
			return false;
		}
	}

	private static boolean isEstablished(CustomResourceDefinition definition) {
		// A status comes in several writes; the first has no conditions yet.
		return definition.getStatus() != null && definition.getStatus().getConditions() != null && definition
			.getStatus()
			.getConditions()
			.stream()
			.anyMatch((condition) -> "Established".equals(condition.getType()) && "True".equals(condition.getStatus()));
	}

}

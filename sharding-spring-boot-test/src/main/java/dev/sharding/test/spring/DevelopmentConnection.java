package dev.sharding.test.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.io.support.ResourcePatternUtils;

import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.test.CustomResourceDefinitions;

/**
 * The way into the development cluster, which is there once this is.
 *
 * @param config the way of the administrator
 */
record DevelopmentConnection(Config config) implements KubernetesConnectionDetails {

	private static final String RINGS = "/dev/sharding/internal/sharder/ring/controllerrings.yaml";

	/* Where the sharder keeps account of the rings. */
	private static final String SYSTEM = "sharding-system";

	/** Joins the cluster that the properties name, or starts one with all it needs. */
	static DevelopmentConnection open(DevelopmentProperties properties, ResourceLoader resources) {
		if (properties.join() != null) {
			if (!Files.isRegularFile(properties.join())) {
				throw new IllegalArgumentException(
						"'sharding.development.join' must name a kubeconfig (there is no file %s)"
							.formatted(properties.join()));
			}
			return new DevelopmentConnection(Config.fromKubeconfig(properties.join().toFile()));
		}
		DevelopmentControlPlane controlPlane = DevelopmentControlPlane.inFolder(properties.place());
		controlPlane.client()
			.resource(new NamespaceBuilder().withNewMetadata().withName(SYSTEM).endMetadata().build())
			.serverSideApply();
		CustomResourceDefinitions.apply(controlPlane.client(), RINGS);
		properties.crds().forEach((location) -> apply(controlPlane.client(), location, resources));
		return new DevelopmentConnection(controlPlane.config());
	}

	private static void apply(KubernetesClient client, String location, ResourceLoader resources) {
		try {
			Resource[] found = ResourcePatternUtils.getResourcePatternResolver(resources).getResources(location);
			for (Resource definition : List.of(found)) {
				if (definition.exists()) {
					CustomResourceDefinitions.apply(client, definition.getURL());
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

package dev.sharding.benchmarks.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/** Installs ControllerRings. */
public final class Rings {

	private Rings() {
	}

	/**
	 * Installs the CustomResourceDefinition, and a ring of Secrets that control
	 * ConfigMaps.
	 * @param client may do everything
	 * @param ring the name of the ControllerRing
	 */
	public static void install(KubernetesClient client, String ring) throws IOException {
		try (InputStream crd = Rings.class.getResourceAsStream("/dev/sharding/sharder/ring/controllerrings.yaml")) {
			client.load(crd).create();
		}
		String manifest = """
				apiVersion: sharding.timebertt.dev/v1alpha1
				kind: ControllerRing
				metadata: {name: %s}
				spec: {resources: [{group: "", resource: secrets, \
				controlledResources: [{group: "", resource: configmaps}]}]}
				""".formatted(ring);
		Waiting.until("the API server to know ControllerRings", Duration.ofMinutes(1), () -> created(client, manifest));
	}

	private static boolean created(KubernetesClient client, String manifest) {
		try {
			client.resource(manifest).create();
			return true;
		}
		catch (KubernetesClientException ex) {
			return false;
		}
	}

}

package dev.sharding.benchmarks.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

import dev.sharding.internal.sharder.ring.ControllerRing;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/** Installs ControllerRings. */
public final class Rings {

	/** Secrets that control ConfigMaps. */
	public static final String SECRETS = """
			{resources: [{group: "", resource: secrets, controlledResources: [{group: "", resource: configmaps}]}]}""";

	private Rings() {
	}

	/**
	 * Installs the CustomResourceDefinition, and a ring of Secrets that control
	 * ConfigMaps.
	 * @param client may do everything
	 * @param ring the name of the ControllerRing
	 */
	public static void install(KubernetesClient client, String ring) throws IOException {
		define(client);
		create(client, ring, SECRETS);
	}

	/** Installs the CustomResourceDefinition. */
	public static void define(KubernetesClient client) throws IOException {
		try (InputStream crd = Rings.class
			.getResourceAsStream("/dev/sharding/internal/sharder/ring/controllerrings.yaml")) {
			client.load(crd).create();
		}
	}

	/**
	 * Creates a ring, as soon as the API server knows what that is.
	 * @param spec its spec as YAML, in one line
	 */
	public static void create(KubernetesClient client, String ring, String spec) {
		String manifest = """
				apiVersion: sharding.timebertt.dev/v1alpha1
				kind: ControllerRing
				metadata: {name: %s}
				spec: %s
				""".formatted(ring, spec);
		Waiting.until("the API server to know ControllerRings", Duration.ofMinutes(1), () -> created(client, manifest));
	}

	/** How many shards of the ring are available, by its status. */
	public static int available(KubernetesClient client, String ring) {
		ControllerRing found = client.resources(ControllerRing.class).withName(ring).get();
		return (found != null && found.getStatus() != null) ? found.getStatus().availableShards() : 0;
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

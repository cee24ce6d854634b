package dev.sharding.test;

import java.util.Optional;

import dev.sharding.controlplane.NamedCluster;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What a test class runs against: a control plane of ours, or the cluster that the user
 * named.
 */
final class TestCluster implements AutoCloseable {

	private final @Nullable ControlPlane controlPlane;

	private final KubernetesClient client;

	private TestCluster(@Nullable ControlPlane controlPlane, KubernetesClient client) {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	static TestCluster start(ControlPlaneBuilder builder) {
		ControlPlane controlPlane = builder.start();
		return new TestCluster(controlPlane, controlPlane.client());
	}

	static TestCluster connect(NamedCluster cluster) {
		// As a file: paths of certificates in it are relative to it.
		Config config = Config.fromKubeconfig(cluster.kubeconfig().toFile());
		return new TestCluster(null, new KubernetesClientBuilder().withConfig(config).build());
	}

	KubernetesClient client() {
		return this.client;
	}

	/**
	 * The control plane.
	 * @return empty if the user named a cluster
	 */
	Optional<ControlPlane> controlPlane() {
		return Optional.ofNullable(this.controlPlane);
	}

	boolean isUsable() {
		try {
			controlPlane().ifPresent(ControlPlane::checkAlive);
			return true;
		}
		catch (ControlPlaneDiedException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		if (this.controlPlane != null) {
			this.controlPlane.close();
		}
		else {
			this.client.close();
		}
	}

}

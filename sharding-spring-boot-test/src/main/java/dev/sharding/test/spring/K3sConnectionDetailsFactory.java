package dev.sharding.test.spring;

import io.fabric8.kubernetes.client.Config;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.k3s.K3sContainer;

import dev.sharding.client.KubernetesConnectionDetails;

/**
 * Connects an application to a {@link K3sContainer} with {@code @ServiceConnection}.
 */
final class K3sConnectionDetailsFactory
		extends ContainerConnectionDetailsFactory<K3sContainer, KubernetesConnectionDetails> {

	@Override
	protected KubernetesConnectionDetails getContainerConnectionDetails(
			ContainerConnectionSource<K3sContainer> source) {
		return new K3sConnectionDetails(source);
	}

	/**
	 * The administrator of the container's cluster.
	 */
	private static final class K3sConnectionDetails extends ContainerConnectionDetails<K3sContainer>
			implements KubernetesConnectionDetails {

		K3sConnectionDetails(ContainerConnectionSource<K3sContainer> source) {
			super(source);
		}

		@Override
		public Config config() {
			return Config.fromKubeconfig(getContainer().getKubeConfigYaml());
		}

	}

}

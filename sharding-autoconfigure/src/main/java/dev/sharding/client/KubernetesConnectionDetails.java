package dev.sharding.client;

import io.fabric8.kubernetes.client.Config;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Where the API server is and who we are to it, from somewhere else than where
 * {@code kubectl} looks: from a test, for example.
 */
public interface KubernetesConnectionDetails extends ConnectionDetails {

	/**
	 * The whole configuration of the client.
	 * @return the configuration; not changed by the caller
	 */
	Config config();

}

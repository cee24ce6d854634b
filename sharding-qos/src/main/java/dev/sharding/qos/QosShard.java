package dev.sharding.qos;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * Which shard this process is. Without such a bean it is none: limits of a ring are then
 * those of the process. An application in several rings has one for each; the primary one
 * is that of rules that name no ring.
 *
 * @param ringPath the path of the ControllerRing at the API server
 * @param name the shard's name
 * @param client the client of the ring's cluster; {@code null} if it is not known: then
 * that of the application is asked, or of several without a primary one the first that
 * can read the path, be it another cluster's
 */
public record QosShard(String ringPath, String name, @Nullable KubernetesClient client) {

	/** Returns the name of the ring. */
	String ring() {
		return this.ringPath.substring(this.ringPath.lastIndexOf('/') + 1);
	}

	/**
	 * Creates a shard of a cluster that is not known.
	 * @param ringPath the path of the ControllerRing at the API server
	 * @param name the shard's name
	 */
	public QosShard(String ringPath, String name) {
		this(ringPath, name, null);
	}

}

package dev.sharding.qos;

import java.util.function.Supplier;

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
 * @param term tells the terms of the shard's Lease from one another by values that are
 * not equal; {@code null} while it holds none, as the ring does not count it then
 */
public record QosShard(String ringPath, String name, @Nullable KubernetesClient client,
		Supplier<? extends @Nullable Object> term) {

	/** Returns the name of the ring. */
	String ring() {
		return this.ringPath.substring(this.ringPath.lastIndexOf('/') + 1);
	}

	/**
	 * Creates a shard that holds its Lease as long as the process runs.
	 * @param ringPath the path of the ControllerRing at the API server
	 * @param name the shard's name
	 * @param client the client of the ring's cluster, or {@code null}
	 */
	public QosShard(String ringPath, String name, @Nullable KubernetesClient client) {
		this(ringPath, name, client, () -> name);
	}

	/**
	 * Creates such a shard of a cluster that is not known.
	 * @param ringPath the path of the ControllerRing at the API server
	 * @param name the shard's name
	 */
	public QosShard(String ringPath, String name) {
		this(ringPath, name, null);
	}

}

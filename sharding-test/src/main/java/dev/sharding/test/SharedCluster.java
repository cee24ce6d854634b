package dev.sharding.test;

import dev.sharding.controlplane.NamedCluster;
import org.jspecify.annotations.Nullable;

/**
 * Holds what the test classes of a JVM share: started when the first one asks, replaced
 * when it died, closed after the last.
 */
final class SharedCluster implements AutoCloseable {

	private @Nullable TestCluster cluster;

	synchronized TestCluster get() {
		TestCluster current = this.cluster;
		if (current != null && current.isUsable()) {
			return current;
		}
		close();
		TestCluster next = NamedCluster.find()
			.map(TestCluster::connect)
			.orElseGet(() -> TestCluster.start(ControlPlane.builder()));
		this.cluster = next;
		return next;
	}

	@Override
	public synchronized void close() {
		if (this.cluster != null) {
			this.cluster.close();
			this.cluster = null;
		}
	}

}

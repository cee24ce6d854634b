package dev.sharding.internal.sharder.watch;

import java.util.List;

import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * The watches of ControllerRings and of shard Leases that all who need them in a process
 * share. Each begins when somebody starts it, and goes on until this is closed. Safe for
 * use by any thread.
 */
public final class SharedWatches implements AutoCloseable {

	private static final String BY_RING = "ring";

	/*
	 * One whose label is empty is of no ring, and nobody may have checked who wrote it.
	 */
	private static final String OF_A_RING = ShardingLabels.LEASE_RING + "," + ShardingLabels.LEASE_RING + "!=";

	private final Informer<ControllerRing> rings;

	private final Informer<Lease> leases;

	private final boolean borrowed;

	/**
	 * Prepares the watches.
	 * @param client the API server; it must outlive them. Its throttle does not delay
	 * them
	 */
	public SharedWatches(KubernetesClient client) {
		this(new Informer<>(ThrottledClient.unthrottled(client),
				InformerSpec.of(ResourceType.of(ControllerRing.class))),
				new Informer<>(ThrottledClient.unthrottled(client),
						InformerSpec.of(ResourceType.of(Lease.class))
							.withLabelSelector(OF_A_RING)
							.trimmed(LeaseTrim::trim)
							.withIndex(BY_RING, (lease) -> List
								.of(lease.getMetadata().getLabels().getOrDefault(ShardingLabels.LEASE_RING, "")))),
				false);
	}

	private SharedWatches(Informer<ControllerRing> rings, Informer<Lease> leases, boolean borrowed) {
		this.rings = rings;
		this.leases = leases;
		this.borrowed = borrowed;
	}

	/**
	 * Returns the same watches for somebody who ends before they do.
	 * @return the watches; to close them does nothing
	 */
	public SharedWatches borrowed() {
		return new SharedWatches(this.rings, this.leases, true);
	}

	/**
	 * Returns the watch of the ControllerRings.
	 * @return the informer; leave its end to {@link #close()}
	 */
	public Informer<ControllerRing> rings() {
		return this.rings;
	}

	/**
	 * Returns the watch of the Leases whose label names a ring, {@linkplain LeaseTrim
	 * trimmed}.
	 * @return the informer; leave its end to {@link #close()}
	 */
	public Informer<Lease> leases() {
		return this.leases;
	}

	/**
	 * Returns the Leases of a ring as seen last.
	 * @param ring the name of the ring
	 * @return its Leases; they are shared, so do not change them
	 */
	public List<Lease> leasesOf(String ring) {
		return this.leases.store().byIndex(BY_RING, ring);
	}

	/** Ends the watches for good. */
	@Override
	public void close() {
		if (!this.borrowed) {
			this.rings.close();
			this.leases.close();
		}
	}

}

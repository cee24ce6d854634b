package dev.sharding.internal.kubernetes.slot;

import java.util.Set;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;

/**
 * Wakes a candidate when a Lease of the ring is given back, or about to be. What it tells
 * is a reason to look and nothing else, so whatever it misses costs no more than time.
 */
final class SlotWatch {

	private static final Logger logger = LoggerFactory.getLogger(SlotWatch.class);

	private static final ResourceType<Lease> LEASES = ResourceType.of(Lease.class);

	private final KubernetesClient client;

	private final SlotOptions options;

	private final Runnable wake;

	private @Nullable Informer<Lease> open;

	/** For good: it may not watch, or is not needed any more. */
	private volatile boolean over;

	SlotWatch(KubernetesClient client, SlotOptions options, Runnable wake) {
		this.client = client;
		this.options = options;
		this.wake = wake;
	}

	/** Begins to watch, unless it does, or may not. */
	synchronized void open() {
		if (this.open != null || this.over) {
			return;
		}
		Informer<Lease> informer = new Informer<>(this.client,
				InformerSpec.of(LEASES)
					.inNamespaces(Set.of(this.options.namespace()))
					.withLabelSelector(ShardingLabels.leaseSelector(this.options.ring())));
		informer.addHandler(this::happened);
		informer.addStatusListener(this::fares);
		this.open = informer;
		informer.start();
	}

	/** Watches no longer: every shard of the ring writes its Lease every other second. */
	synchronized void close() {
		if (this.open != null) {
			this.open.close();
			this.open = null;
		}
	}

	/** Watches never again. */
	void end() {
		this.over = true;
		close();
	}

	/** Whether it watches, so that there is no need to look often. */
	synchronized boolean isOpen() {
		return this.open != null && this.open.status().watching();
	}

	private void happened(InformerEvent<Lease> event) {
		if (event instanceof InformerEvent.Removed<Lease>) {
			this.wake.run();
		}
		else if (event instanceof InformerEvent.Updated<Lease> updated) {
			SlotLease lease = LeaseRecords.slotLease(updated.after());
			if (lease.record().isReleased() || lease.isStopping()) {
				this.wake.run();
			}
		}
	}

	private void fares(InformerStatus status) {
		if (status.refused() && !this.over) {
			logger.info(
					"May not watch the Leases of ring {} in namespace {}, looking at them every half second instead",
					this.options.ring(), this.options.namespace());
			end();
		}
	}

}

package dev.sharding.kubernetes.lease;

import java.time.Duration;
import java.time.Instant;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;

import dev.sharding.core.lease.LeaseRecord;
import dev.sharding.core.lease.LeaseWrites;
import dev.sharding.core.lease.ShardIdentity;

/**
 * The Leases to send. What others have put on a Lease stays there.
 */
final class LeaseContent {

	private final LeaseHolderConfig config;

	private final ShardIdentity identity;

	private final Duration duration;

	LeaseContent(LeaseHolderConfig config) {
		this.config = config;
		this.identity = new ShardIdentity(config.identity(), config.instanceId());
		this.duration = config.timings().leaseDuration();
	}

	ShardIdentity identity() {
		return this.identity;
	}

	/** What a Lease says, as far as it is believed. */
	LeaseRecord believed(Lease lease) {
		return LeaseRecords.of(lease).capped(this.config.longest());
	}

	Lease create(Instant now) {
		Lease empty = new LeaseBuilder().withNewMetadata()
			.withNamespace(this.config.namespace())
			.withName(this.config.leaseName())
			.endMetadata()
			.build();
		return labelled(LeaseRecords.write(empty, LeaseWrites.create(this.identity, this.duration, now)));
	}

	Lease takeOver(Lease lease, Instant now) {
		return labelled(LeaseRecords.write(lease,
				LeaseWrites.takeOver(LeaseRecords.of(lease), this.identity, this.duration, now)));
	}

	Lease renew(Lease lease, Instant now) {
		return labelled(LeaseRecords.write(lease, LeaseWrites.renew(LeaseRecords.of(lease), this.duration, now)));
	}

	Lease release(Lease lease, Instant now) {
		return LeaseRecords.write(lease, LeaseWrites.release(LeaseRecords.of(lease), now));
	}

	private Lease labelled(Lease lease) {
		return new LeaseBuilder(lease).editMetadata().addToLabels(this.config.labels()).endMetadata().build();
	}

}

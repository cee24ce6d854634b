package dev.sharding.internal.sharder;

import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Objects;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * What a Go process does about a Lease, its shard's or that of the sharder's election:
 * the algorithm of client-go (protocol section 6.1), one try at a time.
 */
final class GoLease {

	private static final int SECONDS = 15;

	private static final int CONFLICT = 409;

	private final KubernetesClient client;

	private final String namespace;

	private final String name;

	private final String identity;

	private List<?> observed = List.of();

	private long observedAt;

	GoLease(KubernetesClient client, String namespace, String name, String identity) {
		this.client = client;
		this.namespace = namespace;
		this.name = name;
		this.identity = identity;
	}

	Lease get() {
		return this.client.leases().inNamespace(this.namespace).withName(this.name).get();
	}

	/** Makes the Lease and holds it. */
	void create() {
		ZonedDateTime time = ZonedDateTime.now(ZoneOffset.UTC);
		this.client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(this.name)
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity(this.identity)
				.withLeaseDurationSeconds(SECONDS)
				.withAcquireTime(time)
				.withRenewTime(time)
				.withLeaseTransitions(0)
				.endSpec()
				.build())
			.create();
	}

	/** Acquires or renews a Lease that is there, unless somebody else has it. */
	boolean acquires() {
		Lease lease = get();
		LeaseSpec spec = lease.getSpec();
		boolean mine = this.identity.equals(spec.getHolderIdentity());
		List<?> record = List.of(spec.getHolderIdentity(), spec.getAcquireTime(), spec.getRenewTime(),
				spec.getLeaseDurationSeconds(), Objects.requireNonNullElse(spec.getLeaseTransitions(), 0));
		long now = System.nanoTime();
		if (!record.equals(this.observed)) {
			this.observed = record;
			this.observedAt = now;
		}
		boolean young = now - this.observedAt < spec.getLeaseDurationSeconds() * 1_000_000_000L;
		if (!spec.getHolderIdentity().isEmpty() && young && !mine) {
			return false;
		}
		ZonedDateTime time = ZonedDateTime.now(ZoneOffset.UTC);
		if (!mine) {
			spec.setAcquireTime(time);
			spec.setLeaseTransitions(Objects.requireNonNullElse(spec.getLeaseTransitions(), 0) + 1);
		}
		spec.setHolderIdentity(this.identity);
		spec.setRenewTime(time);
		spec.setLeaseDurationSeconds(SECONDS);
		return isWritten(lease);
	}

	/** Gives the Lease back, as a Go process does that stops. */
	void release() {
		ZonedDateTime time = ZonedDateTime.now(ZoneOffset.UTC);
		World.await().until(() -> {
			Lease lease = get();
			lease.getSpec().setHolderIdentity("");
			lease.getSpec().setLeaseDurationSeconds(1);
			lease.getSpec().setAcquireTime(time);
			lease.getSpec().setRenewTime(time);
			return isWritten(lease);
		});
	}

	private boolean isWritten(Lease lease) {
		try {
			this.client.resource(lease).update();
			return true;
		}
		catch (KubernetesClientException ex) {
			if (ex.getCode() != CONFLICT) {
				throw ex;
			}
			return false;
		}
	}

}

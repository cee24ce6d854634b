package dev.sharding.benchmarks.assignment;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.jspecify.annotations.Nullable;

/**
 * A hand-made shard that holds its Lease and watches its objects, and does nothing with
 * them.
 */
final class IdleShard implements AutoCloseable {

	private static final int LEASE_SECONDS = 2;

	private static final long RENEW_MILLIS = 400;

	private final KubernetesClient client;

	private final String ring;

	private final String name;

	private final Set<String> owned = ConcurrentHashMap.newKeySet();

	private final List<SharedIndexInformer<?>> informers = new ArrayList<>();

	private final ScheduledFuture<?> renewals;

	private volatile boolean alive = true;

	IdleShard(KubernetesClient client, ScheduledExecutorService timer, String ring, String name) {
		this.client = client;
		this.ring = ring;
		this.name = name;
		renew();
		this.renewals = timer.scheduleWithFixedDelay(this::renew, RENEW_MILLIS, RENEW_MILLIS, TimeUnit.MILLISECONDS);
		SharedIndexInformer<Secret> secrets = client.secrets()
			.inAnyNamespace()
			.withLabel(ShardingLabels.shard(ring), name)
			.runnableInformer(0);
		secrets.addEventHandler(new Ownership());
		SharedIndexInformer<ConfigMap> configMaps = client.configMaps()
			.inAnyNamespace()
			.withLabel(ShardingLabels.shard(ring), name)
			.runnableInformer(0);
		for (SharedIndexInformer<?> informer : List.of(secrets, configMaps)) {
			informer.run();
			this.informers.add(informer);
		}
	}

	/** How many objects carry its label, as its informer sees it. */
	int owned() {
		return this.owned.size();
	}

	/** From now on it renews no more. */
	void die() {
		this.alive = false;
	}

	/** It holds its Lease again. */
	void revive() {
		this.alive = true;
		renew();
	}

	/** When somebody else took its Lease, null while nobody has. */
	@Nullable Instant takenAt() {
		Lease lease = lease().get();
		boolean taken = lease != null && !this.name.equals(lease.getSpec().getHolderIdentity());
		return taken ? lease.getSpec().getAcquireTime().toInstant() : null;
	}

	private void renew() {
		if (!this.alive) {
			return;
		}
		try {
			ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
			Lease lease = lease().get();
			if (lease == null) {
				this.client.resource(create(now)).create();
				return;
			}
			if (!this.name.equals(lease.getSpec().getHolderIdentity())) {
				lease.getSpec().setAcquireTime(now);
			}
			lease.getSpec().setHolderIdentity(this.name);
			lease.getSpec().setLeaseDurationSeconds(LEASE_SECONDS);
			lease.getSpec().setRenewTime(now);
			this.client.resource(lease).update();
		}
		catch (KubernetesClientException ex) {
			System.err.println("Failed to renew the Lease of " + this.name + ", trying again: " + ex.getMessage());
		}
	}

	private Lease create(ZonedDateTime now) {
		return new LeaseBuilder().withNewMetadata()
			.withName(this.name)
			.withNamespace("default")
			.addToLabels(ShardingLabels.LEASE_RING, this.ring)
			// Without it the ring would be taken for one with shards of another make.
			.addToAnnotations(ShardingLabels.INSTANCE_ID, "idle-" + this.name)
			.endMetadata()
			.withNewSpec()
			.withHolderIdentity(this.name)
			.withLeaseDurationSeconds(LEASE_SECONDS)
			.withAcquireTime(now)
			.withRenewTime(now)
			.endSpec()
			.build();
	}

	private Resource<Lease> lease() {
		return this.client.leases().inNamespace("default").withName(this.name);
	}

	@Override
	public void close() {
		this.renewals.cancel(false);
		this.informers.forEach(SharedIndexInformer::stop);
	}

	/** Keeps the names of the objects with its label. */
	private final class Ownership implements ResourceEventHandler<Secret> {

		@Override
		public void onAdd(Secret secret) {
			IdleShard.this.owned.add(secret.getMetadata().getName());
		}

		@Override
		public void onUpdate(Secret before, Secret after) {
			// It is here already.
		}

		@Override
		public void onDelete(Secret secret, boolean unknown) {
			IdleShard.this.owned.remove(secret.getMetadata().getName());
		}

	}

}

package dev.sharding.benchmarks.rollout;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.LeaderLease;
import dev.sharding.benchmarks.cluster.Pause;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.SharderProcess;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;

/**
 * A control plane with a ring, a sharder, objects and their load, and what the audit log
 * tells of all that.
 */
final class Stage implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(15);

	/** To look costs what those who are measured need; the audit log tells the times. */
	private static final Duration LOOK_EVERY = Duration.ofMillis(500);

	private static final PolicyRule EVERYTHING = new PolicyRuleBuilder().withApiGroups("*")
		.withResources("*")
		.withVerbs("*")
		.build();

	private final ControlPlane controlPlane;

	private final Path kubeconfig;

	private final SharderProcess sharder;

	private final Trail trail;

	private final Load load;

	Stage(int objects) throws IOException {
		this.controlPlane = ControlPlane.builder()
			.auditPolicy(Trail.POLICY)
			.etcdFlags("--quota-backend-bytes=8589934592")
			.start();
		Rings.install(this.controlPlane.client(), RolloutShard.RING);
		this.controlPlane.client()
			.resource(new NamespaceBuilder().withNewMetadata().withName(RolloutShard.NAMESPACE).endMetadata().build())
			.create();
		LeaderLease.free(this.controlPlane.client());
		this.kubeconfig = this.controlPlane.user("shard", EVERYTHING).kubeconfigFile();
		this.sharder = SharderProcess.start(this.controlPlane.user("sharder", EVERYTHING).kubeconfigFile(),
				Launch.shipped(), List.of());
		this.trail = new Trail(this.controlPlane.apiServer().auditLog());
		this.load = new Load(this.controlPlane.user("writer", EVERYTHING).client(), objects);
	}

	Path kubeconfig() {
		return this.kubeconfig;
	}

	Load load() {
		return this.load;
	}

	/** All that is known by now. */
	Trail trail() throws IOException {
		return this.trail.readOn();
	}

	/** Which shard each pod is that holds a Lease. */
	Map<String, String> shards() throws IOException {
		return trail().leases()
			.entrySet()
			.stream()
			.filter((lease) -> lease.getValue().held())
			.collect(Collectors.toMap((lease) -> lease.getValue().pod(), Map.Entry::getKey, (one, other) -> other));
	}

	/**
	 * Waits until these pods hold the Leases, and the objects are where that has them.
	 */
	void awaitInPlace(Set<String> pods) throws IOException {
		await("all objects to be with " + pods, () -> shards().keySet().equals(pods) && inPlace());
	}

	private boolean inPlace() throws IOException {
		HashRing ring = HashRing.of(List.copyOf(new TreeSet<>(shards().values())));
		for (String name : this.load.names()) {
			ShardingKey key = new ShardingKey("", "Secret", RolloutShard.NAMESPACE, name);
			if (!this.trail.ownerOf(name).equals(ring.shardFor(key))) {
				return false;
			}
		}
		return true;
	}

	/** Waits until all changes are served. */
	void awaitServed() throws IOException {
		await("all changes to be served", () -> trail().allServed() && this.trail.made() == this.load.names().size());
	}

	/** The objects of a shard, or of all if it is empty. */
	List<String> objectsOf(String shard) throws IOException {
		Trail now = trail();
		return this.load.names().stream().filter((name) -> now.ownerOf(name).equals(shard)).toList();
	}

	void await(String what, Condition condition) throws IOException {
		Instant deadline = Instant.now().plus(PATIENCE);
		while (!condition.holds()) {
			if (Instant.now().isAfter(deadline)) {
				throw new IllegalStateException("Waited for " + what + " for " + PATIENCE.toSeconds() + " s, in vain");
			}
			if (!this.sharder.isAlive()) {
				throw new IllegalStateException("The sharder has ended, see " + this.sharder.log());
			}
			Pause.of(LOOK_EVERY);
		}
	}

	@Override
	public void close() throws IOException {
		this.load.close();
		if (this.sharder.isAlive()) {
			this.sharder.kill();
		}
		this.controlPlane.close();
	}

	/** Something to wait for. */
	interface Condition {

		boolean holds() throws IOException;

	}

}

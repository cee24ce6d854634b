package dev.sharding.benchmarks.handover;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Who owns what, as a watch of all objects of a resource shows it, and when that changed.
 *
 * @param <T> the class of the objects
 */
final class Sightings<T extends HasMetadata> implements AutoCloseable {

	private final String shardLabel;

	private final Informer<?> informer;

	/* All below is guarded by this. */

	private final Map<String, String> owners = new HashMap<>();

	private final Map<String, Long> unownedSince = new HashMap<>();

	private final List<Long> gaps = new ArrayList<>();

	private final List<Long> gains = new ArrayList<>();

	private long firstLoss;

	Sightings(KubernetesClient client, Class<T> type, String namespace, String ring) {
		this.shardLabel = ShardingLabels.shard(ring);
		this.informer = watch(client, InformerSpec.of(ResourceType.of(type).metadata()), namespace);
	}

	private <M extends HasMetadata> Informer<M> watch(KubernetesClient client, InformerSpec<M> spec, String namespace) {
		Informer<M> informer = new Informer<>(client, spec.inNamespaces(List.of(namespace)));
		informer.addHandler((event) -> {
			if (event instanceof InformerEvent.Added<M> added) {
				seen(added.object());
			}
			else if (event instanceof InformerEvent.Updated<M> updated) {
				seen(updated.after());
			}
		});
		informer.start();
		return informer;
	}

	private synchronized void seen(HasMetadata object) {
		String name = object.getMetadata().getName();
		String owner = Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.<String, String>of())
			.getOrDefault(this.shardLabel, "");
		String before = this.owners.put(name, owner);
		long now = System.nanoTime();
		if (owner.equals(before)) {
			return;
		}
		if (owner.isEmpty()) {
			this.unownedSince.put(name, now);
			this.firstLoss = (this.firstLoss == 0) ? now : this.firstLoss;
			return;
		}
		Long since = this.unownedSince.remove(name);
		this.gains.add(now);
		if (since != null) {
			this.gaps.add(now - since);
		}
	}

	/** Forgets what happened; what is, stays. */
	synchronized void forget() {
		this.gaps.clear();
		this.gains.clear();
		this.firstLoss = 0;
	}

	/**
	 * How many objects are where the hash ring has them.
	 * @param mainName the name of the main object by that of an object
	 */
	synchronized int inPlace(HashRing ring, String namespace, UnaryOperator<String> mainName) {
		int count = 0;
		for (Map.Entry<String, String> object : this.owners.entrySet()) {
			ShardingKey key = new ShardingKey("", "Secret", namespace, mainName.apply(object.getKey()));
			count += object.getValue().equals(ring.shardFor(key)) ? 1 : 0;
		}
		return count;
	}

	/** How long objects were without an owner before they got one, in nanoseconds. */
	synchronized List<Long> gaps() {
		return this.gaps.stream().sorted().toList();
	}

	/** When objects got owners, oldest first. */
	synchronized List<Long> gains() {
		return List.copyOf(this.gains);
	}

	/** When the first object lost its owner, 0 if none did. */
	synchronized long firstLoss() {
		return this.firstLoss;
	}

	@Override
	public void close() {
		this.informer.close();
	}

}

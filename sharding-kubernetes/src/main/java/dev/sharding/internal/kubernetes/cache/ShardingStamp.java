package dev.sharding.internal.kubernetes.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.protocol.ShardingLabels;

/**
 * The law of sharding labels on our own writes: a write changes none of them, and a new
 * object that belongs to one of our main objects starts out as ours.
 *
 * <p>
 * The labels of the cached object are the truth as long as the write is based on the same
 * resource version. Otherwise (our copy is newer than the cache, or was built from
 * scratch) labels that the copy has stay, and those that it lacks are taken from the
 * cache.
 */
final class ShardingStamp {

	/** For a cache outside any ring: keeps labels, gives none. */
	static final ShardingStamp NONE = new ShardingStamp("", () -> "", (object) -> false);

	private final String label;

	private final Supplier<String> shard;

	private final Predicate<HasMetadata> belongsToUs;

	/**
	 * Creates the law of one resource.
	 * @param ring the ring of the shard
	 * @param shard the name of the shard at the moment of the write
	 * @param belongsToUs tells whether an object's controller owner is a main object that
	 * the shard owns
	 */
	ShardingStamp(String ring, Supplier<String> shard, Predicate<HasMetadata> belongsToUs) {
		this.label = ring.isEmpty() ? "" : ShardingLabels.shard(ring);
		this.shard = shard;
		this.belongsToUs = belongsToUs;
	}

	/** Sets the labels of a new object. */
	void onCreate(HasMetadata outgoing) {
		if (this.belongsToUs.test(outgoing)) {
			Map<String, String> labels = labelsOf(outgoing);
			labels.keySet().removeIf(ShardingLabels::isSharding);
			labels.put(this.label, this.shard.get());
			outgoing.getMetadata().setLabels(labels);
		}
	}

	/** Sets the labels of an object that is replaced, patched or applied. */
	void onChange(HasMetadata outgoing, @Nullable HasMetadata cached) {
		Map<String, String> labels = labelsOf(outgoing);
		if (cached != null) {
			keep(labels, cached, isSameVersion(outgoing, cached));
		}
		if (!labels.containsKey(this.label) && this.belongsToUs.test(outgoing)) {
			labels.put(this.label, this.shard.get());
		}
		if (!labels.isEmpty() || outgoing.getMetadata().getLabels() != null) {
			outgoing.getMetadata().setLabels(labels);
		}
	}

	private static void keep(Map<String, String> labels, HasMetadata cached, boolean exactly) {
		if (exactly) {
			labels.keySet().removeIf(ShardingLabels::isSharding);
		}
		Map<String, String> known = cached.getMetadata().getLabels();
		if (known != null) {
			known.forEach((key, value) -> {
				if (ShardingLabels.isSharding(key)) {
					labels.putIfAbsent(key, value);
				}
			});
		}
	}

	private static boolean isSameVersion(HasMetadata outgoing, HasMetadata cached) {
		String version = cached.getMetadata().getResourceVersion();
		return version != null && version.equals(outgoing.getMetadata().getResourceVersion());
	}

	private static Map<String, String> labelsOf(HasMetadata object) {
		Map<String, String> labels = object.getMetadata().getLabels();
		return (labels != null) ? new LinkedHashMap<>(labels) : new LinkedHashMap<>();
	}

}

package dev.sharding.internal.sharder.assignment.metadata;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.key.InvalidShardingKeyException;
import dev.sharding.internal.core.key.ObjectIdentity;
import dev.sharding.internal.core.key.OwnerRef;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.key.ShardingKeys;
import dev.sharding.internal.kubernetes.informer.wire.MetadataSummary;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the sharder must know of the objects of one ring. An object whose controller
 * reference is incomplete cannot be hashed: it is treated as not sharded, and logged.
 */
public final class ObjectReader {

	private static final Logger log = LoggerFactory.getLogger(ObjectReader.class);

	private final String shardLabel;

	private final String drainLabel;

	private final String firstLabel;

	public ObjectReader(String ring) {
		this.shardLabel = ShardingLabels.shard(ring);
		this.drainLabel = ShardingLabels.drain(ring);
		this.firstLabel = ShardingLabels.first(ring);
	}

	/** The labels that an object is read by. */
	List<String> labels() {
		return List.of(this.shardLabel, this.drainLabel, this.firstLabel);
	}

	ShardedObject read(ShardedResource resource, MetadataSummary summary) {
		return read(resource, new ObjectKey(summary.namespace(), summary.name()), summary.resourceVersion(),
				resource.isMain() ? List.of() : summary.owners(), summary.labels());
	}

	public @Nullable ShardedObject read(ShardedResource resource, MetadataItem item) {
		MetadataItem.Metadata metadata = item.metadata();
		if (metadata == null || metadata.name() == null || metadata.resourceVersion() == null) {
			return null;
		}
		List<MetadataItem.Owner> owners = metadata.ownerReferences();
		List<OwnerRef> references = (owners == null || resource.isMain()) ? List.of() : owners.stream()
			.map((owner) -> new OwnerRef(owner.apiVersion(), owner.kind(), owner.name(), null, owner.controller()))
			.toList();
		return read(resource, new ObjectKey(text(metadata.namespace()), metadata.name()), metadata.resourceVersion(),
				references, metadata.labels());
	}

	private ShardedObject read(ShardedResource resource, ObjectKey key, String resourceVersion,
			List<OwnerRef> references, @Nullable Map<String, String> labels) {
		ObjectIdentity identity = new ObjectIdentity(resource.type().apiVersion(), resource.type().kind(),
				key.namespace(), key.name(), null, references);
		return new ShardedObject(resource, key, resourceVersion, shardingKey(resource, identity), own(labels));
	}

	private static @Nullable ShardingKey shardingKey(ShardedResource resource, ObjectIdentity identity) {
		try {
			return resource.isMain() ? ShardingKeys.ofMain(identity) : ShardingKeys.ofControlled(identity);
		}
		catch (InvalidShardingKeyException ex) {
			log.debug("Leaving object alone resource={} reason={}", resource, ex.getMessage());
			return null;
		}
	}

	private Map<String, String> own(@Nullable Map<String, String> labels) {
		if (labels == null || labels.isEmpty()) {
			return Map.of();
		}
		String shard = labels.get(this.shardLabel);
		if (!labels.containsKey(this.drainLabel) && !labels.containsKey(this.firstLabel)) {
			return (shard != null) ? Map.of(this.shardLabel, shard) : Map.of();
		}
		Map<String, String> own = new HashMap<>(labels);
		own.keySet().retainAll(Set.of(this.shardLabel, this.drainLabel, this.firstLabel));
		return own;
	}

	private static String text(@Nullable String part) {
		return (part != null) ? part : "";
	}

}

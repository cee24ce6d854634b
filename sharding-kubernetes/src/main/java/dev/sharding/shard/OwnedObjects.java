package dev.sharding.shard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.key.InvalidShardingKeyException;
import dev.sharding.internal.core.key.ObjectIdentity;
import dev.sharding.internal.core.key.OwnerRef;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.key.ShardingKeys;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Looks into the caches of a shard for people who want to know what it owns. Safe for use
 * by many threads.
 */
public final class OwnedObjects {

	private static final Comparator<HasMetadata> BY_KEY = Comparator
		.comparing((HasMetadata object) -> ObjectKey.of(object).namespace())
		.thenComparing((object) -> object.getMetadata().getName());

	private final InformerCaches caches;

	private final String drainLabel;

	private final Map<GroupResource, ListResult> resources = new ConcurrentHashMap<>();

	OwnedObjects(InformerCaches caches, String ring) {
		this.caches = caches;
		this.drainLabel = ShardingLabels.drain(ring);
	}

	void main(ResourceType<?> type) {
		this.resources.put(type.groupResource(), new ListResult(type, true));
	}

	void controlled(ResourceType<?> type) {
		this.resources.putIfAbsent(type.groupResource(), new ListResult(type, false));
	}

	/**
	 * The resources of the ring that this shard knows.
	 * @return group and plural of each, by name
	 */
	public List<GroupResource> resources() {
		return this.resources.keySet().stream().sorted(Comparator.comparing(GroupResource::toString)).toList();
	}

	/** Whether the shard owns anything, as far as the caches know. */
	boolean any() {
		return this.resources.keySet().stream().anyMatch((resource) -> count(resource) > 0);
	}

	/**
	 * How many objects of a resource the shard owns.
	 * @param resource one of {@link #resources()}
	 * @return the number, 0 as long as the caches have not started
	 */
	public int count(GroupResource resource) {
		StoreView<?> store = store(resource);
		return (store != null) ? store.size() : 0;
	}

	/**
	 * A page of the objects of a resource.
	 * @param resource one of {@link #resources()}
	 * @param offset how many to skip, in the order of namespace and name
	 * @param limit how many to return at most
	 * @return the objects
	 */
	public List<OwnedObject> page(GroupResource resource, int offset, int limit) {
		ListResult listed = this.resources.get(resource);
		StoreView<? extends HasMetadata> store = store(resource);
		if (listed == null || store == null) {
			return List.of();
		}
		List<HasMetadata> objects = new ArrayList<>(store.list());
		objects.sort(BY_KEY);
		return objects.stream().skip(offset).limit(limit).map((object) -> owned(listed, object)).toList();
	}

	private @Nullable StoreView<?> store(GroupResource resource) {
		ListResult listed = this.resources.get(resource);
		try {
			return (listed != null) ? this.caches.plainStore(listed.type()) : null;
		}
		catch (IllegalStateException ex) {
			// Not started.
			return null;
		}
	}

	private OwnedObject owned(ListResult listed, HasMetadata object) {
		Map<String, String> labels = object.getMetadata().getLabels();
		return new OwnedObject(ObjectKey.of(object), shardingKey(listed, object),
				labels != null && labels.containsKey(this.drainLabel));
	}

	private static @Nullable ShardingKey shardingKey(ListResult listed, HasMetadata object) {
		ObjectMeta metadata = object.getMetadata();
		ObjectIdentity identity = new ObjectIdentity(listed.type().apiVersion(), listed.type().kind(),
				metadata.getNamespace(), metadata.getName(), null,
				metadata.getOwnerReferences().stream().map(OwnedObjects::ref).toList());
		try {
			return listed.main() ? ShardingKeys.ofMain(identity) : ShardingKeys.ofControlled(identity);
		}
		catch (InvalidShardingKeyException ex) {
			return null;
		}
	}

	private static OwnerRef ref(OwnerReference reference) {
		return new OwnerRef(reference.getApiVersion(), reference.getKind(), reference.getName(), reference.getUid(),
				Boolean.TRUE.equals(reference.getController()));
	}

	/**
	 * A resource of the ring.
	 *
	 * @param type the resource
	 * @param main whether it is a main one
	 */
	private record ListResult(ResourceType<?> type, boolean main) {
	}

}

package dev.sharding.internal.kubernetes.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.wanted.AppliedFields;
import dev.sharding.internal.core.wanted.WantedFields;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Applies what is wanted where the object is not so already.
 */
final class Ensures<T extends HasMetadata> {

	/** The writes and reads of the cache. */
	interface Access<T> {

		/** A copy of an object that may be modified. */
		T copy(T object);

		/** The object that the cache has, once it can tell. */
		@Nullable T cached(T object);

		/**
		 * Applies an object.
		 * @param force whether to take over fields that others own
		 */
		T apply(T object, boolean force);

		T applyStatus(T object);

	}

	private final ResourceType<T> type;

	private final Access<T> access;

	private final Function<T, @Nullable T> live;

	private final Function<T, Map<?, ?>> tree;

	private final StatusSubresource status;

	private final AppliedMemory objects;

	private final AppliedMemory statuses;

	Ensures(ResourceType<T> type, StoreLookup<T> store, ResourceWriter<T> writer, StatusSubresource status,
			Access<T> access) {
		this.type = type;
		this.access = access;
		this.live = writer::find;
		this.tree = writer::tree;
		this.status = status;
		this.objects = new AppliedMemory((key) -> isThere(store, key));
		this.statuses = new AppliedMemory((key) -> isThere(store, key));
	}

	private static boolean isThere(StoreLookup<?> store, ObjectKey key) {
		OverlaidStore<?> found = store.find();
		return found != null && found.get(key) != null;
	}

	T object(HasMetadata owner, T wanted) {
		T outgoing = outgoing(wanted);
		OwnedObjects.control(this.type, owner, outgoing);
		ObjectKey key = ObjectKey.of(outgoing);
		Map<?, ?> tree = this.tree.apply(outgoing);
		this.status.requireNoneIn("ensure " + key, tree, "ensureStatus");
		WantedFields fields = WantedFields.of(tree);
		T cached = this.access.cached(outgoing);
		// What has no label of this shard's is in no cache, and may be anybody's.
		T actual = (cached != null) ? cached : this.live.apply(outgoing);
		if (actual != null) {
			OwnedObjects.requireControlled(this.type, owner, actual);
			// Once it is gone, its owner is reconciled again.
			boolean ends = actual.getMetadata().getDeletionTimestamp() != null;
			if (ends || fields.areIn(this.tree.apply(actual), this.objects.of(key))) {
				return this.access.copy(actual);
			}
			// Not its successor of the same name.
			outgoing.getMetadata().setUid(actual.getMetadata().getUid());
		}
		sign(outgoing, fields);
		T answer = this.access.apply(outgoing, actual != null);
		Map<?, ?> brought = this.tree.apply(answer);
		note(this.objects, key, fields.areIn(brought, null), fields.appliedTo(brought));
		return answer;
	}

	private T outgoing(T wanted) {
		T outgoing = this.access.copy(wanted);
		outgoing.getMetadata().setResourceVersion(null);
		outgoing.getMetadata().setManagedFields(null);
		outgoing.getMetadata().setUid(null);
		outgoing.getMetadata().setCreationTimestamp(null);
		outgoing.getMetadata().setGeneration(null);
		outgoing.getMetadata().setLabels(without(outgoing.getMetadata().getLabels(), ShardingLabels::isSharding));
		outgoing.getMetadata()
			.setAnnotations(without(outgoing.getMetadata().getAnnotations(), WantedFields.ANNOTATION::equals));
		return outgoing;
	}

	private static @Nullable Map<String, String> without(@Nullable Map<String, String> map, Predicate<String> ours) {
		if (map == null || map.isEmpty()) {
			return null;
		}
		Map<String, String> others = new LinkedHashMap<>(map);
		others.keySet().removeIf(ours);
		return others.isEmpty() ? null : others;
	}

	private static void sign(HasMetadata outgoing, WantedFields fields) {
		Map<String, String> annotations = new LinkedHashMap<>();
		if (outgoing.getMetadata().getAnnotations() != null) {
			annotations.putAll(outgoing.getMetadata().getAnnotations());
		}
		annotations.put(WantedFields.ANNOTATION, fields.fingerprint());
		outgoing.getMetadata().setAnnotations(annotations);
	}

	T status(T wanted) {
		ObjectKey key = ObjectKey.of(wanted);
		WantedFields fields = WantedFields.of(statusOf(wanted));
		T cached = this.access.cached(wanted);
		if (cached != null && (isAnother(cached, wanted.getMetadata().getUid())
				|| fields.areAllOf(statusOf(cached), this.statuses.of(key)))) {
			return this.access.copy(cached);
		}
		T outgoing = this.access.copy(wanted);
		// Others may change the rest meanwhile.
		outgoing.getMetadata().setResourceVersion(null);
		T answer = this.access.applyStatus(outgoing);
		Map<?, ?> brought = statusOf(answer);
		note(this.statuses, key, fields.areAllOf(brought, null), fields.appliedAs(brought));
		return answer;
	}

	/* The API server does not look at the uid where it takes a status. */
	private static boolean isAnother(HasMetadata cached, @Nullable String uid) {
		return uid != null && !uid.equals(cached.getMetadata().getUid());
	}

	private Map<?, ?> statusOf(T object) {
		return (this.tree.apply(object).get("status") instanceof Map<?, ?> status) ? status : Map.of();
	}

	private static void note(AppliedMemory memory, ObjectKey key, boolean seen, AppliedFields applied) {
		if (seen) {
			memory.forget(key);
		}
		else {
			memory.remember(key, applied);
		}
	}

	/** How many objects and statuses are remembered. */
	int remembered() {
		return this.objects.size() + this.statuses.size();
	}

}

package dev.sharding.internal.kubernetes.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.DeleteOptions;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ObjectPage;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.OwnChange;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.internal.core.read.Filling;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.read.CacheLists;
import dev.sharding.internal.kubernetes.cache.read.ConsistentReads;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.cache.read.VersionQuery;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * The cache of one resource over the store of its informer, with the own writes laid over
 * it.
 */
final class InformerCache<T extends HasMetadata> implements ResourceCache<T> {

	private final ResourceType<T> type;

	private final StoreLookup<T> store;

	private final ResourceWriter<T> writer;

	private final ObjectCopier copier;

	private final ShardingStamp stamp;

	private final ConsistentReads<T> consistentReads;

	private final CacheLists<T> lists;

	private final StatusSubresource status;

	private final OwnDeletes<T> deletes;

	private final Ensures<T> ensures;

	InformerCache(ResourceType<T> type, StoreLookup<T> store, ResourceWriter<T> writer, ObjectCopier copier,
			ShardingStamp stamp, ConsistentReads<T> consistentReads, CacheLists<T> lists, StatusSubresource status) {
		this.type = type;
		this.store = store;
		this.writer = writer;
		this.copier = copier;
		this.stamp = stamp;
		this.consistentReads = consistentReads;
		this.lists = lists;
		this.status = status;
		this.deletes = new OwnDeletes<>(type, store, writer, this::cached);
		this.ensures = new Ensures<>(type, store, writer, status, new EnsuresAccess());
	}

	/** Keeps nothing of the stores so far, as the shard gets another name. */
	void forgetStores() {
		this.consistentReads.forgetStores();
	}

	@Override
	public Optional<T> get(ObjectKey key, Freshness freshness) {
		OverlaidStore<T> read = this.store.get();
		String namespace = read.covered(key.namespace());
		if (freshness.isLatest() && freshness.version() == null) {
			return this.consistentReads.get(read, key, freshness).map(this.copier::copy);
		}
		return this.consistentReads.read(read, namespace, freshness, ConsistentReads.NONE, (view) -> get(view, key));
	}

	private Optional<T> get(StoreView<T> view, ObjectKey key) {
		// First, or what fits again meanwhile would be shown as it was before.
		ObjectMeta unfit = view.undecodable(key);
		if (unfit != null) {
			throw new UndecodableException(this.type, unfit);
		}
		T object = view.get(key);
		return (object != null) ? Optional.of(this.copier.copy(object)) : Optional.empty();
	}

	@Override
	public List<T> list(ListOptions options) {
		return this.lists.list(this.store.get(), options);
	}

	@Override
	public ObjectPage<T> page(ListOptions options) {
		return this.lists.page(this.store.get(), options);
	}

	@Override
	public List<T> byIndex(String index, String value, Freshness freshness) {
		Collection<T> found = this.consistentReads.read(this.store.get(), "", freshness, (unfit) -> true,
				(view) -> view.byIndex(index, value));
		List<T> copies = new ArrayList<>(found.size());
		for (T object : found) {
			copies.add(this.copier.copy(object));
		}
		return copies;
	}

	@Override
	public T create(T object) {
		T outgoing = this.copier.copy(object);
		this.stamp.onCreate(outgoing);
		String name = outgoing.getMetadata().getName();
		String prefix = Objects.requireNonNullElse(outgoing.getMetadata().getGenerateName(), "");
		String namespace = Objects.requireNonNullElse(outgoing.getMetadata().getNamespace(), "");
		return written(outgoing,
				new OwnWrite.Create<>(Writer.current(), (name != null) ? new ObjectKey(namespace, name) : null,
						(key) -> key.namespace().equals(namespace) && key.name().startsWith(prefix)),
				() -> this.writer.create(outgoing));
	}

	@Override
	public T update(T object) {
		T outgoing = this.copier.copy(object);
		T cached = cached(object);
		this.stamp.onChange(outgoing, cached);
		outgoing.getMetadata().setResourceVersion(versionFor("update", object, cached));
		return written(outgoing, locked(outgoing, outgoing.getMetadata().getResourceVersion()),
				() -> asAccepted(outgoing, outgoing.getMetadata().getResourceVersion(), this.writer.update(outgoing)));
	}

	@Override
	public T updateStatus(T object) {
		T outgoing = this.copier.copy(object);
		T cached = cached(object);
		this.stamp.onChange(outgoing, cached);
		outgoing.getMetadata().setResourceVersion(versionFor("update the status of", object, cached));
		return statusWritten(outgoing, locked(outgoing, outgoing.getMetadata().getResourceVersion()),
				() -> this.writer.updateStatus(outgoing));
	}

	@Override
	public T patch(T object, UnaryOperator<T> change) {
		T wanted = change.apply(this.copier.copy(object));
		this.stamp.onChange(wanted, object);
		String version = versionFor("patch", object, cached(object));
		Map<String, @Nullable Object> patch = MergePatch.between(this.writer.tree(object), this.writer.tree(wanted));
		if (patch.isEmpty()) {
			return this.copier.copy(object);
		}
		this.status.requireNoneIn("patch " + ObjectKey.of(object), patch, "patchStatus");
		insistOn(version, patch);
		return written(object, locked(object, version),
				() -> asAccepted(wanted, version, this.writer.patch(object, patch)));
	}

	@Override
	public T patchStatus(T object, UnaryOperator<T> change) {
		T wanted = change.apply(this.copier.copy(object));
		String version = versionFor("patch the status of", object, cached(object));
		Map<String, @Nullable Object> patch = MergePatch.between(this.writer.tree(object), this.writer.tree(wanted));
		if (patch.isEmpty()) {
			return this.copier.copy(object);
		}
		if (!patch.keySet().equals(Set.of("status"))) {
			throw new IllegalArgumentException(
					"Failed to patch the status of %s %s: the change is about %s, and only 'status' is written; use patch for the rest"
						.formatted(this.type, ObjectKey.of(object), patch.keySet()));
		}
		insistOn(version, patch);
		return statusWritten(object, locked(object, version), () -> this.writer.patchStatus(object, patch));
	}

	private static void insistOn(String version, Map<String, @Nullable Object> patch) {
		Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
		if (patch.get("metadata") instanceof Map<?, ?> changed) {
			changed.forEach((name, value) -> metadata.put((String) name, value));
		}
		metadata.put("resourceVersion", version);
		patch.put("metadata", metadata);
	}

	@Override
	public T ensure(HasMetadata owner, T wanted) {
		return this.ensures.object(owner, wanted);
	}

	@Override
	public T ensureStatus(T wanted) {
		return this.ensures.status(wanted);
	}

	@Override
	public T apply(T object) {
		return apply(object, true);
	}

	private T apply(T object, boolean force) {
		T outgoing = this.copier.copy(object);
		outgoing.getMetadata().setManagedFields(null);
		this.stamp.onChange(outgoing, cached(object));
		Map<?, ?> fields = this.writer.tree(outgoing);
		this.status.requireNoneIn("apply " + ObjectKey.of(object), fields, "applyStatus");
		return written(outgoing, applied(outgoing, fields), () -> this.writer.apply(outgoing, force));
	}

	@Override
	public T applyStatus(T object) {
		Map<?, ?> given = this.writer.tree(object);
		Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
		metadata.put("name", object.getMetadata().getName());
		if (this.type.namespaced()) {
			metadata.put("namespace", object.getMetadata().getNamespace());
		}
		if (object.getMetadata().getResourceVersion() != null) {
			metadata.put("resourceVersion", object.getMetadata().getResourceVersion());
		}
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put("apiVersion", this.type.apiVersion());
		fields.put("kind", this.type.kind());
		fields.put("metadata", metadata);
		if (given.get("status") != null) {
			fields.put("status", given.get("status"));
		}
		return statusWritten(object, applied(object, fields), () -> this.writer.applyStatus(object, fields));
	}

	private OwnWrite<ObjectKey, T> applied(T object, Map<?, ?> fields) {
		return new OwnWrite.Update<>(Writer.current(), ObjectKey.of(object), object.getMetadata().getResourceVersion(),
				new AppliedChange<>(fields, this.writer::tree));
	}

	@Override
	public void delete(T object, DeleteOptions options) {
		this.deletes.delete(object, options);
	}

	@Override
	public void evict(T pod, DeleteOptions options) {
		this.deletes.evict(pod, options);
	}

	@Override
	public int deleteCollection(ListOptions which, DeleteOptions options) {
		if (!which.versions().equals(VersionQuery.NONE)) {
			throw new IllegalArgumentException(
					"Failed to delete a collection of %s: versions and pages say nothing about what to delete"
						.formatted(this.type));
		}
		List<T> found = list(which.withoutCopying());
		found.forEach((object) -> delete(object, options));
		return found.size();
	}

	@Override
	public void handInDeleted(T object) {
		this.deletes.handIn(object);
	}

	@Override
	public void handIn(T object) {
		OverlaidStore<T> store = this.store.find();
		if (store != null) {
			store.overlay().handIn(this.copier.copy(object));
		}
	}

	/*
	 * What the caller gets is its own, what readers are shown is the overlay's.
	 */
	private T written(T target, OwnWrite<ObjectKey, T> write, Supplier<T> request) {
		OverlaidStore<T> found = this.store.find();
		T answer = (found != null) ? found.overlay().write(namespaceOf(target), write, request::get, null)
				: request.get();
		return this.copier.copy(Objects.requireNonNull(answer));
	}

	private T statusWritten(T target, OwnWrite<ObjectKey, T> write, Supplier<T> request) {
		try {
			return written(target, write, request);
		}
		catch (ApiException ex) {
			throw this.status.explained(ObjectKey.of(target), ex);
		}
	}

	/*
	 * Whoever takes the last finalizer off an object that is being deleted ends it. The
	 * API server then stores nothing, and its answer may show what it had stored before,
	 * finalizers included.
	 */
	private T asAccepted(T wanted, @Nullable String version, T answer) {
		ObjectMeta ended = answer.getMetadata();
		if (ended.getDeletionTimestamp() != null && Objects.equals(ended.getResourceVersion(), version)
				&& Objects.requireNonNullElse(wanted.getMetadata().getFinalizers(), List.of()).isEmpty()) {
			ended.setFinalizers(null);
		}
		return answer;
	}

	private static <S extends HasMetadata> OwnWrite<ObjectKey, S> locked(S target, @Nullable String version) {
		return new OwnWrite.Update<>(Writer.current(), ObjectKey.of(target), version, OwnChange.unknown());
	}

	private static String namespaceOf(HasMetadata object) {
		return Objects.requireNonNullElse(object.getMetadata().getNamespace(), "");
	}

	/* Who may only write a resource writes without knowing what is there. */
	private @Nullable T cached(T object) {
		if (object.getMetadata().getName() == null) {
			return null;
		}
		ObjectKey key = ObjectKey.of(object);
		OverlaidStore<T> read = this.store.get();
		if (read.informer().filling(key.namespace()) != Filling.REFUSED) {
			this.consistentReads.requireFilled(read, key.namespace());
		}
		return read.get(key);
	}

	private String versionFor(String operation, T object, @Nullable T cached) {
		String version = ResourceWriter.versionOf(object);
		if (version == null && cached != null) {
			version = cached.getMetadata().getResourceVersion();
		}
		if (version == null) {
			throw new IllegalArgumentException(
					"Failed to %s %s %s: it has no resource version and is not in the cache; start from an object that a cache returned, or use apply"
						.formatted(operation, this.type, ObjectKey.of(object)));
		}
		return version;
	}

	@Override
	public String toString() {
		return "ResourceCache[" + this.type + "]";
	}

	/**
	 * The writes of this cache for {@link Ensures}.
	 */
	private final class EnsuresAccess implements Ensures.Access<T> {

		@Override
		public T copy(T object) {
			return InformerCache.this.copier.copy(object);
		}

		@Override
		public @Nullable T cached(T object) {
			return InformerCache.this.cached(object);
		}

		@Override
		public T apply(T object, boolean force) {
			return InformerCache.this.apply(object, force);
		}

		@Override
		public T applyStatus(T object) {
			return InformerCache.this.applyStatus(object);
		}

	}

}

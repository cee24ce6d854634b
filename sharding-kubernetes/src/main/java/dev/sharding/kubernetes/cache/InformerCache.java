package dev.sharding.kubernetes.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.core.overlay.OwnChange;
import dev.sharding.core.overlay.OwnWrite;
import dev.sharding.kubernetes.informer.StoreView;
import dev.sharding.kubernetes.informer.UndecodableException;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiException;

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

	InformerCache(ResourceType<T> type, StoreLookup<T> store, ResourceWriter<T> writer, ObjectCopier copier,
			ShardingStamp stamp, ConsistentReads<T> consistentReads, CacheLists<T> lists) {
		this.type = type;
		this.store = store;
		this.writer = writer;
		this.copier = copier;
		this.stamp = stamp;
		this.consistentReads = consistentReads;
		this.lists = lists;
	}

	@Override
	public Optional<T> get(ObjectKey key, Freshness freshness) {
		if (freshness.deadline() != null && freshness.version() == null) {
			return this.consistentReads.get(this.store.get(), key, freshness).map(this.copier::copy);
		}
		return this.consistentReads.read(this.store.get(), freshness, ConsistentReads.NONE, (view) -> get(view, key));
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
		Collection<T> found = this.consistentReads.read(this.store.get(), freshness, (unfit) -> true,
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
		return written(outgoing, locked(outgoing), () -> this.writer.update(outgoing));
	}

	@Override
	public T updateStatus(T object) {
		T outgoing = this.copier.copy(object);
		outgoing.getMetadata().setResourceVersion(versionFor("update the status of", object, cached(object)));
		return written(outgoing, locked(outgoing), () -> this.writer.updateStatus(outgoing));
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
		Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
		if (patch.get("metadata") instanceof Map<?, ?> changed) {
			changed.forEach((name, value) -> metadata.put((String) name, value));
		}
		metadata.put("resourceVersion", version);
		patch.put("metadata", metadata);
		return written(object,
				new OwnWrite.Update<>(Writer.current(), ObjectKey.of(object), version, OwnChange.unknown()),
				() -> this.writer.patch(object, patch));
	}

	@Override
	public T apply(T object) {
		T outgoing = this.copier.copy(object);
		outgoing.getMetadata().setManagedFields(null);
		this.stamp.onChange(outgoing, cached(object));
		OwnChange<T> change = new AppliedChange<>(this.writer.tree(outgoing), this.writer::tree);
		return written(outgoing, new OwnWrite.Update<>(Writer.current(), ObjectKey.of(outgoing),
				outgoing.getMetadata().getResourceVersion(), change), () -> this.writer.apply(outgoing));
	}

	@Override
	public void delete(T object) {
		T outgoing = this.copier.copy(object);
		T cached = cached(object);
		if (outgoing.getMetadata().getResourceVersion() == null && cached != null) {
			outgoing.getMetadata().setResourceVersion(cached.getMetadata().getResourceVersion());
			outgoing.getMetadata().setUid(cached.getMetadata().getUid());
		}
		String uid = outgoing.getMetadata().getUid();
		OwnWrite<ObjectKey, T> write = new OwnWrite.Delete<>(Writer.current(), ObjectKey.of(outgoing), uid,
				outgoing.getMetadata().getResourceVersion());
		send(namespaceOf(outgoing), write, () -> deleted(outgoing), uid);
	}

	/** What is gone already is as good as deleted, for readers too. */
	private @Nullable T deleted(T outgoing) {
		try {
			return this.writer.delete(outgoing);
		}
		catch (ApiException ex) {
			if (ex.isNotFound(outgoing.getMetadata().getName())) {
				return null;
			}
			throw ex;
		}
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
		T answer = send(namespaceOf(target), write, request::get, null);
		return this.copier.copy(Objects.requireNonNull(answer));
	}

	private OwnWrite<ObjectKey, T> locked(T outgoing) {
		return new OwnWrite.Update<>(Writer.current(), ObjectKey.of(outgoing),
				outgoing.getMetadata().getResourceVersion(), OwnChange.unknown());
	}

	private @Nullable T send(String namespace, OwnWrite<ObjectKey, T> write, Supplier<@Nullable T> request,
			@Nullable String goneUid) {
		OverlaidStore<T> store = this.store.find();
		return (store != null) ? store.overlay().write(namespace, write, request, goneUid) : request.get();
	}

	private static String namespaceOf(HasMetadata object) {
		return Objects.requireNonNullElse(object.getMetadata().getNamespace(), "");
	}

	private @Nullable T cached(T object) {
		return (object.getMetadata().getName() != null) ? this.store.get().get(ObjectKey.of(object)) : null;
	}

	private String versionFor(String operation, T object, @Nullable T cached) {
		String version = object.getMetadata().getResourceVersion();
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

}

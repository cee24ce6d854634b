package dev.sharding.internal.kubernetes.cache;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.DeleteOptions;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.internal.kubernetes.cache.ResourceWriter.Preconditions;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.WriteAnswer;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Deletes and evicts objects of one resource, and tells the overlay what became of them.
 */
final class OwnDeletes<T extends HasMetadata> {

	private static final GroupResource PODS = new GroupResource("", "pods");

	private final ResourceType<T> type;

	private final StoreLookup<T> store;

	private final ResourceWriter<T> writer;

	private final Function<T, @Nullable T> known;

	/**
	 * Creates it.
	 * @param known finds an object that is there, and waits until the cache can tell
	 */
	OwnDeletes(ResourceType<T> type, StoreLookup<T> store, ResourceWriter<T> writer, Function<T, @Nullable T> known) {
		this.type = type;
		this.store = store;
		this.writer = writer;
		this.known = known;
	}

	void delete(T object, DeleteOptions options) {
		T cached = cached(object);
		Preconditions preconditions = preconditions("delete", object, cached, options);
		end(object, cached, preconditions, () -> this.writer.delete(object, options, preconditions));
	}

	void evict(T pod, DeleteOptions options) {
		if (!this.type.groupResource().equals(PODS)) {
			throw new IllegalArgumentException("Failed to evict %s %s: only Pods can be evicted; use delete"
				.formatted(this.type, ObjectKey.of(pod)));
		}
		T cached = cached(pod);
		Preconditions preconditions = preconditions("evict", pod, cached, options);
		end(pod, cached, preconditions, () -> this.writer.evict(pod, options, preconditions));
	}

	/** Somebody else in this process did it; what became of the object is not known. */
	void handIn(T object) {
		Preconditions none = new Preconditions(object.getMetadata().getUid(), null);
		end(object, null, none, () -> WriteAnswer.gone(null));
	}

	/*
	 * An object from scratch stands for the one that is seen under its name.
	 */
	private Preconditions preconditions(String operation, T object, @Nullable T cached, DeleteOptions options) {
		String uid = object.getMetadata().getUid();
		String version = ResourceWriter.versionOf(object);
		if (uid == null && version == null && cached != null) {
			uid = cached.getMetadata().getUid();
		}
		if (version == null && cached != null) {
			version = cached.getMetadata().getResourceVersion();
		}
		if (options.ifUnchanged() && version == null) {
			throw new IllegalArgumentException(
					"Failed to %s %s %s if it is unchanged: it has no resource version and is not in the cache"
						.formatted(operation, this.type, ObjectKey.of(object)));
		}
		return new Preconditions(uid, options.ifUnchanged() ? version : null);
	}

	private void end(T object, @Nullable T cached, Preconditions preconditions, Supplier<WriteAnswer<T>> request) {
		String known = ResourceWriter.versionOf(object);
		if (known == null && cached != null && Objects.equals(preconditions.uid(), cached.getMetadata().getUid())) {
			known = cached.getMetadata().getResourceVersion();
		}
		OwnWrite<ObjectKey, T> write = new OwnWrite.Delete<>(Writer.current(), ObjectKey.of(object),
				preconditions.uid(), known);
		String namespace = Objects.requireNonNullElse(object.getMetadata().getNamespace(), "");
		OverlaidStore<T> found = this.store.find();
		if (found != null) {
			found.overlay().write(namespace, write, () -> goneIfAbsent(object, preconditions, request));
		}
		else {
			goneIfAbsent(object, preconditions, request);
		}
	}

	/** What is gone already is as good as deleted, for readers too. */
	private WriteAnswer<T> goneIfAbsent(T object, Preconditions preconditions, Supplier<WriteAnswer<T>> request) {
		try {
			return request.get();
		}
		catch (ApiException ex) {
			if (ex.isNotFound(object.getMetadata().getName())) {
				return WriteAnswer.gone(preconditions.uid());
			}
			throw ex;
		}
	}

	/* Whoever says which version it is needs no cache. */
	private @Nullable T cached(T object) {
		return (ResourceWriter.versionOf(object) == null) ? this.known.apply(object) : null;
	}

}

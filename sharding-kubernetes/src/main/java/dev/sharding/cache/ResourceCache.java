package dev.sharding.cache;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.resource.ObjectKey;

/**
 * The objects of one resource as this process sees them: in a shard, those that it owns.
 * Reads are answered from memory and see every write that returned before they began, in
 * whatever form; writes go to the API server. Safe for use by many threads.
 *
 * <p>
 * As long as the resource was never listed, reads, and writes that need to know what is
 * there, wait for that, for at most 10 s unless their {@link Freshness} says otherwise.
 * They end with a {@link CacheNotFilledException} if it does not come in time, and at
 * once where to wait would not help; never with an answer. A read of a namespace outside
 * those that the caches cover ends with a {@link NamespaceNotCoveredException}.
 *
 * <p>
 * Objects are copies: whoever gets one may modify it, and a later read does not see that
 * (unless {@link ListOptions#withoutCopying()} asked for the objects themselves). Writes
 * never modify their argument; they return what the API server made of it.
 *
 * <p>
 * Updates and patches carry the resource version of the object that they are given, or
 * else that of the cached one, so a write that was decided on an outdated state fails
 * with 409; deletes carry its uid, and its version where that is asked for. Writes never
 * change sharding labels: those of the cached object are kept, also when the given copy
 * has lost them, and in a shard an object whose controller owner is one of the shard's
 * main objects gets the shard's label when it is created. A write is sent once and not
 * retried; it fails with {@link dev.sharding.client.ApiException}, whose status 0 says
 * that the outcome is unknown; the next read of such an object then asks the API server,
 * and fails as a request does.
 *
 * @param <T> the class of the objects
 */
public interface ResourceCache<T extends HasMetadata> {

	/**
	 * The object with a name.
	 * @param namespace its namespace, empty for cluster scope
	 * @param name its name
	 * @return a copy, or empty if this process sees no such object
	 */
	default Optional<T> get(String namespace, String name) {
		return get(new ObjectKey(namespace, name), Freshness.READ_YOUR_WRITES);
	}

	/**
	 * The object with a key.
	 * @param key namespace and name
	 * @param freshness how fresh the answer must be
	 * @return a copy, or empty if this process sees no such object
	 * @throws dev.sharding.internal.kubernetes.informer.wire.UndecodableException if the
	 * object does not fit its class as it is now; lists show its last state that did
	 */
	Optional<T> get(ObjectKey key, Freshness freshness);

	/**
	 * All objects.
	 * @return copies, in no particular order
	 */
	default List<T> list() {
		return list(ListOptions.all());
	}

	/**
	 * Some objects.
	 * @param options which and how
	 * @return the objects, in no particular order
	 * @throws dev.sharding.internal.kubernetes.informer.wire.UndecodableException if the
	 * freshness, a version or a page asks for a state that one of them cannot be shown
	 * in, as it does not fit its class
	 */
	List<T> list(ListOptions options);

	/**
	 * Some objects, with the version that they stand for. What there was at a version
	 * ({@link ListOptions#resourceVersion}), and pages of that, come from the API server;
	 * everything else comes from memory and has one page.
	 * @param options which and how
	 * @return the objects, in no particular order
	 * @throws IllegalArgumentException if the options contradict each other
	 */
	ObjectPage<T> page(ListOptions options);

	/**
	 * The objects that an index files under a value.
	 * @param index a name that was given to {@link ResourceCaches#index}
	 * @param value the value
	 * @return copies, in no particular order
	 */
	default List<T> byIndex(String index, String value) {
		return byIndex(index, value, Freshness.READ_YOUR_WRITES);
	}

	/**
	 * The objects that an index files under a value.
	 * @param index a name that was given to {@link ResourceCaches#index}
	 * @param value the value
	 * @param freshness how fresh the answer must be
	 * @return copies, in no particular order
	 */
	List<T> byIndex(String index, String value, Freshness freshness);

	/**
	 * Creates an object.
	 * @param object with a name, or a {@code generateName}
	 * @return what was created
	 */
	T create(T object);

	/**
	 * Replaces an object, all but its status where that is a subresource.
	 * @param object the wanted state, usually a modified copy from this cache
	 * @return the new state
	 */
	T update(T object);

	/**
	 * Sends what {@code change} changes as a merge patch; nothing if it changes nothing.
	 * @param object the state to start from, usually from this cache
	 * @param change gets a copy and returns the wanted state, which may be the same
	 * object, modified
	 * @return the new state
	 * @throws IllegalArgumentException if it changes a status that is a subresource,
	 * which the API server would ignore
	 */
	T patch(T object, UnaryOperator<T> change);

	/**
	 * Replaces the status of an object, where that is a subresource.
	 * @param object with the wanted status
	 * @return the new state
	 * @throws NoStatusSubresourceException if the resource has none
	 */
	T updateStatus(T object);

	/**
	 * As {@link #patch}, for the status, where that is a subresource.
	 * @param object the state to start from, usually from this cache
	 * @param change gets a copy and returns the wanted state, which may be the same
	 * object, modified
	 * @return the new state
	 * @throws NoStatusSubresourceException if the resource has none
	 * @throws IllegalArgumentException if it changes anything but the status
	 */
	T patchStatus(T object, UnaryOperator<T> change);

	/**
	 * Applies an object on the server side, as the field manager of this process, taking
	 * over fields that others own. A resource version is sent only if the object has one.
	 * @param object the wanted fields, and no others
	 * @return the new state
	 * @throws IllegalArgumentException if it has a status that is a subresource, which
	 * the API server would ignore
	 */
	T apply(T object);

	/**
	 * As {@link #apply}, for the status, where that is a subresource. Nothing else of the
	 * object is sent but its name, its namespace and, if it has one, its resource
	 * version.
	 * @param object with the wanted fields of the status, and no others
	 * @return the new state
	 * @throws NoStatusSubresourceException if the resource has none
	 */
	T applyStatus(T object);

	/**
	 * Has an object look as wanted that {@code owner} controls. It is applied on the
	 * server side, with a controller reference to the owner and the shard's label, if it
	 * is not there, if what is wanted has changed, or if somebody else has changed a
	 * wanted field; otherwise nothing is sent. Fields that are not wanted are left to
	 * others, and those that no longer are wanted are given up. An object that is being
	 * deleted is left alone: once it is gone, its owner is reconciled again.
	 *
	 * <p>
	 * The annotation {@value dev.sharding.internal.core.wanted.WantedFields#ANNOTATION}
	 * holds a fingerprint of what was applied last. A wanted value that the API server
	 * writes in another way, such as a quantity, costs one apply that changes nothing
	 * after each start of the process.
	 * @param owner the controller: the object that is reconciled, as a cache returned it
	 * @param wanted the wanted fields, and no others, under a name that is the same each
	 * time; without a namespace it gets the owner's. It needs no owner reference
	 * @return the object as it is now
	 * @throws InvalidOwnershipException if {@code owner} cannot own it, as it is in
	 * another namespace, or if there is an object of this name that it does not control
	 * @throws IllegalArgumentException if it has a status that is a subresource
	 */
	T ensure(HasMetadata owner, T wanted);

	/**
	 * Has the status of an object look as wanted, where that is a subresource: it is
	 * applied if it differs from the one that the cache shows, otherwise nothing is sent.
	 * Fields of the status that others have applied stay. A resource version is not sent,
	 * so this does not conflict with changes of the specification. If another object has
	 * taken its place under its name, with another uid, nothing is sent.
	 * @param wanted with the whole wanted status, usually the object that is reconciled
	 * @return the object as it is now
	 * @throws NoStatusSubresourceException if the resource has none
	 */
	T ensureStatus(T wanted);

	/**
	 * Deletes an object, in whatever state it is, and its dependents in the background.
	 * See {@link #delete(HasMetadata, DeleteOptions)}.
	 * @param object the object to delete
	 */
	default void delete(T object) {
		delete(object, DeleteOptions.defaults());
	}

	/**
	 * Deletes an object, if it still is the one that is given, or else the cached one: a
	 * namesake with another uid makes it fail with 409. It is no error if the object is
	 * already gone. What has finalizers, a grace period or dependents to wait for is seen
	 * with a deletion timestamp from now on, everything else not at all.
	 * @param object the object to delete
	 * @param options how
	 */
	void delete(T object, DeleteOptions options);

	/**
	 * Evicts a Pod, in the same way as it is deleted, unless a disruption budget is
	 * against it: then it fails with 429, and nothing has changed. One read follows, as
	 * the API server does not say what became of the Pod.
	 * @param pod the Pod to evict
	 * @param options how
	 * @throws IllegalArgumentException if this is no cache of Pods
	 */
	void evict(T pod, DeleteOptions options);

	/**
	 * Deletes the objects that a list would show, one after the other. It is not the
	 * {@code deletecollection} of the API server, as that chooses only after it was sent
	 * what it deletes: by then, some of it may be another shard's. The first one that
	 * fails ends it; what is left can still be listed.
	 * @param which which objects; no versions, no pages
	 * @param options how
	 * @return how many were deleted
	 */
	int deleteCollection(ListOptions which, DeleteOptions options);

	/**
	 * Takes an object that the API server returned to a client of the caller, so that
	 * reads see it at once.
	 * @param object the answer to a read or a write, with its resource version
	 */
	void handIn(T object);

	/**
	 * Takes the news that a client of the caller deleted an object, or evicted it: the
	 * next read asks the API server what became of it.
	 * @param object the object as it was, with its name and, if known, its uid
	 */
	void handInDeleted(T object);

}

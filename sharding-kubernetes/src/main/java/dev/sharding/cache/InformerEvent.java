package dev.sharding.cache;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;

/**
 * What happened in a store. For one object, events come in version order and lead from
 * each state that was stored to the next; states in between may be skipped.
 *
 * @param <T> the class of the objects
 */
public sealed interface InformerEvent<T extends HasMetadata> {

	/**
	 * An object is in the scope that was not there.
	 *
	 * @param <T> the class of the objects
	 * @param object the object
	 * @param initial whether it belongs to the first list, or to what was stored when the
	 * handler was added
	 */
	record Added<T extends HasMetadata>(T object, boolean initial) implements InformerEvent<T> {
	}

	/**
	 * An object changed and is still in the scope.
	 *
	 * @param <T> the class of the objects
	 * @param before the state stored until now
	 * @param after the state stored from now on
	 * @param relist whether the change was learnt from a relist, so that several changes
	 * may have become one
	 */
	record Updated<T extends HasMetadata>(T before, T after, boolean relist) implements InformerEvent<T> {
	}

	/**
	 * An object is no longer in the scope: it was deleted, or it lost what the selectors
	 * ask for. Which of the two, only the API server can tell.
	 *
	 * @param <T> the class of the objects
	 * @param last the last state known
	 * @param finalStateUnknown whether it was learnt from a relist or from a namesake, so
	 * that {@code last} may be older than what was removed
	 */
	record Removed<T extends HasMetadata>(T last, boolean finalStateUnknown) implements InformerEvent<T> {
	}

	/**
	 * An object is in the scope in a state that does not fit its class. The store keeps
	 * the last state that did, if there was one. {@link Updated} or {@link Added} tells
	 * when it fits again.
	 *
	 * @param <T> the class of the objects
	 * @param metadata what is known of its present state; without labels if not even the
	 * metadata fit
	 */
	record Undecodable<T extends HasMetadata>(ObjectMeta metadata) implements InformerEvent<T> {
	}

	/**
	 * The scope is about to be listed: until {@link RelistFinished} the store stands
	 * still.
	 *
	 * @param <T> the class of the objects
	 * @param namespace the namespace concerned; empty for all namespaces
	 */
	record RelistStarted<T extends HasMetadata>(String namespace) implements InformerEvent<T> {
	}

	/**
	 * The store holds the list; its changes came just before this event.
	 *
	 * @param <T> the class of the objects
	 * @param namespace the namespace concerned; empty for all namespaces
	 * @param version the resource version of the list
	 */
	record RelistFinished<T extends HasMetadata>(String namespace, String version) implements InformerEvent<T> {
	}

	/**
	 * Nothing changed in the scope up to this version that was not told before.
	 *
	 * @param <T> the class of the objects
	 * @param namespace the namespace concerned; empty for all namespaces
	 * @param version the resource version
	 */
	record Bookmark<T extends HasMetadata>(String namespace, String version) implements InformerEvent<T> {
	}

}

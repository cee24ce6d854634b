package dev.sharding.internal.kubernetes.informer.store;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The objects that own writes of late brought, as the watch tells each of them once more.
 * Keeps none alive: as long as the watch has not told, the reads of one's own writes do.
 * An object that another one drives from its place is merely parsed again. Safe for use
 * by many threads.
 *
 * @param <T> the class of the objects
 */
public final class OwnAnswers<T extends HasMetadata> {

	private static final int PLACES = 256;

	private volatile AtomicReferenceArray<WeakReference<T>> places = new AtomicReferenceArray<>(PLACES);

	private volatile boolean empty = true;

	/** Whether there never was an own write. */
	boolean isEmpty() {
		return this.empty;
	}

	/**
	 * Takes a whole object.
	 * @param object nobody may change it any more
	 */
	public void add(T object) {
		this.places.set(place(ObjectKey.of(object)), new WeakReference<>(object));
		this.empty = false;
	}

	/**
	 * The object in this very state, {@code null} if it is not there. Only comparable
	 * versions are sure to name one state.
	 */
	@Nullable T find(ObjectFacts facts) {
		WeakReference<T> answer = this.places.get(place(facts.key()));
		T object = (answer != null) ? answer.get() : null;
		return (object != null && ResourceVersions.isComparable(facts.version())
				&& ObjectFacts.of(object).equals(facts)) ? object : null;
	}

	/** Forgets all, as versions name other states from now on. */
	void forget() {
		this.places = new AtomicReferenceArray<>(PLACES);
	}

	private static int place(ObjectKey key) {
		int hash = key.hashCode();
		return (hash ^ (hash >>> 16)) & (PLACES - 1);
	}

}

package dev.sharding.internal.core.overlay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * All corrections of one moment, for readers of lists. Immutable; take it before the
 * store is read.
 *
 * @param <K> the key
 * @param <T> the object
 */
public final class ReadView<K, T> {

	private final ObjectAccess<K, T> access;

	private final Map<K, Correction<K, T>> corrections;

	private final Map<Long, Optional<K>> doubts;

	ReadView(ObjectAccess<K, T> access, Map<K, Correction<K, T>> corrections, Map<Long, Optional<K>> doubts) {
		this.access = access;
		this.corrections = corrections;
		this.doubts = doubts;
	}

	/**
	 * Corrects a list that was read from the store.
	 * @param matches the objects of the store that match
	 * @param predicate what the list asks for (namespace, labels, an index value),
	 * applied to objects that come from own writes
	 * @param store the object of a key in the same snapshot of the store
	 * @param watermark how far that snapshot reaches
	 * @return the objects that the reader sees ({@code matches} itself if there is
	 * nothing to correct, never {@code null}), or the demand to ask the API server if any
	 * write is in doubt: it may be one of a match
	 */
	public Sight<K, Collection<T>> list(Collection<T> matches, Predicate<? super T> predicate, Lookup<K, T> store,
			@Nullable String watermark) {
		if (!this.doubts.isEmpty()) {
			return new Sight.AskServer<>(this.doubts);
		}
		if (this.corrections.isEmpty()) {
			return new Sight.Known<>(matches);
		}
		List<T> seen = new ArrayList<>(matches.size() + this.corrections.size());
		for (T match : matches) {
			if (!this.corrections.containsKey(this.access.key(match))) {
				seen.add(match);
			}
		}
		for (Map.Entry<K, Correction<K, T>> entry : this.corrections.entrySet()) {
			Sight<K, T> sight = entry.getValue().apply(store.get(entry.getKey()), watermark);
			if (sight instanceof Sight.AskServer<K, T> ask) {
				return new Sight.AskServer<>(ask.writes());
			}
			T object = ((Sight.Known<K, T>) sight).result();
			if (object != null && predicate.test(object)) {
				seen.add(object);
			}
		}
		return new Sight.Known<>(seen);
	}

	/**
	 * Finds an object.
	 *
	 * @param <K> the key
	 * @param <T> the object
	 */
	@FunctionalInterface
	public interface Lookup<K, T> {

		/**
		 * Returns the object with a key, or {@code null} if there is none.
		 */
		@Nullable T get(K key);

	}

}

package dev.sharding.internal.kubernetes.informer.wire;

import java.io.Serializable;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A few entries in one array, in the order in which they came: a fraction of what a table
 * with its nodes takes. Cannot be changed. Safe for use by many threads.
 *
 * @param <K> the keys
 * @param <V> the values
 */
final class CompactMap<K, V> extends AbstractMap<K, V> implements Serializable {

	/** With more entries than this a table finds one sooner. */
	static final int MOST = 8;

	private static final long serialVersionUID = 1L;

	/** Keys, each followed by its value. */
	@SuppressWarnings("serial")
	private final @Nullable Object[] pairs;

	/**
	 * Creates a map.
	 * @param pairs different keys, each followed by its value; not changed any more
	 */
	CompactMap(@Nullable Object[] pairs) {
		this.pairs = pairs;
	}

	static @Nullable Object[] pairs(Map<?, ?> map) {
		@Nullable Object[] pairs = new @Nullable Object[2 * map.size()];
		int i = 0;
		for (Map.Entry<?, ?> entry : map.entrySet()) {
			pairs[i++] = entry.getKey();
			pairs[i++] = entry.getValue();
		}
		return pairs;
	}

	/** Whether these entries are there in this order, and no others. */
	boolean has(@Nullable Object[] others) {
		return Arrays.equals(this.pairs, others);
	}

	@Override
	public int size() {
		return this.pairs.length / 2;
	}

	@Override
	public boolean containsKey(@Nullable Object key) {
		return place(key) >= 0;
	}

	@Override
	public @Nullable V get(@Nullable Object key) {
		int place = place(key);
		return (place >= 0) ? value(place) : null;
	}

	private int place(@Nullable Object key) {
		for (int i = 0; i < this.pairs.length; i += 2) {
			if (Objects.equals(key, this.pairs[i])) {
				return i;
			}
		}
		return -1;
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	private K key(int place) {
		return (K) this.pairs[place];
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	private V value(int place) {
		return (V) this.pairs[place + 1];
	}

	@Override
	public Set<Map.Entry<K, V>> entrySet() {
		return new AbstractSet<>() {

			@Override
			public int size() {
				return CompactMap.this.size();
			}

			@Override
			public Iterator<Map.Entry<K, V>> iterator() {
				return new Entries();
			}

		};
	}

	private final class Entries implements Iterator<Map.Entry<K, V>> {

		private int next;

		@Override
		public boolean hasNext() {
			return this.next < CompactMap.this.pairs.length;
		}

		@Override
		public Map.Entry<K, V> next() {
			if (!hasNext()) {
				throw new NoSuchElementException();
			}
			int place = this.next;
			this.next += 2;
			return new SimpleImmutableEntry<>(key(place), value(place));
		}

	}

}

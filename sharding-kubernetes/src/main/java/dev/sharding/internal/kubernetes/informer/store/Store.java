package dev.sharding.internal.kubernetes.informer.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an informer's scope in memory. Safe for many readers. A read of one key
 * never waits; every other read sees the store between two events, never within a relist.
 *
 * @param <T> the class of the objects
 */
public final class Store<T extends HasMetadata> implements StoreView<T> {

	private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

	private final Map<ObjectKey, T> objects = new ConcurrentHashMap<>();

	private final Map<String, Index<T>> indexes = new LinkedHashMap<>();

	private final List<StorePart<T>> parts = new ArrayList<>();

	private final List<Consumer<InformerEvent<T>>> announced = new ArrayList<>();

	private final Consumer<InformerEvent<T>> events;

	private final OwnAnswers<T> answers = new OwnAnswers<>();

	/**
	 * Creates an empty store.
	 * @param namespaces one part each; empty for a single part over all
	 * @param indexers index name to values
	 * @param events gets every event, under the lock and before anybody can read the
	 * change, but for those who read one key
	 */
	public Store(Set<String> namespaces, Map<String, Function<T, Collection<String>>> indexers,
			Consumer<InformerEvent<T>> events) {
		this.events = events;
		indexers.forEach((name, values) -> this.indexes.put(name, new Index<>(name, values)));
		for (String namespace : namespaces.isEmpty() ? Set.of("") : namespaces) {
			this.parts.add(new StorePart<>(this, namespace));
		}
	}

	@Override
	public @Nullable T get(ObjectKey key) {
		return this.objects.get(key);
	}

	@Override
	public List<T> list() {
		return read(() -> new ArrayList<>(this.objects.values()));
	}

	@Override
	public List<T> list(String namespace) {
		return read(() -> {
			List<T> found = new ArrayList<>();
			this.objects.forEach((key, object) -> {
				if (key.namespace().equals(namespace)) {
					found.add(object);
				}
			});
			return found;
		});
	}

	@Override
	public List<T> byIndex(String index, String value) {
		Index<T> asked = this.indexes.get(index);
		if (asked == null) {
			throw new IllegalArgumentException("No index '%s' (there are %s)".formatted(index, this.indexes.keySet()));
		}
		return read(() -> {
			List<ObjectKey> keys = asked.get(value);
			List<T> found = new ArrayList<>(keys.size());
			for (ObjectKey key : keys) {
				T object = this.objects.get(key);
				if (object != null) {
					found.add(object);
				}
			}
			return found;
		});
	}

	@Override
	public int size() {
		return this.objects.size();
	}

	@Override
	public @Nullable String watermark() {
		return read(() -> {
			String oldest = this.parts.get(0).watermark();
			for (StorePart<T> part : this.parts) {
				String version = part.watermark();
				if (oldest == null || version == null) {
					return null;
				}
				oldest = (ResourceVersions.compare(version, oldest) == Order.BEFORE) ? version : oldest;
			}
			return oldest;
		});
	}

	@Override
	public @Nullable String watermark(String namespace) {
		for (StorePart<T> part : this.parts) {
			if (part.contains(namespace)) {
				return part.watermark();
			}
		}
		return null;
	}

	@Override
	public @Nullable ObjectMeta undecodable(ObjectKey key) {
		for (StorePart<T> part : this.parts) {
			if (part.contains(key.namespace())) {
				return part.undecodable().get(key);
			}
		}
		return null;
	}

	@Override
	public List<ObjectMeta> undecodable() {
		List<ObjectMeta> all = new ArrayList<>();
		this.parts.forEach((part) -> all.addAll(part.undecodable().values()));
		return all;
	}

	/**
	 * Reads several things of one and the same state: nothing changes while
	 * {@code reading} runs, so it must be quick.
	 * @param <R> what is read
	 * @param reading gets the state
	 * @return what {@code reading} returned
	 */
	public <R extends @Nullable Object> R read(Function<StoreView<T>, R> reading) {
		return read(() -> reading.apply(this));
	}

	private <R extends @Nullable Object> R read(Supplier<R> reading) {
		this.lock.readLock().lock();
		try {
			return reading.get();
		}
		finally {
			this.lock.readLock().unlock();
		}
	}

	/** Has somebody hear, under the lock, of what is put before anybody can read it. */
	public void announceTo(Consumer<InformerEvent<T>> listener) {
		this.announced.add(listener);
	}

	public List<StorePart<T>> parts() {
		return this.parts;
	}

	/** What own writes brought, which the store does not show before the watch does. */
	public OwnAnswers<T> answers() {
		return this.answers;
	}

	/**
	 * The object in this very state, if the watch told of it after {@code before} was
	 * what the store had. What was there before does not do: if etcd was restored since,
	 * its version may name another state. Only comparable versions are sure to name one.
	 */
	public @Nullable T toldSince(@Nullable T before, ObjectFacts facts) {
		T object = this.objects.get(facts.key());
		return (object != null && object != before && ResourceVersions.isComparable(facts.version())
				&& ObjectFacts.of(object).equals(facts)) ? object : null;
	}

	/** Runs {@code change} while nobody else reads or writes. */
	public void write(Runnable change) {
		this.lock.writeLock().lock();
		try {
			change.run();
		}
		finally {
			this.lock.writeLock().unlock();
		}
	}

	/**
	 * Where the indexes are to file an object. Runs user code, so call it without the
	 * lock; does not fail.
	 */
	List<Filing> file(ObjectKey key, T object) {
		if (this.indexes.isEmpty()) {
			return List.of();
		}
		List<Filing> filings = new ArrayList<>(this.indexes.size());
		this.indexes.values().forEach((index) -> filings.add(index.file(key, object)));
		return filings;
	}

	/** How many objects there are that an index function failed for. */
	public int unindexed() {
		Set<ObjectKey> failing = new HashSet<>();
		this.indexes.values().forEach((index) -> failing.addAll(index.failing()));
		return failing.size();
	}

	/**
	 * Puts an object, which {@code event} tells of.
	 * @param alongside what else changes before anybody is told
	 */
	void put(ObjectKey key, T object, List<Filing> filings, Runnable alongside, InformerEvent<T> event) {
		this.announced.forEach((listener) -> listener.accept(event));
		this.objects.put(key, object);
		Iterator<Filing> filing = filings.iterator();
		this.indexes.values().forEach((index) -> index.put(key, filing.next()));
		alongside.run();
		emit(event);
	}

	void remove(ObjectKey key) {
		if (this.objects.remove(key) != null) {
			this.indexes.values().forEach((index) -> index.remove(key));
		}
	}

	void emit(InformerEvent<T> event) {
		this.events.accept(event);
	}

	public Map<ObjectKey, T> objects() {
		return this.objects;
	}

}

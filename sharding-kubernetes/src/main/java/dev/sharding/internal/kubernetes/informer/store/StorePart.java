package dev.sharding.internal.kubernetes.informer.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * The part of a store that one list and watch feeds: the rules by which what came over
 * the wire becomes state, events and watermark. The watermark moves only after the state
 * has, under the same lock.
 *
 * @param <T> the class of the objects
 */
public final class StorePart<T extends HasMetadata> {

	private final Store<T> store;

	private final String namespace;

	private final List<Expectation> expectations = new ArrayList<>();

	private final List<Runnable> afterNextRelist = new ArrayList<>();

	private final List<Runnable> afterThisRelist = new ArrayList<>();

	private final Map<ObjectKey, ObjectMeta> undecodable = new ConcurrentHashMap<>();

	private volatile @Nullable String watermark;

	private volatile long relists;

	private volatile boolean relisting;

	StorePart(Store<T> store, String namespace) {
		this.store = store;
		this.namespace = namespace;
	}

	/** The namespace, or empty for all. */
	public String namespace() {
		return this.namespace;
	}

	public boolean contains(String other) {
		return this.namespace.isEmpty() || this.namespace.equals(other);
	}

	public @Nullable String watermark() {
		return this.watermark;
	}

	/** About how many objects there are. */
	int held() {
		return this.store.size();
	}

	public long relists() {
		return this.relists;
	}

	/** Whether a list is under way, over failures in between. */
	public boolean isRelisting() {
		return this.relisting;
	}

	/** An object was added or modified. */
	void put(T object) {
		ObjectFacts facts = ObjectFacts.of(object);
		List<Filing> filings = this.store.file(facts.key(), object);
		this.store.write(() -> {
			if (isKnown(facts.version())) {
				return;
			}
			store(facts.key(), object, filings, false, false);
			this.undecodable.remove(facts.key());
			advance(facts.version());
			this.expectations.forEach((expectation) -> expectation.put(facts.key(), facts.version(), labels(object)));
			settle();
		});
	}

	/** An object was deleted or left the scope; {@code object} is its last state. */
	void remove(T object) {
		ObjectFacts facts = ObjectFacts.of(object);
		this.store.write(() -> {
			if (isKnown(facts.version())) {
				return;
			}
			T before = this.store.get(facts.key());
			if (before != null) {
				this.store.remove(facts.key());
				boolean namesake = !ObjectFacts.of(before).uid().equals(facts.uid());
				this.store.emit(new InformerEvent.Removed<>(namesake ? before : object, namesake));
			}
			this.undecodable.remove(facts.key());
			removed(facts);
		});
	}

	/**
	 * An object was put or removed that does not fit its class: the store keeps what it
	 * has, and tells the metadata.
	 */
	void skip(ObjectMeta metadata, boolean deleted) {
		ObjectFacts facts = ObjectFacts.of(metadata);
		this.store.write(() -> {
			if (isKnown(facts.version())) {
				return;
			}
			if (deleted) {
				T before = this.store.get(facts.key());
				if (before != null) {
					this.store.remove(facts.key());
					this.store.emit(new InformerEvent.Removed<>(before, true));
				}
				this.undecodable.remove(facts.key());
				removed(facts);
				return;
			}
			this.undecodable.put(facts.key(), metadata);
			this.store.emit(new InformerEvent.Undecodable<>(metadata));
			advance(facts.version());
			this.expectations
				.forEach((expectation) -> expectation.put(facts.key(), facts.version(), metadata.getLabels()));
			settle();
		});
	}

	private void removed(ObjectFacts facts) {
		advance(facts.version());
		this.expectations.forEach((expectation) -> expectation.remove(facts.key(), facts.version()));
		settle();
	}

	/** Everything up to {@code version} has been told. */
	void bookmark(String version) {
		this.store.write(() -> {
			if (!isKnown(version)) {
				advance(version);
				this.store.emit(new InformerEvent.Bookmark<>(this.namespace, version));
				settle();
			}
		});
	}

	/**
	 * A list begins, perhaps after one that failed: whoever waits for a list that starts
	 * later than its call waits for this one, and is told of the first only.
	 */
	void relistStarted() {
		this.store.write(() -> {
			this.afterThisRelist.addAll(this.afterNextRelist);
			this.afterNextRelist.clear();
			if (!this.relisting) {
				this.relisting = true;
				this.store.emit(new InformerEvent.RelistStarted<>(this.namespace));
			}
		});
	}

	/** The scope holds exactly what was listed. */
	void replace(ListResult<T> listed) {
		Map<ObjectKey, List<Filing>> filings = new HashMap<>();
		listed.objects().forEach((key, object) -> {
			if (isNew(key, object)) {
				filings.put(key, this.store.file(key, object));
			}
		});
		this.store.write(() -> {
			boolean initial = this.watermark == null;
			for (Map.Entry<ObjectKey, T> entry : initial ? Map.<ObjectKey, T>of().entrySet()
					: this.store.objects().entrySet()) {
				ObjectKey key = entry.getKey();
				if (contains(key.namespace()) && !listed.contains(key)) {
					this.store.remove(key);
					this.store.emit(new InformerEvent.Removed<>(entry.getValue(), true));
				}
			}
			listed.objects().forEach((key, object) -> store(key, object, filings.get(key), initial, true));
			replaceUndecodable(listed.undecodable());
			if (ResourceVersions.compare(listed.version(), this.watermark) == Order.BEFORE) {
				// What was written after the backup is lost, and its versions come again.
				this.store.answers().forget();
			}
			// Taken as it is: after a restore of etcd it may be older than what we had.
			this.watermark = listed.version();
			this.relists++;
			this.relisting = false;
			this.store.emit(new InformerEvent.RelistFinished<>(this.namespace, listed.version()));
			this.expectations.forEach(this::compare);
			settle();
			this.afterThisRelist.forEach(Runnable::run);
			this.afterThisRelist.clear();
		});
	}

	private void replaceUndecodable(Map<ObjectKey, ObjectMeta> listed) {
		this.undecodable.keySet().retainAll(listed.keySet());
		listed.forEach((key, metadata) -> {
			ObjectMeta before = this.undecodable.put(key, metadata);
			if (before == null || !ObjectFacts.of(before).equals(ObjectFacts.of(metadata))) {
				this.store.emit(new InformerEvent.Undecodable<>(metadata));
			}
		});
	}

	/**
	 * What the store has, if in this very state. Only the thread of the part changes
	 * that.
	 */
	@Nullable T stored(ObjectFacts facts) {
		T object = this.store.get(facts.key());
		return (object != null && ObjectFacts.of(object).equals(facts)) ? object : null;
	}

	/**
	 * What this process has already in this very state: in the store, or from the answer
	 * to an own write.
	 */
	@Nullable T known(ObjectFacts facts) {
		T stored = stored(facts);
		return (stored != null) ? stored : this.store.answers().find(facts);
	}

	/** Whether there may be more than the store has. */
	boolean hasAnswers() {
		return !this.store.answers().isEmpty();
	}

	/** A relist hands in again what is stored already. */
	private boolean isNew(ObjectKey key, T object) {
		return this.store.get(key) != object && stored(ObjectFacts.of(object)) == null;
	}

	private void store(ObjectKey key, T object, @Nullable List<Filing> filings, boolean initial, boolean relist) {
		if (filings == null || !isNew(key, object)) {
			return;
		}
		T before = this.store.get(key);
		// Not earlier, for who looks at this first and then at the object.
		Runnable fits = () -> this.undecodable.remove(key);
		if (before == null) {
			this.store.put(key, object, filings, fits, new InformerEvent.Added<>(object, initial));
		}
		else if (!ObjectFacts.of(before).uid().equals(ObjectFacts.of(object).uid())) {
			this.store.remove(key);
			this.store.emit(new InformerEvent.Removed<>(before, true));
			this.store.put(key, object, filings, fits, new InformerEvent.Added<>(object, false));
		}
		else {
			this.store.put(key, object, filings, fits, new InformerEvent.Updated<>(before, object, relist));
		}
	}

	/**
	 * Waits until the store has everything that {@code expectation} lists, and will keep
	 * it. {@link Expectation#satisfied()} runs under the lock, at once if nothing is
	 * missing, but while a list is under way only for what the watermark covers.
	 */
	void expect(Expectation expectation) {
		this.store.write(() -> {
			compare(expectation);
			this.expectations.add(expectation);
			settle();
		});
	}

	/** Whoever waited for {@code expectation} no longer does. */
	void forget(Expectation expectation) {
		this.store.write(() -> this.expectations.remove(expectation));
	}

	/** What the part holds at its watermark; {@code null} before the first list. */
	public @Nullable MetadataSnapshot versions() {
		return this.store.read((view) -> {
			String reached = this.watermark;
			if (reached == null) {
				return null;
			}
			Map<ObjectKey, String> held = new HashMap<>();
			this.store.objects().forEach((key, object) -> {
				if (contains(key.namespace())) {
					held.put(key, ObjectFacts.of(object).version());
				}
			});
			this.undecodable.forEach((key, metadata) -> held.put(key, ObjectFacts.of(metadata).version()));
			return new MetadataSnapshot(reached, held);
		});
	}

	/**
	 * Runs {@code action} under the lock after a list that starts later than this call.
	 */
	public void afterNextRelist(Runnable action) {
		this.store.write(() -> this.afterNextRelist.add(action));
	}

	/** The metadata of objects that do not fit their class. May be read by any thread. */
	public Map<ObjectKey, ObjectMeta> undecodable() {
		return this.undecodable;
	}

	private void compare(Expectation expectation) {
		if (!expectation.isOfObjects()) {
			// The watermark alone tells, and nobody can be served during the walk.
			return;
		}
		expectation.restart();
		this.store.objects().forEach((key, object) -> {
			if (contains(key.namespace())) {
				String version = object.getMetadata().getResourceVersion();
				expectation.put(key, (version != null) ? version : "", labels(object));
			}
		});
		this.undecodable
			.forEach((key, metadata) -> expectation.put(key, ObjectFacts.of(metadata).version(), metadata.getLabels()));
	}

	private static Map<String, String> labels(HasMetadata object) {
		Map<String, String> labels = object.getMetadata().getLabels();
		return (labels != null) ? labels : Map.of();
	}

	/**
	 * What a selector selects now. Called under the lock.
	 * @param version a version that the part shows, of what is selected at least
	 */
	Selected<T> selected(LabelQuery query, String version) {
		List<T> selected = new ArrayList<>();
		this.store.objects().forEach((key, object) -> {
			if (contains(key.namespace()) && query.selects(labels(object))) {
				selected.add(object);
			}
		});
		return new Selected<>(selected, List.copyOf(this.undecodable.values()), version);
	}

	private void settle() {
		for (Iterator<Expectation> each = this.expectations.iterator(); each.hasNext();) {
			Expectation expectation = each.next();
			String reached = this.watermark;
			if (reached == null || !expectation.isMet(reached)) {
				continue;
			}
			// The list under way may be older than this one, and would take the store
			// back behind it.
			if (this.relisting && !isKnown(expectation.version())) {
				continue;
			}
			each.remove();
			if (expectation.coversScope() && !isKnown(expectation.version())) {
				advance(expectation.version());
				this.store.emit(new InformerEvent.Bookmark<>(this.namespace, expectation.version()));
				// Others, looked at before, may have waited for that.
				each = this.expectations.iterator();
			}
			expectation.satisfied().run();
		}
	}

	/**
	 * Whether the store has passed {@code version}. An event may still come for it: one
	 * that was overtaken by a consistent list, which told how the story ended.
	 */
	private boolean isKnown(String version) {
		Order order = ResourceVersions.compare(version, this.watermark);
		return order == Order.BEFORE || order == Order.SAME;
	}

	private void advance(String version) {
		if (!version.isEmpty()) {
			this.watermark = version;
		}
	}

}

package dev.sharding.internal.kubernetes.informer.store;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/*
 * A list by a selector says nothing about what it does not select, so the watermark must stay where it is, and
 * an event may still come for what was over before the list: an object that began to match and ceased to again.
 * The store showed the state of the list at one moment only, and that is what readers get.
 */
/**
 * What one flight on behalf of a selector has found in the store. Safe for use by many
 * threads.
 *
 * @param <T> the class of the objects
 */
final class Selection<T extends HasMetadata> {

	private final LabelQuery query;

	private final Store<T> store;

	private final Map<String, Selected<T>> before;

	/** By the namespace of the part. */
	private final ConcurrentMap<String, Selected<T>> taken = new ConcurrentHashMap<>();

	/**
	 * Creates a selection.
	 * @param before what the flight before this one has found for {@code query}, by the
	 * namespace of the part
	 */
	Selection(LabelQuery query, Store<T> store, Map<String, Selected<T>> before) {
		this.query = query;
		this.store = store;
		this.before = before;
	}

	LabelQuery query() {
		return this.query;
	}

	/**
	 * A part shows what was listed at {@code version}. Called under the store's lock.
	 */
	void take(String namespace, String version) {
		this.taken.computeIfAbsent(namespace, (absent) -> part(namespace).selected(this.query, version));
	}

	/**
	 * Takes what the flight before has found, if nothing was written to the API server
	 * since.
	 * @param present the present version
	 * @return whether that is what the part shows at {@code present}
	 */
	boolean takeAgain(String namespace, String present) {
		Selected<T> selected = this.before.get(namespace);
		if (selected == null || ResourceVersions.compare(selected.version(), present) != Order.SAME) {
			return false;
		}
		this.taken.putIfAbsent(namespace, selected);
		return true;
	}

	/** What was taken, by the namespace of the part. */
	Map<String, Selected<T>> taken() {
		return Map.copyOf(this.taken);
	}

	/**
	 * After each part was brought up to the present.
	 * @return what was selected, or {@code null} if the whole store shows the present
	 */
	@Nullable Selected<T> result() {
		if (this.taken.isEmpty()) {
			return null;
		}
		return this.store.read((view) -> this.store.parts()
			.stream()
			.map((part) -> Objects.requireNonNullElseGet(this.taken.get(part.namespace()),
					() -> part.selected(this.query, Objects.requireNonNullElse(part.watermark(), ""))))
			.reduce(Selected::and)
			.orElseThrow());
	}

	private StorePart<T> part(String namespace) {
		return this.store.parts()
			.stream()
			.filter((part) -> part.namespace().equals(namespace))
			.findFirst()
			.orElseThrow();
	}

}

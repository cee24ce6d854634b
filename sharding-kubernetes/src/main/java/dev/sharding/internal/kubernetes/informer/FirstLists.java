package dev.sharding.internal.kubernetes.informer;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import dev.sharding.internal.core.read.Filling;
import dev.sharding.internal.kubernetes.informer.store.Reflector;
import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * How far the first lists of an informer are, and who waits for them. Safe for use by
 * many threads.
 */
final class FirstLists<T extends HasMetadata> {

	private final List<Reflector<T>> reflectors;

	private final BooleanSupplier started;

	private final BooleanSupplier closed;

	private final Set<Waiting> all = ConcurrentHashMap.newKeySet();

	FirstLists(List<Reflector<T>> reflectors, BooleanSupplier started, BooleanSupplier closed) {
		this.reflectors = reflectors;
		this.started = started;
		this.closed = closed;
	}

	/**
	 * How far they are. Waits for nothing.
	 * @param namespace the part of the scope with that namespace; empty for all
	 */
	Filling filling(String namespace) {
		boolean filled = true;
		boolean refused = false;
		for (Reflector<T> reflector : this.reflectors) {
			boolean asked = namespace.isEmpty() || reflector.part().contains(namespace);
			if (asked && reflector.part().watermark() == null) {
				filled = false;
				refused |= reflector.status().isRefused();
			}
		}
		if (filled) {
			return Filling.FILLED;
		}
		if (this.closed.getAsBoolean()) {
			return Filling.CLOSED;
		}
		if (!this.started.getAsBoolean()) {
			return Filling.NOT_STARTED;
		}
		return refused ? Filling.REFUSED : Filling.FILLING;
	}

	/** Completes when they are no longer {@link Filling#FILLING}. */
	CompletableFuture<Void> settled(String namespace) {
		Waiting waiting = new Waiting(namespace, new CompletableFuture<>());
		this.all.add(waiting);
		waiting.done().whenComplete((done, failure) -> this.all.remove(waiting));
		settle(waiting);
		return waiting.done();
	}

	/** Tells those who wait, after a change and without the store's lock. */
	void changed() {
		this.all.forEach(this::settle);
	}

	private void settle(Waiting waiting) {
		if (filling(waiting.namespace()) != Filling.FILLING) {
			waiting.done().complete(null);
		}
	}

	private record Waiting(String namespace, CompletableFuture<Void> done) {

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this);
		}

	}

}

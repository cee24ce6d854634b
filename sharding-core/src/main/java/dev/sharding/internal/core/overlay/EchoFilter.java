package dev.sharding.internal.core.overlay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.read.ResourceVersions;
import org.jspecify.annotations.Nullable;

/**
 * What is emitted, to whom: own writes and events in, emissions out.
 */
final class EchoFilter<K, T> {

	private final ObjectAccess<K, T> access;

	private final OverlayLimits limits;

	private final FeedPosition position;

	private final EchoProof<K, T> proof;

	private Map<K, Window<K, T>> windows = new HashMap<>();

	/** Creates in flight whose name the API server makes up. */
	private List<Flight<K, T>> unnamed = new ArrayList<>(0);

	/** Returned writes whose echo is to come, nearly in version order. */
	private Deque<Flight<K, T>> awaited = new ArrayDeque<>();

	EchoFilter(ObjectAccess<K, T> access, OverlayLimits limits, FeedPosition position) {
		this.access = access;
		this.limits = limits;
		this.position = position;
		this.proof = new EchoProof<>(access);
	}

	void open(Flight<K, T> flight) {
		K key = flight.write.key();
		if (key == null) {
			this.unnamed.add(flight);
		}
		else {
			window(key).add(flight);
		}
	}

	void returned(Flight<K, T> flight, T object, List<Emission<T>> out) {
		String version = this.access.version(object);
		if (version == null || !ResourceVersions.isComparable(version)) {
			close(flight, out);
			return;
		}
		K key = this.access.key(object);
		if (this.unnamed.remove(flight)) {
			window(key).add(flight);
		}
		flight.returned(key, version, this.access.uid(object));
		reconsider(flight, out);
		if (this.position.covers(version)) {
			flight.passEcho();
			drop(key, flight);
		}
		else {
			this.awaited.add(flight);
		}
	}

	/** The write failed, or nobody knows: what was held for it is delivered. */
	void close(Flight<K, T> flight, List<Emission<T>> out) {
		K key = flight.write.key();
		if (key != null) {
			drop(key, flight);
		}
		this.unnamed.remove(flight);
		reconsider(flight, out);
	}

	void event(ObservedEvent<T> event, long now, List<Emission<T>> out) {
		K key = this.access.key(event.object());
		Window<K, T> window = this.windows.get(key);
		List<Flight<K, T>> mine = this.unnamed.isEmpty() ? List.of()
				: this.unnamed.stream().filter((flight) -> flight.write.mayTarget(key)).toList();
		if (window == null && mine.isEmpty()) {
			out.add(Emission.toAllBut(Set.of(), event));
			return;
		}
		window = window(key);
		String version = this.access.version(event.object());
		if (!ResourceVersions.isComparable(version) || event instanceof ObservedEvent.Removed<T>
				|| window.held().size() >= this.limits.heldPerKey()) {
			window.release(out);
		}
		if (!ResourceVersions.isComparable(version) || event instanceof ObservedEvent.Removed<T>) {
			out.add(Emission.toAllBut(Set.of(), event));
		}
		else {
			window.offer(event, this.position.relisting(), this.proof, mine, now, out);
		}
		if (version != null) {
			window.removeEchoed(version);
		}
		dropIfEmpty(key, window);
	}

	/** The position moved: echoes up to there have passed, or will not come. */
	void advanced() {
		Flight<K, T> first = this.awaited.peek();
		while (first != null && (first.echoPassed() || this.position.covers(first.version()))) {
			forget(this.awaited.remove());
			first = this.awaited.peek();
		}
	}

	void refreshed(Set<Long> writes) {
		this.awaited.removeIf((flight) -> {
			boolean named = writes.contains(flight.id);
			if (named) {
				forget(flight);
			}
			return named;
		});
	}

	void tick(long now, List<Emission<T>> out, Set<Long> stuck) {
		for (Map.Entry<K, Window<K, T>> entry : List.copyOf(this.windows.entrySet())) {
			Window<K, T> window = entry.getValue();
			if (window.held().stream().anyMatch((held) -> now - held.since() >= this.limits.hold().toNanos())) {
				window.release(out);
				dropIfEmpty(entry.getKey(), window);
			}
		}
		this.awaited.stream()
			.filter((flight) -> !flight.echoPassed() && now - flight.sentAt >= this.limits.stuck().toNanos())
			.forEach((flight) -> stuck.add(flight.id));
	}

	/** Maps do not shrink by themselves. To be called when all are empty. */
	void trim() {
		this.windows = new HashMap<>();
		this.unnamed = new ArrayList<>(0);
		this.awaited = new ArrayDeque<>();
	}

	int awaited() {
		return this.awaited.size();
	}

	int held() {
		return this.windows.values().stream().mapToInt((window) -> window.held().size()).sum();
	}

	long oldest(long now) {
		long oldest = this.awaited.stream().mapToLong((flight) -> now - flight.sentAt).max().orElse(0);
		return Math.max(oldest,
				this.windows.values()
					.stream()
					.flatMap((window) -> window.held().stream())
					.mapToLong((held) -> now - held.since())
					.max()
					.orElse(0));
	}

	/*
	 * The answer to a create with a generated name settles what was held under any name
	 * that it could have got.
	 */
	private void reconsider(Flight<K, T> flight, List<Emission<T>> out) {
		K key = flight.write.key();
		for (K each : (key != null) ? List.of(key) : List.copyOf(this.windows.keySet())) {
			Window<K, T> window = this.windows.get(each);
			if (window != null) {
				window.reconsider(this.proof, this.unnamed, out);
				dropIfEmpty(each, window);
			}
		}
	}

	private void forget(Flight<K, T> flight) {
		K key = flight.key();
		if (key != null) {
			drop(key, flight);
		}
	}

	private void drop(K key, Flight<K, T> flight) {
		Window<K, T> window = this.windows.get(key);
		if (window != null) {
			window.remove(flight);
			dropIfEmpty(key, window);
		}
	}

	private Window<K, T> window(K key) {
		return this.windows.computeIfAbsent(key, (absent) -> new Window<>());
	}

	private void dropIfEmpty(K key, @Nullable Window<K, T> window) {
		if (window != null && window.isEmpty()) {
			this.windows.remove(key);
		}
	}

}

package dev.sharding.internal.kubernetes.informer.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerTimings;

/**
 * Those who wait for a store to reach a version. Safe for use by many threads.
 */
public final class VersionWaits {

	private final String informer;

	private final List<? extends Upstream> upstreams;

	private final InformerTimings timings;

	private final Executor afterHandlers;

	private final Set<CompletableFuture<Void>> waiting = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * Creates it without anybody.
	 * @param informer its name, for messages
	 * @param upstreams what feeds the parts of the store
	 * @param timings how patient to be
	 * @param afterHandlers runs a task after the handlers had all events so far
	 */
	public VersionWaits(String informer, List<? extends Upstream> upstreams, InformerTimings timings,
			Executor afterHandlers) {
		this.informer = informer;
		this.upstreams = upstreams;
		this.timings = timings;
		this.afterHandlers = afterHandlers;
	}

	/** See {@link Informer#reached}. */
	public CompletableFuture<Void> reached(String version) {
		CompletableFuture<Void> reached = untilClosed();
		all(this.upstreams.stream().map((upstream) -> reached(upstream.part(), version, reached)).toList(), reached);
		return reached;
	}

	/** See {@link Informer#told}. */
	public CompletableFuture<Void> told(String version, String namespace) {
		List<CompletableFuture<Void>> parts = new ArrayList<>();
		CompletableFuture<Void> told = untilClosed();
		for (Upstream upstream : this.upstreams) {
			if (namespace.isEmpty() || upstream.part().contains(namespace)) {
				parts.add(reached(upstream.part(), version, told));
				StuckWatch.helpAlong(upstream, this.timings.stall(), told,
						() -> ResourceVersions.compare(upstream.part().watermark(), version) == Order.BEFORE);
			}
		}
		if (parts.isEmpty()) {
			throw new IllegalArgumentException(
					"Namespace '%s' is not in the scope of %s".formatted(namespace, this.informer));
		}
		all(parts, told);
		return told;
	}

	/** Fails all who wait, and all who come. */
	public void close() {
		this.closed = true;
		this.waiting.forEach((future) -> future.completeExceptionally(closing()));
	}

	public static CancellationException closing() {
		return new CancellationException("Informer is closed");
	}

	private CompletableFuture<Void> untilClosed() {
		CompletableFuture<Void> future = new CompletableFuture<>();
		this.waiting.add(future);
		future.whenComplete((done, failure) -> this.waiting.remove(future));
		if (this.closed) {
			future.completeExceptionally(closing());
		}
		return future;
	}

	private static void all(List<CompletableFuture<Void>> parts, CompletableFuture<Void> whole) {
		CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new)).thenRun(() -> whole.complete(null));
	}

	private CompletableFuture<Void> reached(StorePart<?> part, String version, CompletableFuture<Void> all) {
		CompletableFuture<Void> one = new CompletableFuture<>();
		Expectation expectation = Expectation.ofVersion(version,
				() -> this.afterHandlers.execute(() -> one.complete(null)));
		part.expect(expectation);
		all.whenComplete((done, failure) -> part.forget(expectation));
		return one;
	}

}

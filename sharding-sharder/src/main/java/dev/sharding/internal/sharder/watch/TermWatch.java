package dev.sharding.internal.sharder.watch;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one term as leader sees of a watch that may be older than the term: nothing until
 * a read that began in the term has proved that nothing in the store is older than that
 * read, then all that is stored and each event, until the end of the term. Safe for use
 * by any thread.
 *
 * @param <T> the class of the objects
 */
public final class TermWatch<T extends HasMetadata> implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(TermWatch.class);

	private final Informer<T> informer;

	private final InformerHandler<T> receiver;

	private final InformerHandler<T> handler = this::tell;

	private final Consumer<InformerStatus> statusListener;

	private final CompletableFuture<Void> told = new CompletableFuture<>();

	private final InstantSource clock;

	private final LongSupplier nanoTime;

	/* What is waited for now; cancelled at the end of the term, as it may never come. */
	private CompletableFuture<Void> pending = CompletableFuture.completedFuture(null);

	/*
	 * What does not fit its class: the store keeps what it was, perhaps before the term.
	 */
	private volatile Map<ObjectKey, String> unread = Map.of();

	private volatile @Nullable Failure failure;

	private boolean closed;

	/**
	 * Prepares a watch that does nothing before {@link #begin()}.
	 * @param informer what is watched; it is started where it is not, and goes on when
	 * the term ends
	 * @param handler gets the events of the term, on the thread of the informer's
	 * handlers
	 * @param statusListener is told of each change of the informer's status in the term,
	 * and how it was when the first events came
	 * @param clock tells since when the API server has not answered
	 * @param nanoTime tells for how long, in nanoseconds
	 */
	public TermWatch(Informer<T> informer, InformerHandler<T> handler, Consumer<InformerStatus> statusListener,
			InstantSource clock, LongSupplier nanoTime) {
		this.informer = informer;
		this.receiver = handler;
		this.statusListener = statusListener;
		this.clock = clock;
		this.nanoTime = nanoTime;
	}

	/**
	 * Begins. Call it once, and in the term.
	 * @return completes when the handler has had all that there was when it began, or was
	 * there later; never if the term ends before
	 */
	public synchronized CompletableFuture<Void> begin() {
		if (!this.closed) {
			this.informer.start();
			this.informer.addStatusListener(this.statusListener);
			// Not asked before there is a list to compare with: that costs a second one.
			this.pending = this.informer.synced();
			this.pending.thenRun(this::refresh);
		}
		return this.told.copy();
	}

	private synchronized void refresh() {
		if (!this.closed) {
			this.pending = this.informer.refresh(this::failed);
			this.pending.thenRun(this::attach);
		}
	}

	private synchronized void failed(ApiException cause) {
		if (this.closed || this.told.isDone()) {
			return;
		}
		Failure before = this.failure;
		String error = String.valueOf(cause.getMessage());
		if (before == null) {
			log.warn("Term as leader waits for an answer and keeps asking: watch={} error=\"{}\"",
					this.informer.spec().type().groupResource(), error);
		}
		this.failure = (before != null) ? new Failure(before.since, before.nanos, error)
				: new Failure(this.clock.instant(), this.nanoTime.getAsLong(), error);
		this.statusListener.accept(status());
	}

	private synchronized void attach() {
		if (!this.closed) {
			this.failure = null;
			this.statusListener.accept(this.informer.status());
			this.unread = this.informer.store()
				.undecodable()
				.stream()
				.collect(Collectors.toMap(ObjectKey::of, ObjectMeta::getResourceVersion));
			this.informer.addHandler(this.handler, this::allTold);
		}
	}

	/* Whose handler was taken off meanwhile was not told all. */
	private synchronized void allTold() {
		if (!this.closed) {
			this.told.complete(null);
		}
	}

	private void tell(InformerEvent<T> event) {
		if (!(event instanceof InformerEvent.Added<T> added && added.initial() && isFromBefore(added.object()))) {
			this.receiver.onEvent(event);
		}
	}

	private boolean isFromBefore(T object) {
		String later = this.unread.get(ObjectKey.of(object));
		return later != null && ResourceVersions.compare(object.getMetadata().getResourceVersion(),
				later) != ResourceVersions.Order.AFTER;
	}

	/**
	 * Returns how the watch fares in this term.
	 * @return its status; not synced before the term may count on it
	 */
	public InformerStatus status() {
		InformerStatus status = this.informer.status();
		if (this.told.isDone()) {
			return status;
		}
		Failure waiting = this.failure;
		return (waiting != null)
				? status.unsynced()
					.failing(waiting.since, Duration.ofNanos(this.nanoTime.getAsLong() - waiting.nanos), waiting.error)
				: status.unsynced();
	}

	/**
	 * Returns the objects as seen last.
	 * @return all objects, none before the term may count on them; they are shared, so do
	 * not change them
	 */
	public List<T> list() {
		return this.told.isDone()
				? this.informer.store().list().stream().filter((object) -> !isFromBefore(object)).toList() : List.of();
	}

	/** Ends the term: nothing is told any more, though one call may be under way. */
	@Override
	public synchronized void close() {
		this.closed = true;
		this.pending.cancel(false);
		this.informer.removeHandler(this.handler);
		this.informer.removeStatusListener(this.statusListener);
	}

	/** Why the read with which a term begins has no answer yet. */
	private record Failure(Instant since, long nanos, String error) {
	}

}

package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems.Operation;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;

/**
 * Watches the objects of one resource that a label selector matches, metadata only, and
 * keeps them, so that it can tell of each that does not match any more: for few objects.
 */
public final class DrainWatch implements AutoCloseable {

	/* Re-opening a watch is daily business; this long is not. */
	private static final Duration FAILING = Duration.ofSeconds(3);

	private final ShardedResource resource;

	private final ResourceProblems problems;

	private final ObjectReader reader;

	private final Listener listener;

	private final Informer<PartialObjectMetadata> informer;

	private volatile boolean closed;

	public DrainWatch(RingConnection connection, RingScope scope, ShardedResource resource, String labelSelector,
			ResourceProblems problems, Listener listener) {
		this.resource = resource;
		this.problems = problems;
		this.reader = new ObjectReader(scope.ring());
		this.listener = listener;
		this.informer = connection.informer(InformerSpec.of(resource.type())
			.withLabelSelector(labelSelector)
			.withFieldSelector(scope.fieldSelector(resource)));
		this.informer.addHandler(this::onEvent);
		this.informer.addStatusListener(this::onStatus);
	}

	public void start() {
		this.informer.start();
	}

	public CompletableFuture<Void> synced() {
		return this.informer.synced();
	}

	@Override
	public void close() {
		this.closed = true;
		this.informer.close();
		this.problems.succeeded(this.resource.toString(), Operation.WATCH_DRAINS);
	}

	private void onEvent(InformerEvent<PartialObjectMetadata> event) {
		if (event instanceof InformerEvent.Added<PartialObjectMetadata> added) {
			this.listener.seen(read(added.object()));
		}
		else if (event instanceof InformerEvent.Updated<PartialObjectMetadata> updated) {
			this.listener.seen(read(updated.after()));
		}
		else if (event instanceof InformerEvent.Removed<PartialObjectMetadata> removed) {
			this.listener.left(read(removed.last()));
		}
	}

	private ShardedObject read(PartialObjectMetadata metadata) {
		return this.reader.read(this.resource, metadata.getMetadata());
	}

	private void onStatus(InformerStatus status) {
		Instant failingSince = status.failingSince();
		if (this.closed) {
			return;
		}
		if (failingSince == null) {
			this.problems.succeeded(this.resource.toString(), Operation.WATCH_DRAINS);
		}
		else if (!status.synced() || failingSince.plus(FAILING).isBefore(Instant.now())) {
			this.problems.failed(this.resource.toString(), Operation.WATCH_DRAINS, String.valueOf(status.lastError()));
		}
	}

	/**
	 * Gets what the watch brings, one call at a time, in order.
	 */
	public interface Listener {

		/** An object matches. */
		void seen(ShardedObject object);

		/** An object does not match any more, or is gone; this was its last state. */
		void left(ShardedObject last);

	}

}

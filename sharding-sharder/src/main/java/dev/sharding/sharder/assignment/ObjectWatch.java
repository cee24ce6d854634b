package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sharding.kubernetes.informer.Informer;
import dev.sharding.kubernetes.informer.InformerEvent;
import dev.sharding.kubernetes.informer.InformerSpec;
import dev.sharding.kubernetes.informer.InformerStatus;
import dev.sharding.sharder.assignment.ResourceProblems.Operation;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;

/**
 * Watches the objects of one resource that a label selector matches, metadata only. What
 * a list brings comes in one piece, so that it can be worked on as a batch.
 */
final class ObjectWatch implements AutoCloseable {

	/* Re-opening a watch is daily business; this long is not. */
	private static final Duration FAILING = Duration.ofSeconds(3);

	/* Whoever is older may have had an owner, and controlled objects. */
	private static final Duration NEW = Duration.ofSeconds(10);

	private final ShardedResource resource;

	private final Operation operation;

	private final ResourceProblems problems;

	private final ObjectReader reader;

	private final InstantSource clock;

	private final Listener listener;

	private final Informer<PartialObjectMetadata> informer;

	private final List<ShardedObject> listed = new ArrayList<>();

	private boolean listing = true;

	private volatile boolean closed;

	ObjectWatch(RingConnection connection, RingScope scope, ShardedResource resource, String labelSelector,
			Operation operation, ResourceProblems problems, Listener listener) {
		this.resource = resource;
		this.operation = operation;
		this.problems = problems;
		this.reader = new ObjectReader(scope.ring());
		this.clock = connection.clock();
		this.listener = listener;
		this.informer = connection.informer(InformerSpec.of(resource.type())
			.withLabelSelector(labelSelector)
			.withFieldSelector(scope.fieldSelector(resource)));
		this.informer.addHandler(this::onEvent);
		this.informer.addStatusListener(this::onStatus);
	}

	void start() {
		this.informer.start();
	}

	CompletableFuture<Void> synced() {
		return this.informer.synced();
	}

	@Override
	public void close() {
		this.closed = true;
		this.informer.close();
		this.problems.succeeded(this.resource.toString(), this.operation);
	}

	/* One event at a time, so the fields need no lock. */
	private void onEvent(InformerEvent<PartialObjectMetadata> event) {
		if (event instanceof InformerEvent.RelistStarted) {
			this.listing = true;
		}
		else if (event instanceof InformerEvent.RelistFinished) {
			this.listing = false;
			List<ShardedObject> objects = List.copyOf(this.listed);
			this.listed.clear();
			this.listener.listed(objects);
		}
		else if (event instanceof InformerEvent.Added<PartialObjectMetadata> added) {
			present(added.object());
		}
		else if (event instanceof InformerEvent.Updated<PartialObjectMetadata> updated) {
			present(updated.after());
		}
		else if (event instanceof InformerEvent.Removed<PartialObjectMetadata> removed) {
			this.listener.left(this.reader.read(this.resource, removed.last().getMetadata()));
		}
	}

	private void present(PartialObjectMetadata metadata) {
		ShardedObject object = this.reader.read(this.resource, metadata.getMetadata());
		if (this.listing) {
			this.listed.add(object);
		}
		else {
			this.listener.seen(object, isNew(metadata.getMetadata()));
		}
	}

	private boolean isNew(ObjectMeta metadata) {
		String created = metadata.getCreationTimestamp();
		return created != null && Instant.parse(created).plus(NEW).isAfter(this.clock.instant());
	}

	private void onStatus(InformerStatus status) {
		Instant failingSince = status.failingSince();
		if (this.closed) {
			return;
		}
		if (failingSince == null) {
			this.problems.succeeded(this.resource.toString(), this.operation);
		}
		else if (!status.synced() || failingSince.plus(FAILING).isBefore(Instant.now())) {
			this.problems.failed(this.resource.toString(), this.operation, String.valueOf(status.lastError()));
		}
	}

	/**
	 * Gets what the watch brings, one call at a time, in order.
	 */
	interface Listener {

		/** All objects that match, as listed just now; earlier ones may be among them. */
		void listed(List<ShardedObject> objects);

		/** An object matches, as of just now; a new one was created lately. */
		void seen(ShardedObject object, boolean isNew);

		/** An object does not match any more, or is gone; this was its last state. */
		default void left(ShardedObject last) {
		}

	}

}

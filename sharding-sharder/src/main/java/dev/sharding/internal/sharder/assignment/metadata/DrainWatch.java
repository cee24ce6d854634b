package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.kubernetes.informer.store.MetadataWatch.Event;
import dev.sharding.internal.kubernetes.informer.store.MetadataWatch.Kind;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems.Operation;

/**
 * Watches the objects of one resource that a label selector matches, and keeps what is
 * known of them, so that it can tell of each that does not match any more: for few
 * objects.
 */
public final class DrainWatch implements AutoCloseable {

	private final ShardedResource resource;

	private final String labelSelector;

	private final MetadataLists lists;

	private final ResourceProblems problems;

	private final ObjectReader reader;

	private final Listener listener;

	private final MetadataFollower follower;

	private final CompletableFuture<Void> synced = new CompletableFuture<>();

	/* Changed by one thread at a time: a list ends before the watch goes on. */
	private Map<ShardedObject.ObjectId, ShardedObject> matching = new HashMap<>();

	private volatile boolean closed;

	public DrainWatch(RingConnection connection, RingScope scope, ShardedResource resource, String labelSelector,
			MetadataLists lists, ResourceProblems problems, Listener listener) {
		this.resource = resource;
		this.labelSelector = labelSelector;
		this.lists = lists;
		this.problems = problems;
		this.reader = new ObjectReader(scope.ring());
		this.listener = listener;
		this.follower = new MetadataFollower(connection, scope, resource, labelSelector, new Following());
	}

	public void start() {
		this.follower.start();
	}

	/** Whether it is about a main resource. */
	public boolean isOf(ShardedResource main) {
		return this.resource.equals(main);
	}

	/** Completes when all that matched at first is told. */
	public CompletableFuture<Void> synced() {
		return this.synced;
	}

	@Override
	public void close() {
		this.closed = true;
		this.follower.close();
		this.problems.succeeded(this.resource.toString(), Operation.WATCH_DRAINS);
	}

	private String listed(Map<ShardedObject.ObjectId, ShardedObject> listed, String version) {
		Map<ShardedObject.ObjectId, ShardedObject> before = this.matching;
		this.matching = listed;
		before.forEach((id, last) -> {
			if (!listed.containsKey(id)) {
				this.listener.left(last);
			}
		});
		listed.forEach((id, object) -> {
			if (!object.equals(before.get(id))) {
				this.listener.seen(object);
			}
		});
		this.synced.complete(null);
		return version;
	}

	private void happened(Event event) {
		if (event.kind() == Kind.BOOKMARK) {
			return;
		}
		ShardedObject object = this.reader.read(this.resource, event.object());
		if (event.kind() == Kind.LEFT) {
			this.matching.remove(object.id());
			this.listener.left(object);
		}
		else {
			this.matching.put(object.id(), object);
			this.listener.seen(object);
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

	private final class Following implements MetadataFollower.Listener {

		@Override
		public CompletableFuture<String> list() {
			DrainWatch here = DrainWatch.this;
			Map<ShardedObject.ObjectId, ShardedObject> listed = new HashMap<>();
			String[] version = { "" };
			return here.lists.list(here.resource, here.labelSelector, () -> here.closed, (page) -> {
				if (page.first()) {
					listed.clear();
				}
				page.objects().forEach((object) -> listed.put(object.id(), object));
				version[0] = page.version();
				return CompletableFuture.completedFuture(null);
			}).thenApply((done) -> listed(listed, version[0]));
		}

		@Override
		public void told(Event event) {
			happened(event);
		}

		@Override
		public void works() {
			DrainWatch.this.problems.succeeded(DrainWatch.this.resource.toString(), Operation.WATCH_DRAINS);
		}

		@Override
		public void fails(String reason, Duration since) {
			DrainWatch here = DrainWatch.this;
			if (!here.closed) {
				here.problems.watchFailed(here.resource.toString(), Operation.WATCH_DRAINS, reason,
						here.synced.isDone(), since);
			}
		}

	}

}

package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.kubernetes.informer.store.MetadataWatch.Event;
import dev.sharding.internal.kubernetes.informer.store.MetadataWatch.Kind;
import dev.sharding.internal.kubernetes.informer.wire.MetadataSummary;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists.Page;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems.Operation;

/**
 * Follows the objects of one main resource that no available shard owns, and keeps none
 * of them. {@link UnownedPages} lists what is there; what happens since the first page is
 * told at once, by a watch. As versions decide, it does no harm that a page may be older
 * than what the watch told.
 */
public final class UnownedWatch implements AutoCloseable {

	/* Whoever is older may have had an owner, and controlled objects. */
	private static final Duration NEW = Duration.ofSeconds(10);

	private final RingConnection connection;

	private final RingScope scope;

	private final ShardedResource resource;

	private final UnownedPages pages;

	private final ObjectReader reader;

	private final ResourceProblems problems;

	private final Listener listener;

	private final MetadataFollower follower;

	public UnownedWatch(RingConnection connection, RingScope scope, ShardedResource resource, String labelSelector,
			MetadataLists lists, ResourceProblems problems, Listener listener) {
		this.connection = connection;
		this.scope = scope;
		this.resource = resource;
		this.pages = new UnownedPages(scope.ring(), resource, labelSelector, lists, problems, listener);
		this.reader = new ObjectReader(scope.ring());
		this.problems = problems;
		this.listener = listener;
		this.follower = new MetadataFollower(connection, scope, resource, labelSelector, new Following());
	}

	/** Whether it follows this resource. */
	public boolean isOf(ShardedResource main) {
		return this.resource.equals(main);
	}

	public void start() {
		this.follower.start();
	}

	/** Completes when all that was there at first is told. */
	public CompletableFuture<Void> synced() {
		return this.pages.synced();
	}

	/** Whether pages come, or are waited for. */
	public boolean isListing() {
		return this.pages.isListing();
	}

	/** How many pages have come. */
	public int pages() {
		return this.pages.count();
	}

	@Override
	public void close() {
		this.pages.close();
		this.follower.close();
		this.problems.succeeded(this.resource.toString(), Operation.WATCH);
	}

	private boolean isNew(MetadataSummary object) {
		return object.created() != null
				&& Objects.requireNonNull(object.created()).plus(NEW).isAfter(this.connection.clock().instant());
	}

	/**
	 * Gets what is listed and what is told, by two threads.
	 */
	public interface Listener {

		/**
		 * A page of objects that matched.
		 * @param again lists once more what matches then
		 * @return completes when there is room for the next page; must not fail
		 */
		CompletableFuture<?> listed(Page page, Runnable again);

		/**
		 * An older object without label goes on to match while pages come: its page has
		 * come, or will.
		 * @param again lists once more what matches then
		 * @return completes when there is room for more; must not fail
		 */
		CompletableFuture<?> changed(ShardedObject object, Runnable again);

		/**
		 * An object matches, as of just now; perhaps nothing is known of its namespace
		 * yet.
		 * @param isNew whether it was created lately and did not match before; of one
		 * that did, this sharder may not know who had it
		 * @return completes when there is room for more; must not fail
		 */
		CompletableFuture<?> seen(ShardedObject object, boolean isNew);

	}

	private final class Following implements MetadataFollower.Listener {

		@Override
		public CompletableFuture<String> list() {
			return UnownedWatch.this.pages.begin();
		}

		@Override
		public void told(Event event) throws InterruptedException {
			MetadataSummary object = event.object();
			boolean matches = event.kind() == Kind.APPEARED || event.kind() == Kind.CHANGED;
			if (!matches || UnownedWatch.this.scope.namespaces().leavesOut(object.namespace())) {
				return;
			}
			ShardedObject seen = UnownedWatch.this.reader.read(UnownedWatch.this.resource, object);
			boolean isNew = isNew(object);
			boolean listed = event.kind() == Kind.CHANGED && !isNew && seen.labels().isEmpty() && isListing();
			Listener to = UnownedWatch.this.listener;
			CompletableFuture<?> room = listed ? to.changed(seen, UnownedWatch.this.pages::again)
					: to.seen(seen, isNew && event.kind() == Kind.APPEARED);
			MetadataFollower.await(room);
		}

		@Override
		public void works() {
			UnownedWatch.this.problems.succeeded(UnownedWatch.this.resource.toString(), Operation.WATCH);
		}

		@Override
		public void fails(String reason, Duration since) {
			UnownedWatch.this.problems.watchFailed(UnownedWatch.this.resource.toString(), Operation.WATCH, reason,
					synced().isDone(), since);
		}

	}

}

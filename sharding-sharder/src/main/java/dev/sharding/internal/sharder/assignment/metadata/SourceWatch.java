package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.informer.store.MetadataWatch.Event;
import dev.sharding.internal.kubernetes.informer.store.MetadataWatch.Kind;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists.Page;
import dev.sharding.internal.sharder.source.ControlledIndex;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one controlled resource that bear the label of one shard, in an index
 * that a list fills page by page and a watch keeps up to date. What it says may be out of
 * date, as anything that is read: each patch names the version that was seen. Threadsafe.
 */
final class SourceWatch implements AutoCloseable {

	/* Pages come, or the list is not waited for any more. */
	private static final long PAGE_WITHIN = Duration.ofSeconds(30).toNanos();

	/* Who is overloaded may not be for long; who refuses once more means it. */
	private static final long REFUSED_FOR = Duration.ofSeconds(5).toNanos();

	private final ControlledIndex index = new ControlledIndex();

	private final RingScope scope;

	private final ShardedResource resource;

	private final Map<String, String> labels;

	private final String selector;

	private final MetadataLists lists;

	private final ObjectReader reader;

	private final LongSupplier nanoTime;

	private final Runnable told;

	private final MetadataFollower follower;

	/* All that was there up to it is known. */
	private volatile @Nullable String version;

	/* When the latest page came. */
	private volatile long progressed;

	private volatile boolean refused;

	/* A list that begins again shows objects again. */
	private boolean filled;

	private volatile boolean closed;

	/**
	 * @param labels of these objects
	 * @param told called after each change
	 */
	SourceWatch(RingConnection connection, RingScope scope, ShardedResource resource, Map<String, String> labels,
			MetadataLists lists, Runnable told) {
		this.scope = scope;
		this.resource = resource;
		this.labels = labels;
		Map.Entry<String, String> label = labels.entrySet().iterator().next();
		this.selector = label.getKey() + "=" + label.getValue();
		this.lists = lists;
		this.reader = new ObjectReader(scope.ring());
		this.nanoTime = connection.nanoTime();
		this.progressed = this.nanoTime.getAsLong();
		this.told = told;
		this.follower = new MetadataFollower(connection, scope, resource, this.selector, new Following());
	}

	void start() {
		this.follower.start();
	}

	boolean isKnown() {
		return this.version != null;
	}

	boolean isHopeless() {
		return !isKnown() && this.nanoTime.getAsLong() - this.progressed > (this.refused ? REFUSED_FOR : PAGE_WITHIN);
	}

	/** The version up to which all has been told; {@code null} if nothing is known. */
	@Nullable String version() {
		return this.version;
	}

	/** The memory that is taken. */
	synchronized long bytes() {
		return this.index.bytes();
	}

	/** The objects of a main object, as they were seen last. */
	synchronized List<ShardedObject> madeFor(ShardingKey main) {
		return this.index.of(main)
			.stream()
			.map((object) -> new ShardedObject(this.resource, new ObjectKey(main.namespace(), object.name()),
					object.version(), main, this.labels))
			.toList();
	}

	@Override
	public void close() {
		this.closed = true;
		this.follower.close();
	}

	/*
	 * What is not there any more when a list begins again stays in the index: to move it
	 * fails, which harms nobody.
	 */
	private synchronized CompletableFuture<Void> add(Page page) {
		this.progressed = this.nanoTime.getAsLong();
		this.filled |= page.first() && this.index.size() > 0;
		for (ShardedObject object : page.objects()) {
			ShardingKey main = mainOf(object);
			if (main != null && this.filled) {
				this.index.put(main, object.key().name(), object.resourceVersion());
			}
			else if (main != null) {
				this.index.add(main, object.key().name(), object.resourceVersion());
			}
		}
		return CompletableFuture.completedFuture(null);
	}

	/* Nobody asks for others. */
	private @Nullable ShardingKey mainOf(ShardedObject object) {
		ShardingKey main = object.shardingKey();
		return (main != null && this.scope.main()
			.stream()
			.anyMatch((resource) -> resource.type().kind().equals(main.kind())
					&& resource.type().group().equals(main.group()))) ? main : null;
	}

	private synchronized void happened(Event event) {
		ShardedObject object = this.reader.read(this.resource, event.object());
		ShardingKey main = mainOf(object);
		if (main != null && event.kind() == Kind.LEFT) {
			this.index.remove(main, object.key().name());
		}
		else if (main != null) {
			this.index.put(main, object.key().name(), object.resourceVersion());
		}
	}

	private final class Following implements MetadataFollower.Listener {

		@Override
		public CompletableFuture<String> list() {
			SourceWatch here = SourceWatch.this;
			here.version = null;
			String[] listed = { "" };
			return here.lists.list(here.resource, here.selector, () -> here.closed, (page) -> {
				listed[0] = page.version();
				return add(page);
			}).handle((done, failure) -> {
				if (failure != null) {
					ApiException reason = ApiException.of(failure);
					here.refused = reason.isAnswered() && !reason.isOverload();
					throw reason;
				}
				here.version = listed[0];
				here.told.run();
				return listed[0];
			});
		}

		@Override
		public void told(Event event) {
			if (event.kind() != Kind.BOOKMARK) {
				happened(event);
			}
			SourceWatch.this.version = event.object().resourceVersion();
			SourceWatch.this.told.run();
		}

		@Override
		public void works() {
			// What counts is what it tells.
		}

		@Override
		public void fails(String reason, Duration since) {
			// Then what is missing is listed, and that says so.
		}

	}

}

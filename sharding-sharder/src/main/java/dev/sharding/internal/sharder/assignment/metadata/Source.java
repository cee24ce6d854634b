package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * What one shard has made: names and versions of the controlled objects with its label,
 * one list of each resource and a watch from there on. A watch tells the past in order;
 * so once it has told of a write that we sent after a claim had ended, it has told of all
 * that was written under that claim. Lives on the ring's thread.
 */
public final class Source implements AutoCloseable {

	/* A watch that tells of nothing for so long is not waited for. */
	private static final Duration TELLS_WITHIN = Duration.ofSeconds(1);

	/* One that goes on, but is so late, is not either. */
	private static final Duration TOLD_WITHIN = Duration.ofSeconds(5);

	private final Map<ShardedResource, SourceWatch> watches = new LinkedHashMap<>();

	private final EventLoop loop;

	/* Those who tell of something ask whether there are any. */
	private volatile List<Waiting> waiting = List.of();

	Source(String shard, RingConnection connection, RingScope scope, MetadataLists lists, EventLoop loop) {
		this.loop = loop;
		Map<String, String> labels = Map.of(ShardingLabels.shard(scope.ring()), shard);
		for (ShardedResource resource : scope.controlled()) {
			this.watches.put(resource, new SourceWatch(connection, scope, resource, labels, lists, this::told));
		}
		this.watches.values().forEach(SourceWatch::start);
	}

	/** Whether all that was there at first is known. */
	boolean isKnown() {
		return this.watches.values().stream().allMatch(SourceWatch::isKnown);
	}

	/** Whether that cannot be expected to become known soon. */
	boolean isHopeless() {
		return this.watches.values().stream().anyMatch(SourceWatch::isHopeless);
	}

	/** The memory that is taken. */
	long bytes() {
		return this.watches.values().stream().mapToLong(SourceWatch::bytes).sum();
	}

	/** What is known to be made for a main object and still has the shard's label. */
	public List<ShardedObject> madeFor(ShardingKey main) {
		List<ShardedObject> made = new ArrayList<>();
		this.watches.values().forEach((watch) -> made.addAll(watch.madeFor(main)));
		return made;
	}

	/**
	 * Waits until the watch of a resource has told of a version, as long as it goes on:
	 * under load it is late, and to list what it will tell would make it later.
	 * @return whether it has; {@code false} if that takes too long; never fails
	 */
	public CompletableFuture<Boolean> told(ShardedResource resource, String version) {
		Waiting begun = new Waiting(resource, version, new CompletableFuture<>());
		List<Waiting> all = new ArrayList<>(this.waiting);
		all.add(begun);
		this.waiting = all;
		settle();
		giveUpLater(begun, TOLD_WITHIN.dividedBy(TELLS_WITHIN));
		return begun.told;
	}

	private void giveUpLater(Waiting one, long looks) {
		@Nullable String before = version(one.resource);
		Future<?> look = this.loop.schedule(() -> {
			@Nullable String now = version(one.resource);
			if (looks > 1 && now != null && !now.equals(before) && !one.told.isDone()) {
				giveUpLater(one, looks - 1);
			}
			else {
				one.told.complete(false);
			}
		}, TELLS_WITHIN);
		if (look == null) {
			one.told.complete(false);
		}
	}

	/* Called by the threads of the watches. */
	private void told() {
		if (!this.waiting.isEmpty()) {
			this.loop.execute(this::settle);
		}
	}

	private void settle() {
		if (this.waiting.isEmpty()) {
			return;
		}
		List<Waiting> over = this.waiting.stream().filter((one) -> one.told.isDone() || hasTold(one)).toList();
		List<Waiting> rest = new ArrayList<>(this.waiting);
		rest.removeAll(over);
		this.waiting = rest;
		over.forEach((one) -> one.told.complete(true));
	}

	private boolean hasTold(Waiting one) {
		@Nullable String version = version(one.resource);
		return version != null && switch (ResourceVersions.compare(version, one.version)) {
			case AFTER, SAME -> true;
			case BEFORE, NOT_COMPARABLE -> false;
		};
	}

	private @Nullable String version(ShardedResource resource) {
		SourceWatch watch = this.watches.get(resource);
		return (watch != null) ? watch.version() : null;
	}

	@Override
	public void close() {
		this.watches.values().forEach(SourceWatch::close);
		this.waiting.forEach((one) -> one.told.complete(false));
		this.waiting = List.of();
	}

	private record Waiting(ShardedResource resource, String version, CompletableFuture<Boolean> told) {
	}

}

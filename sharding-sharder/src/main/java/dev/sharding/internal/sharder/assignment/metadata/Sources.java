package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;

import dev.sharding.internal.sharder.source.SourcePlaces;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * The shards that are asked to let go of objects, and what each of them has made: a
 * {@link Source} for each, open from before the first object leaves until a while after
 * the last, for as many of them at a time as there is memory for. So a rebalance costs
 * one list for each of these shards, however many objects leave them. Lives on the ring's
 * thread.
 */
public final class Sources {

	private static final Duration LOOK_EVERY = Duration.ofMillis(250);

	private final Map<String, Source> sources = new HashMap<>();

	private final SourcePlaces places;

	private final RingConnection connection;

	private final RingScope scope;

	private final MetadataLists lists;

	private final EventLoop loop;

	private final LongSupplier nanoTime;

	private boolean scheduled;

	public Sources(RingConnection connection, RingScope scope, MetadataLists lists, EventLoop loop) {
		this(connection, scope, lists, loop, () -> connection.throttle().atMost(SourcePlaces.BUDGET));
	}

	/**
	 * @param budget the bytes that all sources together may take at present
	 */
	Sources(RingConnection connection, RingScope scope, MetadataLists lists, EventLoop loop, LongSupplier budget) {
		this.connection = connection;
		this.scope = scope;
		this.lists = lists;
		this.loop = loop;
		this.nanoTime = connection.nanoTime();
		this.places = new SourcePlaces(budget);
	}

	/**
	 * Tells whether an object may be asked for: what its owner has made is known, or will
	 * not be soon. Asking begins to find out, when there is room for it.
	 */
	public boolean isReady(ShardedObject object) {
		String owner = object.shard(this.scope.ring());
		if (owner == null || !this.scope.hasControlled(object.resource())) {
			return true;
		}
		if (!isPlaceOf(owner)) {
			return false;
		}
		Source source = this.sources.computeIfAbsent(owner,
				(shard) -> new Source(shard, this.connection, this.scope, this.lists, this.loop));
		lookLater();
		return source.isKnown() || source.isHopeless();
	}

	private boolean isPlaceOf(String shard) {
		if (this.places.ask(shard, this.nanoTime.getAsLong())) {
			return true;
		}
		if (!this.places.isNext(shard, this.nanoTime.getAsLong())) {
			return false;
		}
		look();
		return this.places.ask(shard, this.nanoTime.getAsLong());
	}

	/** Tells whether there has been no memory for what a shard has made for a while. */
	public boolean isLate(String shard) {
		return this.places.isLate(shard, this.nanoTime.getAsLong());
	}

	/** A shard is asked to let go of something. */
	public void asked(String shard) {
		this.places.asked(shard, this.nanoTime.getAsLong());
	}

	/** A shard has let go of something. */
	public void answered(String shard) {
		this.places.answered(shard);
	}

	/** What a shard has made, if that is known; otherwise it has to be listed. */
	public @Nullable Source of(String shard) {
		Source source = this.sources.get(shard);
		if (source == null || !source.isKnown()) {
			return null;
		}
		this.places.used(shard, this.nanoTime.getAsLong());
		return source;
	}

	public void close() {
		this.sources.values().forEach(Source::close);
		this.sources.clear();
	}

	private void look() {
		this.sources.forEach(
				(shard, source) -> this.places.size(shard, source.bytes(), source.isKnown() || source.isHopeless()));
		this.places.takeBack(this.nanoTime.getAsLong())
			.forEach((shard) -> Objects.requireNonNull(this.sources.remove(shard)).close());
	}

	private void lookLater() {
		if (this.scheduled) {
			return;
		}
		this.scheduled = true;
		this.loop.schedule(() -> {
			this.scheduled = false;
			look();
			if (!this.sources.isEmpty()) {
				lookLater();
			}
		}, LOOK_EVERY);
	}

}

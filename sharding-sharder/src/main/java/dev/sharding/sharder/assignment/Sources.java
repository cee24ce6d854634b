package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import dev.sharding.core.ShardingLabels;
import dev.sharding.kubernetes.informer.InformerSpec;
import dev.sharding.sharder.loop.EventLoop;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The shards that are asked to let go of objects, and what each of them has made: a
 * {@link Source} for each, open from before the first object leaves until a while after
 * the last. So a rebalance costs one list for each of these shards, however many objects
 * leave them. Lives on the ring's thread.
 */
final class Sources {

	/* Whatever cannot be watched by then is listed for each batch of objects. */
	private static final Duration KNOWN_WITHIN = Duration.ofSeconds(5);

	private static final Duration IDLE = Duration.ofSeconds(10);

	private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

	private final Map<String, Opened> sources = new HashMap<>();

	private final RingConnection connection;

	private final RingScope scope;

	private final EventLoop loop;

	private final LongSupplier nanoTime;

	private boolean scheduled;

	Sources(RingConnection connection, RingScope scope, EventLoop loop) {
		this.connection = connection;
		this.scope = scope;
		this.loop = loop;
		this.nanoTime = connection.nanoTime();
	}

	/**
	 * Tells whether an object may be asked for: what its owner has made is known, or will
	 * not be soon. Asking begins to find out.
	 */
	boolean isReady(ShardedObject object) {
		String owner = object.shard(this.scope.ring());
		if (owner == null || !this.scope.hasControlled(object.resource())) {
			return true;
		}
		Opened opened = this.sources.computeIfAbsent(owner, this::open);
		opened.used = this.nanoTime.getAsLong();
		closeIdle();
		return opened.source.isKnown() || opened.used - opened.since > KNOWN_WITHIN.toNanos();
	}

	/** What a shard has made, if that is known; otherwise it has to be listed. */
	@Nullable Source of(String shard) {
		Opened opened = this.sources.get(shard);
		if (opened == null || !opened.source.isKnown()) {
			return null;
		}
		opened.used = this.nanoTime.getAsLong();
		return opened.source;
	}

	void close() {
		this.sources.values().forEach((opened) -> opened.source.close());
		this.sources.clear();
	}

	private Opened open(String shard) {
		Map<ShardedResource, InformerSpec<PartialObjectMetadata>> specs = new LinkedHashMap<>();
		String label = ShardingLabels.shard(this.scope.ring()) + "=" + shard;
		for (ShardedResource resource : this.scope.controlled()) {
			specs.put(resource,
					InformerSpec.of(resource.type())
						.withLabelSelector(label)
						.withFieldSelector(this.scope.fieldSelector(resource)));
		}
		return new Opened(new Source(specs, this.connection, new ObjectReader(this.scope.ring()), this.loop),
				this.nanoTime.getAsLong());
	}

	private void closeIdle() {
		if (this.scheduled) {
			return;
		}
		this.scheduled = true;
		this.loop.schedule(() -> {
			this.scheduled = false;
			long now = this.nanoTime.getAsLong();
			this.sources.values().removeIf((opened) -> {
				boolean idle = now - opened.used > IDLE.toNanos();
				if (idle) {
					opened.source.close();
				}
				return idle;
			});
			if (!this.sources.isEmpty()) {
				closeIdle();
			}
		}, LOOK_EVERY);
	}

	private static final class Opened {

		private final Source source;

		private final long since;

		private long used;

		private Opened(Source source, long since) {
			this.source = source;
			this.since = since;
			this.used = since;
		}

	}

}

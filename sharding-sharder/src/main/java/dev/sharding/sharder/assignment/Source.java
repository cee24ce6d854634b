package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sharding.core.key.ShardingKey;
import dev.sharding.core.version.ResourceVersions;
import dev.sharding.kubernetes.informer.Informer;
import dev.sharding.kubernetes.informer.InformerSpec;
import dev.sharding.sharder.loop.EventLoop;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;

/**
 * What one shard has made: the controlled objects with its label, by a metadata watch for
 * each resource. A watch tells the past in order; so once it has told of a write that we
 * sent after a claim had ended, it has told of all that was written under that claim.
 * Lives on the ring's thread.
 */
final class Source implements AutoCloseable {

	private static final String MAIN = "main";

	/* A watch that is this late is not waited for. */
	private static final Duration TOLD_WITHIN = Duration.ofSeconds(1);

	private final Map<ShardedResource, Informer<PartialObjectMetadata>> informers = new LinkedHashMap<>();

	private final ObjectReader reader;

	private final EventLoop loop;

	private final List<Waiting> waiting = new ArrayList<>();

	Source(Map<ShardedResource, InformerSpec<PartialObjectMetadata>> specs, RingConnection connection,
			ObjectReader reader, EventLoop loop) {
		this.reader = reader;
		this.loop = loop;
		specs.forEach((resource, spec) -> {
			Informer<PartialObjectMetadata> informer = connection
				.informer(spec.withIndex(MAIN, (metadata) -> mainOf(resource, metadata)));
			informer.addHandler((event) -> loop.execute(this::settle));
			this.informers.put(resource, informer);
			informer.start();
		});
	}

	private Collection<String> mainOf(ShardedResource resource, PartialObjectMetadata metadata) {
		ShardingKey key = this.reader.read(resource, metadata.getMetadata()).shardingKey();
		return (key != null) ? List.of(key.toString()) : List.of();
	}

	/** Whether all that was there at first is known. */
	boolean isKnown() {
		return this.informers.values().stream().allMatch((informer) -> informer.store().watermark() != null);
	}

	/** What is known to be made for a main object and still has the shard's label. */
	List<ShardedObject> madeFor(ShardingKey main) {
		List<ShardedObject> made = new ArrayList<>();
		this.informers.forEach((resource, informer) -> informer.store()
			.byIndex(MAIN, main.toString())
			.forEach((metadata) -> made.add(this.reader.read(resource, metadata.getMetadata()))));
		return made;
	}

	/**
	 * Waits until the watch of a resource has told of a version.
	 * @return whether it has; {@code false} if that takes too long; never fails
	 */
	CompletableFuture<Boolean> told(ShardedResource resource, String version) {
		Waiting begun = new Waiting(resource, version, new CompletableFuture<>());
		this.waiting.add(begun);
		settle();
		return begun.told.completeOnTimeout(false, TOLD_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void settle() {
		if (this.waiting.isEmpty()) {
			return;
		}
		List<Waiting> over = this.waiting.stream().filter((one) -> one.told.isDone() || hasTold(one)).toList();
		this.waiting.removeAll(over);
		over.forEach((one) -> one.told.complete(true));
	}

	private boolean hasTold(Waiting one) {
		Informer<PartialObjectMetadata> informer = this.informers.get(one.resource);
		String watermark = (informer != null) ? informer.store().watermark() : null;
		return watermark != null && switch (ResourceVersions.compare(watermark, one.version)) {
			case AFTER, SAME -> true;
			case BEFORE, NOT_COMPARABLE -> false;
		};
	}

	@Override
	public void close() {
		this.informers.values().forEach(Informer::close);
		this.waiting.forEach((one) -> one.told.complete(false));
		this.waiting.clear();
	}

	private record Waiting(ShardedResource resource, String version, CompletableFuture<Boolean> told) {
	}

}

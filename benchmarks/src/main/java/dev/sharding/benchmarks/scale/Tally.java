package dev.sharding.benchmarks.scale;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import dev.sharding.benchmarks.cluster.SharderProcess;
import dev.sharding.benchmarks.cluster.Waiting;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Which objects of a resource have which shard, as a watch tells, from before the first
 * object on.
 */
final class Tally implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(60);

	private final MetadataWatch watch;

	/* All below is guarded by this. */

	private final Map<String, Seen> objects = new HashMap<>();

	private final Set<String> misplaced = new HashSet<>();

	private Function<String, String> shards = (name) -> "";

	private long lastChange;

	Tally(KubernetesClient client, String path, String ring) {
		this.watch = new MetadataWatch(client, path, ring, null, this::seen);
	}

	private synchronized void seen(MetadataWatch.Event event) {
		if (event.type().equals("DELETED")) {
			this.objects.remove(event.name());
			this.misplaced.remove(event.name());
			return;
		}
		this.objects.put(event.name(), new Seen(event.version(), event.uid(), event.shard()));
		if (event.shard().equals(this.shards.apply(event.name()))) {
			if (this.misplaced.remove(event.name())) {
				this.lastChange = System.nanoTime();
			}
		}
		else {
			this.misplaced.add(event.name());
		}
	}

	/**
	 * From now on each object should be with the shard that this names, empty for none.
	 */
	synchronized void expect(Function<String, String> expected) {
		this.shards = expected;
		this.misplaced.clear();
		this.objects.forEach((name, seen) -> {
			if (!seen.shard.equals(expected.apply(name))) {
				this.misplaced.add(name);
			}
		});
	}

	/** Waits until the watch has shown so many objects. */
	void awaitObjects(int count) {
		Waiting.until("a watch to show " + count + " objects", PATIENCE, () -> {
			this.watch.check();
			return objects() >= count;
		});
	}

	/**
	 * Waits until all objects are where they should be.
	 * @return when the last of them was, by the monotonic clock
	 */
	long await(SharderProcess sharder) {
		return await(sharder, 0);
	}

	/** Waits until no more than so many objects are not where they should be. */
	long await(SharderProcess sharder, int rest) {
		Waiting.until("all objects to be in place", PATIENCE, () -> {
			if (!sharder.isAlive()) {
				throw new IllegalStateException("The sharder has ended, see " + sharder.log());
			}
			return misplaced() <= rest;
		});
		return lastChange();
	}

	synchronized int misplaced() {
		this.watch.check();
		return this.misplaced.size();
	}

	synchronized List<String> misplacedNames() {
		return List.copyOf(this.misplaced);
	}

	synchronized int objects() {
		return this.objects.size();
	}

	synchronized long lastChange() {
		return this.lastChange;
	}

	/** The version of an object, and its uid, as of now. */
	synchronized Seen of(String name) {
		return this.objects.getOrDefault(name, new Seen("", "", ""));
	}

	synchronized List<String> names() {
		return List.copyOf(this.objects.keySet());
	}

	@Override
	public void close() {
		this.watch.close();
	}

	/**
	 * An object as it was last.
	 *
	 * @param shard empty without one
	 */
	record Seen(String version, String uid, String shard) {
	}

}

package dev.sharding.sharder.assignment;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.ring.HashRing;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.sharder.assignment.ResourceProblems.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Finds the objects of namespaces that have come into the scope of a ring: no watch tells
 * of them again. One list of each namespace and main resource; where many come at a time,
 * one of all objects that no available shard owns, as a list for each may be thousands.
 */
final class Arrivals {

	/* As many lists of small namespaces are as good as one of all. */
	private static final int EACH = 3;

	private final RingScope scope;

	private final MetadataLists lists;

	private final ResourceProblems problems;

	private final Consumer<List<ShardedObject>> found;

	private final Runnable failed;

	private volatile boolean stopped;

	/**
	 * @param found gets the objects, by pages, on any thread
	 * @param failed called on any thread when something could not be listed
	 */
	Arrivals(RingScope scope, MetadataLists lists, ResourceProblems problems, Consumer<List<ShardedObject>> found,
			Runnable failed) {
		this.scope = scope;
		this.lists = lists;
		this.problems = problems;
		this.found = found;
		this.failed = failed;
	}

	/** Lists what is in the namespaces. */
	void list(Set<String> namespaces, HashRing ring) {
		if (ring.shards().isEmpty()) {
			// The first shard finds all objects anyway.
			return;
		}
		CompletableFuture<Void> before = CompletableFuture.completedFuture(null);
		for (ShardedResource main : this.scope.main()) {
			if (!main.type().namespaced()) {
				continue;
			}
			if (namespaces.size() > EACH) {
				before = before.thenCompose((done) -> list(this.lists, main, unowned(this.scope.ring(), ring)));
			}
			else {
				for (String namespace : namespaces) {
					before = before.thenCompose((done) -> list(this.lists.in(namespace), main, null));
				}
			}
		}
	}

	private CompletableFuture<Void> list(MetadataLists from, ShardedResource main, @Nullable String selector) {
		return from.list(main, selector, () -> this.stopped, this.found).handle((done, failure) -> {
			if (failure == null) {
				this.problems.succeeded(main.toString(), Operation.LIST);
			}
			else if (!this.stopped) {
				this.problems.failed(main.toString(), Operation.LIST,
						String.valueOf(ApiException.of(failure).getMessage()));
				this.failed.run();
			}
			return null;
		});
	}

	void stop() {
		this.stopped = true;
	}

	/** Selects the objects of a ring that none of its available shards owns. */
	static String unowned(String ring, HashRing available) {
		return ShardingLabels.shard(ring) + " notin (" + String.join(",", available.shards()) + ")";
	}

}

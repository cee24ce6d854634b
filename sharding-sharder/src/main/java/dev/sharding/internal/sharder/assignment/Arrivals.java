package dev.sharding.internal.sharder.assignment;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists.Page;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems.Operation;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * Finds the objects of namespaces that have come into the scope of a ring: no watch tells
 * of them again. One list of each namespace and main resource; where many come at a time,
 * one of all objects that no available shard owns, as a list for each may be thousands.
 * What was listed before a change of membership is not judged after it, as it may have
 * got an owner in between: it is listed anew. Lives on the ring's thread.
 */
final class Arrivals {

	/* As many lists of small namespaces are as good as one of all. */
	private static final int EACH = 3;

	private final RingScope scope;

	private final MetadataLists lists;

	private final ResourceProblems problems;

	private final EventLoop loop;

	private final Function<ShardedResource, Function<Page, CompletableFuture<?>>> found;

	private final Runnable failed;

	/* What was begun under an older number does not count any more. */
	private volatile int pass;

	/* The namespaces that are listed now. */
	private final List<Set<String>> underWay = new ArrayList<>();

	/**
	 * @param found gets the pages of one list of a resource, on any thread, as long as
	 * they are wanted
	 * @param failed called on the ring's thread when something could not be listed
	 */
	Arrivals(RingScope scope, MetadataLists lists, ResourceProblems problems, EventLoop loop,
			Function<ShardedResource, Function<Page, CompletableFuture<?>>> found, Runnable failed) {
		this.scope = scope;
		this.lists = lists;
		this.problems = problems;
		this.loop = loop;
		this.found = found;
		this.failed = failed;
	}

	/** Lists what is in the namespaces. */
	void list(Set<String> namespaces, HashRing ring) {
		if (ring.shards().isEmpty()) {
			// The first shard finds all objects anyway.
			return;
		}
		int mine = this.pass;
		this.underWay.add(namespaces);
		CompletableFuture<Void> before = CompletableFuture.completedFuture(null);
		for (ShardedResource main : this.scope.main()) {
			if (!main.type().namespaced()) {
				continue;
			}
			if (namespaces.size() > EACH) {
				before = before.thenCompose((done) -> list(mine, this.lists, main, unowned(this.scope.ring(), ring)));
			}
			else {
				for (String namespace : namespaces) {
					before = before.thenCompose((done) -> list(mine, this.lists.in(namespace), main, null));
				}
			}
		}
		before.whenComplete((done, failure) -> ifWanted(mine, () -> this.underWay.remove(namespaces)));
	}

	private CompletableFuture<Void> list(int mine, MetadataLists from, ShardedResource main,
			@Nullable String selector) {
		return from.list(main, selector, () -> this.pass != mine, this.found.apply(main)).handle((done, failure) -> {
			if (failure == null) {
				this.problems.succeeded(main.toString(), Operation.LIST);
			}
			else if (this.pass == mine) {
				this.problems.failed(main.toString(), Operation.LIST,
						String.valueOf(ApiException.of(failure).getMessage()));
				ifWanted(mine, this.failed);
			}
			return null;
		});
	}

	private void ifWanted(int mine, Runnable task) {
		this.loop.execute(() -> {
			if (this.pass == mine) {
				task.run();
			}
		});
	}

	/** Whether no list is under way. */
	boolean isIdle() {
		return this.underWay.isEmpty();
	}

	/** Lists what is under way anew, as membership is another. */
	void restart(HashRing ring) {
		List<Set<String>> again = List.copyOf(this.underWay);
		stop();
		again.forEach((namespaces) -> list(namespaces, ring));
	}

	/** Lists nothing more of what was asked for so far. */
	void stop() {
		this.pass++;
		this.underWay.clear();
	}

	/** Selects the objects of a ring that none of its available shards owns. */
	static String unowned(String ring, HashRing available) {
		return ShardingLabels.shard(ring) + " notin (" + String.join(",", available.shards()) + ")";
	}

}

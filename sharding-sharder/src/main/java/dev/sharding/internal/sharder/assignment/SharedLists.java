package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Lists of controlled objects that several batches of main objects share: of those that
 * leave one shard one list is under way at a time, and all that ask meanwhile share the
 * next one. So their number grows with the time that a hand-over takes, not with the
 * number of batches. Lives on the ring's thread.
 */
final class SharedLists {

	private static final Duration BETWEEN_LISTS = Duration.ofMillis(150);

	/* Where owners let go slowly, a longer pause costs no pace and saves lists. */
	private static final Duration BETWEEN_LISTS_FOR_FEW = Duration.ofMillis(300);

	private static final int FEW = 32;

	private final ControlledLists lists;

	private final EventLoop loop;

	private final Map<Object, List<Asker>> waiting = new HashMap<>();

	private final Set<Object> listing = new HashSet<>();

	SharedLists(ControlledLists lists, EventLoop loop) {
		this.lists = lists;
		this.loop = loop;
	}

	/**
	 * Lists the objects that bear the label of a shard, as of now or later.
	 * @param origin who has the same shares a list
	 * @param shard the shard, or {@code null} for all objects
	 * @param resources what to list
	 * @param members for how many main objects
	 * @param page gets the objects, and some of other resources, on threads of the
	 * transport
	 * @return completes on the ring's thread when all are listed; never fails
	 */
	CompletableFuture<Void> list(Object origin, @Nullable String shard, Set<ShardedResource> resources, int members,
			Consumer<List<ShardedObject>> page) {
		Asker asker = new Asker(resources, members, page, new CompletableFuture<>());
		this.waiting.computeIfAbsent(origin, (same) -> new ArrayList<>()).add(asker);
		if (this.listing.add(origin)) {
			list(origin, shard);
		}
		return asker.listed;
	}

	private void list(Object origin, @Nullable String shard) {
		List<Asker> askers = this.waiting.remove(origin);
		if (askers == null) {
			this.listing.remove(origin);
			return;
		}
		Set<ShardedResource> resources = new LinkedHashSet<>();
		askers.forEach((asker) -> resources.addAll(asker.resources));
		int members = askers.stream().mapToInt(Asker::members).sum();
		this.lists.list(resources, shard, () -> false, (page) -> {
			askers.forEach((asker) -> asker.page.accept(page));
			return CompletableFuture.completedFuture(null);
		}).thenRunAsync(() -> {
			askers.forEach((asker) -> asker.listed.complete(null));
			this.loop.schedule(() -> list(origin, shard), (members < FEW) ? BETWEEN_LISTS_FOR_FEW : BETWEEN_LISTS);
		}, this.loop);
	}

	private record Asker(Set<ShardedResource> resources, int members, Consumer<List<ShardedObject>> page,
			CompletableFuture<Void> listed) {
	}

}

package dev.sharding.internal.sharder.assignment.placement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.internal.core.key.ShardingKey;
import org.jspecify.annotations.Nullable;

/**
 * The controlled objects that something was sent about, by their main object. Safe for
 * use by many threads.
 */
public final class UnderWay {

	/* Each set is read and changed under the lock of its key only. */
	private final Map<ShardingKey, Set<CompletableFuture<Placement>>> placements = new ConcurrentHashMap<>();

	/**
	 * Something is about to be sent; to be told again is harmless.
	 * @param result completes when it is known what became of it, and does not fail
	 */
	void add(ShardingKey main, CompletableFuture<Placement> result) {
		this.placements.compute(main, (same, all) -> {
			Set<CompletableFuture<Placement>> more = (all != null) ? all : new HashSet<>();
			more.add(result);
			return more;
		});
		result.whenComplete((done, never) -> this.placements.computeIfPresent(main, (same, all) -> {
			all.remove(result);
			return all.isEmpty() ? null : all;
		}));
	}

	/**
	 * Waits for all that has been sent by now of what a main object controls.
	 * @return what became of it, {@code null} if there is nothing; never fails
	 */
	public @Nullable CompletableFuture<List<Placement>> of(ShardingKey main) {
		List<CompletableFuture<Placement>> all = new ArrayList<>();
		this.placements.computeIfPresent(main, (same, results) -> {
			results.forEach((result) -> all.add(result.copy()));
			return results;
		});
		return all.isEmpty() ? null : CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
			.thenApply((done) -> all.stream().map(CompletableFuture::join).toList());
	}

}

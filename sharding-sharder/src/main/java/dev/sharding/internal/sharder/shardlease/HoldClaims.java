package dev.sharding.internal.sharder.shardlease;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sharding.internal.core.key.ShardingNames;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Who wants which shards held. Lives on the thread of {@link ShardLeases}.
 */
final class HoldClaims {

	private final Map<ShardName, Set<Claim>> claims = new HashMap<>();

	private final LeaseBook book;

	private final EventLoop loop;

	private final Consumer<ShardName> unwanted;

	/**
	 * @param unwanted called with a shard that nobody wants held any more
	 */
	HoldClaims(LeaseBook book, EventLoop loop, Consumer<ShardName> unwanted) {
		this.book = book;
		this.loop = loop;
		this.unwanted = unwanted;
	}

	/** Whether somebody wants the shard held. */
	boolean wants(ShardName shard) {
		return this.claims.containsKey(shard);
	}

	/** Whether somebody waits for a hold on the shard. */
	boolean isWaitedFor(ShardName shard) {
		return this.claims.getOrDefault(shard, Set.of()).stream().anyMatch((claim) -> !claim.future.isDone());
	}

	/** Adds a wish; failing its future withdraws it. */
	void add(ShardName shard, CompletableFuture<@Nullable ShardHold> future) {
		Claim claim = new Claim(shard, future);
		this.claims.computeIfAbsent(shard, (same) -> new LinkedHashSet<>()).add(claim);
		claim.future.whenComplete((hold, failure) -> {
			if (failure != null) {
				this.loop.execute(() -> remove(claim));
			}
		});
	}

	/**
	 * Grants what can be granted. Where the shard is available, there is nothing to hold.
	 */
	void settle(ShardName shard, Moment now) {
		Set<Claim> waiting = this.claims.get(shard);
		if (waiting == null) {
			return;
		}
		if (this.book.isAvailable(shard, now) || !this.book.rings().contains(shard.ring())) {
			List.copyOf(waiting).forEach((claim) -> {
				if (!claim.future.isDone()) {
					remove(claim);
					claim.future.complete(null);
				}
			});
			return;
		}
		List<HoldTerm> tenures = tenures(shard);
		if (tenures != null) {
			waiting.stream()
				.filter((claim) -> !claim.future.isDone())
				.toList()
				.forEach((claim) -> grant(claim, tenures));
		}
	}

	/** Grants a hold on a shard that cannot come back, as there is no Lease for it. */
	void settleWithoutLease(ShardName shard) {
		Set<Claim> waiting = this.claims.getOrDefault(shard, Set.of());
		waiting.stream().filter((claim) -> !claim.future.isDone()).toList().forEach((claim) -> grant(claim, List.of()));
	}

	private void grant(Claim claim, List<HoldTerm> tenures) {
		claim.future.complete(new LeaseHold(claim.shard.name(), tenures, () -> this.loop.execute(() -> remove(claim))));
	}

	private void remove(Claim claim) {
		Set<Claim> left = this.claims.get(claim.shard);
		if (left != null && left.remove(claim) && left.isEmpty()) {
			this.claims.remove(claim.shard);
			this.loop.execute(() -> this.unwanted.accept(claim.shard));
		}
	}

	/* How all Leases of a shard are held, or null if one of them is not. */
	private @Nullable List<HoldTerm> tenures(ShardName shard) {
		List<ObjectKey> leases = this.book.of(shard);
		if (leases.isEmpty()) {
			return isPossible(shard.name()) ? null : List.of();
		}
		List<HoldTerm> tenures = new ArrayList<>();
		for (ObjectKey key : leases) {
			TrackedLease lease = this.book.get(key);
			HoldTerm holdTerm = (lease != null) ? lease.holdTerm() : null;
			if (holdTerm == null || !holdTerm.isValid()) {
				return null;
			}
			tenures.add(holdTerm);
		}
		return tenures;
	}

	/* No Lease can have a name like that, so no shard has. */
	private static boolean isPossible(String shard) {
		try {
			ShardingNames.requireShard(shard);
			return true;
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	/**
	 * One wish to have a shard held.
	 */
	private record Claim(ShardName shard, CompletableFuture<@Nullable ShardHold> future) {

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this);
		}

	}

}

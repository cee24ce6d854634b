package dev.sharding.internal.kubernetes.reconcile;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.fence.Claims;

/**
 * What a controller of a ring needs, so that no two shards act on one object.
 *
 * @param claims begins and ends claims on main objects
 * @param refreshOwned brings the caches of the controlled resources up to date with the
 * moment of the call, before the first reconcile of an object that is taken over;
 * {@code null} if there are none, or nobody wants to wait for that
 * @param moves hears of what comes and goes
 * @param pasts finds out for which objects that is not needed
 */
public record HandOver(Claims claims, @Nullable Supplier<CompletableFuture<Void>> refreshOwned, Moves moves,
		ObjectPasts pasts) {
}

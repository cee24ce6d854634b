package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems.Operation;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * Lists controlled objects, with patience while the API server is away, overloaded or
 * without its storage, and where lists expire before they end. A resource that is not
 * there, forbidden or refused time and again is reported and counts as empty: its main
 * objects must get an owner all the same.
 */
final class ControlledLists {

	private static final Duration FIRST_RETRY = Duration.ofMillis(250);

	private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

	/*
	 * After two seconds: an API server that has just started does not know all rights
	 * yet.
	 */
	private static final int TRIES_WITHOUT_RIGHTS = 4;

	/* After eight. */
	private static final int TRIES_REFUSED = 6;

	/*
	 * After two minutes: etcd may be away, but a webhook that converts objects may also
	 * be gone for good.
	 */
	private static final int TRIES_BROKEN = 28;

	private final String shardLabel;

	private final MetadataLists lists;

	private final EventLoop loop;

	private final ResourceProblems problems;

	ControlledLists(RingScope scope, MetadataLists lists, EventLoop loop, ResourceProblems problems) {
		this.shardLabel = ShardingLabels.shard(scope.ring());
		this.lists = lists;
		this.loop = loop;
		this.problems = problems;
	}

	/**
	 * Lists the objects that bear the label of a shard.
	 * @param shard the shard, or {@code null} for all objects
	 * @param stopped asked before each page; {@code true} ends the lists early
	 * @param page gets the objects, on a thread of the transport; several resources are
	 * listed at a time, and a second try shows objects again. The next page comes when
	 * what it returns completes, which must not fail
	 * @return completes when all are listed; never fails
	 */
	CompletableFuture<Void> list(Collection<ShardedResource> resources, @Nullable String shard, BooleanSupplier stopped,
			Function<List<ShardedObject>, CompletableFuture<?>> page) {
		String selector = (shard != null) ? this.shardLabel + "=" + shard : null;
		return CompletableFuture.allOf(resources.stream()
			.map((resource) -> list(resource, selector, stopped, page, 1))
			.toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<Void> list(ShardedResource resource, @Nullable String selector, BooleanSupplier stopped,
			Function<List<ShardedObject>, CompletableFuture<?>> page, int tries) {
		return this.lists
			.list(resource, selector, () -> stopped.getAsBoolean() || this.loop.isClosed(),
					(one) -> page.apply(one.objects()))
			.handle((done, failure) -> {
				if (failure == null) {
					this.problems.succeeded(resource.toString(), Operation.LIST);
					return CompletableFuture.<Void>completedFuture(null);
				}
				ApiException exception = ApiException.of(failure);
				this.problems.failed(resource.toString(), Operation.LIST, String.valueOf(exception.getMessage()));
				if (isHopeless(exception.status(), tries)) {
					return CompletableFuture.<Void>completedFuture(null);
				}
				CompletableFuture<Void> again = new CompletableFuture<>();
				this.loop.schedule(
						() -> list(resource, selector, stopped, page, tries + 1).thenRun(() -> again.complete(null)),
						backoff(tries));
				return again;
			})
			.thenCompose((rest) -> rest);
	}

	private static Duration backoff(int tries) {
		Duration backoff = FIRST_RETRY.multipliedBy(1L << Math.min(tries - 1, 10));
		return (backoff.compareTo(LONGEST_RETRY) < 0) ? backoff : LONGEST_RETRY;
	}

	/**
	 * Whether to take a resource for empty.
	 * @param status why its list failed last, 0 for no answer
	 * @param tries how often it failed in a row, from 1
	 */
	static boolean isHopeless(int status, int tries) {
		return switch (status) {
			case 0, 410, 429, 503 -> false;
			case 404 -> true;
			case 403 -> tries >= TRIES_WITHOUT_RIGHTS;
			default -> tries >= ((status < 500) ? TRIES_REFUSED : TRIES_BROKEN);
		};
	}

}

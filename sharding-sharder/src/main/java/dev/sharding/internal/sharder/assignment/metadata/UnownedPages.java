package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems.Operation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists the objects of one main resource that no available shard owns, page by page, as
 * fast as the listener has room for them. What is done does not match any more, so a list
 * that has to begin anew repeats nothing. Threadsafe.
 */
final class UnownedPages implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(UnownedPages.class);

	private static final Duration RETRY = Duration.ofMillis(800);

	private final String ring;

	private final ShardedResource resource;

	private final String labelSelector;

	private final MetadataLists lists;

	private final ResourceProblems problems;

	private final UnownedWatch.Listener listener;

	private final CompletableFuture<Void> synced = new CompletableFuture<>();

	private final AtomicInteger count = new AtomicInteger();

	/* The pages that come at present; those of an earlier number have ended. */
	private volatile int walk;

	private volatile boolean walking;

	/* Whether to list once more when the pages have ended. */
	private boolean again;

	private volatile boolean closed;

	UnownedPages(String ring, ShardedResource resource, String labelSelector, MetadataLists lists,
			ResourceProblems problems, UnownedWatch.Listener listener) {
		this.ring = ring;
		this.resource = resource;
		this.labelSelector = labelSelector;
		this.lists = lists;
		this.problems = problems;
		this.listener = listener;
	}

	/** Completes when all that was there at first is told. */
	CompletableFuture<Void> synced() {
		return this.synced.copy();
	}

	/** Whether pages come, or are waited for. */
	boolean isListing() {
		return this.walking;
	}

	/** How many pages have come. */
	int count() {
		return this.count.get();
	}

	/**
	 * Begins to list, in place of what is being listed.
	 * @return the version of the list, as soon as its first page is there; fails if that
	 * cannot be had
	 */
	CompletableFuture<String> begin() {
		CompletableFuture<String> begun = new CompletableFuture<>();
		walk(begun);
		return begun;
	}

	/**
	 * Lists once more when the pages have ended: what was passed over may be taken in.
	 */
	synchronized void again() {
		this.again = true;
		if (!this.walking && !this.closed) {
			walk(null);
		}
	}

	private synchronized void walk(@Nullable CompletableFuture<String> begun) {
		int mine = ++this.walk;
		this.walking = true;
		this.again = false;
		this.lists.list(this.resource, this.labelSelector, () -> this.closed || this.walk != mine, (page) -> {
			this.count.incrementAndGet();
			if (begun != null) {
				begun.complete(page.version());
			}
			return this.listener.listed(page, this::again);
		}).whenComplete((done, failure) -> walked(mine, begun, failure));
	}

	private synchronized void walked(int mine, @Nullable CompletableFuture<String> begun, @Nullable Throwable failure) {
		if (this.walk != mine || this.closed) {
			return;
		}
		this.walking = false;
		if (failure == null) {
			this.problems.succeeded(this.resource.toString(), Operation.LIST);
			this.synced.complete(null);
			if (this.again) {
				walk(null);
			}
		}
		else if (begun == null || !begun.completeExceptionally(ApiException.of(failure))) {
			// The watch goes on, so it is the pages that are missing.
			ApiException reason = ApiException.of(failure);
			String message = String.valueOf(reason.getMessage());
			Duration asked = reason.retryAfter();
			Duration wait = (asked != null && asked.compareTo(RETRY) > 0) ? asked : RETRY;
			log.debug("List ended early and begins anew ring={} resource={} reason=\"{}\"", this.ring, this.resource,
					message);
			this.problems.failed(this.resource.toString(), Operation.LIST, message);
			CompletableFuture.delayedExecutor(wait.toMillis(), TimeUnit.MILLISECONDS).execute(() -> resume(mine));
		}
	}

	private synchronized void resume(int mine) {
		if (this.walk == mine && !this.closed) {
			walk(null);
		}
	}

	@Override
	public void close() {
		this.closed = true;
	}

}

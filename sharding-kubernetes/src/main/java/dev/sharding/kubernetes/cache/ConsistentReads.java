package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.core.version.ResourceVersions;
import dev.sharding.core.version.ResourceVersions.Order;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiException;

/**
 * Brings the store of a resource up to the freshness that a reader asks for.
 */
final class ConsistentReads<T extends HasMetadata> {

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private static final int NOT_FOUND = 404;

	private final ResourceType<T> type;

	private final ResourceWriter<T> requests;

	ConsistentReads(ResourceType<T> type, ResourceWriter<T> requests) {
		this.type = type;
		this.requests = requests;
	}

	/**
	 * Returns when the store is as fresh as asked for; at once if that asks for no wait.
	 */
	void await(OverlaidStore<T> store, Freshness freshness) {
		Duration deadline = freshness.deadline();
		if (deadline != null && !hasReached(store, freshness.version())) {
			await(store.refresh(), deadline);
		}
	}

	/**
	 * Reads one object from the API server, and hands what it saw to the cache, so that
	 * no later read shows something older.
	 */
	Optional<T> get(OverlaidStore<T> store, ObjectKey key, Freshness freshness) {
		Duration deadline = Objects.requireNonNull(freshness.deadline());
		long start = System.nanoTime();
		T answer = ask(key, deadline);
		if (answer != null && store.isInScope(answer)) {
			store.overlay().handIn(answer);
			return Optional.of(answer);
		}
		if (store.get(key) != null) {
			Duration left = deadline.minusNanos(System.nanoTime() - start);
			await(store.refresh(), left.isNegative() ? Duration.ZERO : left);
		}
		return Optional.empty();
	}

	private @Nullable T ask(ObjectKey key, Duration deadline) {
		try {
			return this.requests.get(key, deadline);
		}
		catch (ApiException ex) {
			if (ex.status() == NOT_FOUND) {
				return null;
			}
			throw failure(ex.getMessage(), (ex.retryAfter() != null) ? ex.retryAfter() : RETRY_AFTER, ex);
		}
	}

	private boolean hasReached(OverlaidStore<T> store, @Nullable String version) {
		String watermark = (version != null) ? store.watermark() : null;
		if (watermark == null || version == null) {
			return false;
		}
		Order order = ResourceVersions.compare(watermark, version);
		return order == Order.SAME || order == Order.AFTER;
	}

	private void await(CompletableFuture<Void> refreshed, Duration deadline) {
		try {
			refreshed.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw failure("no consistent state within %d ms".formatted(deadline.toMillis()), RETRY_AFTER, ex);
		}
		catch (ExecutionException ex) {
			throw failure(String.valueOf(ex.getCause()), RETRY_AFTER, ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure("interrupted", RETRY_AFTER, ex);
		}
	}

	private ConsistentReadException failure(@Nullable String reason, Duration retryAfter, @Nullable Throwable cause) {
		return new ConsistentReadException("Failed to read %s consistently: %s; try again in %d ms".formatted(this.type,
				reason, retryAfter.toMillis()), retryAfter, cause);
	}

}

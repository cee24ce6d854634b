package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.cache.check.InformerKey;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.informer.InformerStatus;

/**
 * The informers of the caches, of which the controllers need some and merely read others.
 *
 * @param stores what lies above them
 */
record CachedInformers(Map<InformerKey, OverlaidStore<?>> stores) {

	private static final Logger logger = LoggerFactory.getLogger(InformerCaches.class);

	private static final Duration REFRESH = Duration.ofSeconds(30);

	Map<String, InformerStatus> statuses(Predicate<InformerKey> which) {
		Map<String, InformerStatus> statuses = new LinkedHashMap<>();
		this.stores.forEach((key, store) -> {
			if (which.test(key)) {
				statuses.put(key.toString(), store.informer().status());
			}
		});
		return statuses;
	}

	/** Completes when those have had their first lists. */
	CompletableFuture<Void> synced(Predicate<InformerKey> which) {
		return CompletableFuture.allOf(this.stores.entrySet()
			.stream()
			.filter((entry) -> which.test(entry.getKey()))
			.map((entry) -> entry.getValue().informer().synced())
			.toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Completes when those that are needed are consistent, and others as far as can be.
	 */
	CompletableFuture<Void> refresh(Predicate<InformerKey> needed) {
		List<CompletableFuture<?>> all = new ArrayList<>();
		this.stores
			.forEach((key, store) -> all.add(needed.test(key) ? store.informer().refresh() : tryToRefresh(key, store)));
		return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
	}

	/** One resource that cannot be read must not keep the shard from all the others. */
	private static CompletableFuture<?> tryToRefresh(InformerKey key, OverlaidStore<?> store) {
		return store.informer().catchUp().orTimeout(REFRESH.toSeconds(), TimeUnit.SECONDS).handle((how, failure) -> {
			if (failure != null) {
				logger.warn("Failed to refresh a cache, going on without resource={} reason=\"{}\"", key,
						failure.toString());
			}
			return how;
		});
	}

}

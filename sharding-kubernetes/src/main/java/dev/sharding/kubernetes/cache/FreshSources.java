package dev.sharding.kubernetes.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.core.version.ResourceVersions;

/**
 * Chooses the source of consistent lists of one resource.
 */
final class FreshSources<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(InformerCaches.class);

	private final ReadStrategy wanted;

	private final Function<ReadStrategy, Function<OverlaidStore<T>, FreshSource<T>>> factory;

	/** One of each strategy, so that all readers share its work. */
	private final ConcurrentMap<ReadStrategy, FreshSource<T>> sources = new ConcurrentHashMap<>();

	FreshSources(ReadStrategy wanted, Function<ReadStrategy, Function<OverlaidStore<T>, FreshSource<T>>> factory) {
		this.wanted = wanted;
		this.factory = factory;
	}

	/**
	 * The source for a store. Memory cannot tell how far it is if versions have no order.
	 */
	FreshSource<T> of(OverlaidStore<T> store) {
		String watermark = store.watermark();
		if (this.wanted == ReadStrategy.LIVE || watermark == null || ResourceVersions.isComparable(watermark)) {
			return source(this.wanted, store);
		}
		if (!this.sources.containsKey(ReadStrategy.LIVE)) {
			logger.info("Resource versions cannot be compared, so consistent reads list at the API server resource={}",
					store.informer().spec().type());
		}
		return source(ReadStrategy.LIVE, store);
	}

	FreshSource<T> live(OverlaidStore<T> store) {
		return source(ReadStrategy.LIVE, store);
	}

	private FreshSource<T> source(ReadStrategy strategy, OverlaidStore<T> store) {
		return this.sources.computeIfAbsent(strategy, (absent) -> this.factory.apply(strategy).apply(store));
	}

}

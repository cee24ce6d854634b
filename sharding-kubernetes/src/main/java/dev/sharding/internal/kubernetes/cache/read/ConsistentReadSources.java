package dev.sharding.internal.kubernetes.cache.read;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.InForce;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.Origin;
import dev.sharding.internal.kubernetes.informer.store.StoreView;

/**
 * Chooses the source of consistent lists of one resource.
 */
public final class ConsistentReadSources<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(ConsistentReadSources.class);

	private final Function<@Nullable String, InForce> inForce;

	private final Function<ReadStrategy, Function<OverlaidStore<T>, ConsistentReadSource<T>>> factory;

	/** One of each strategy, so that all readers share its work. */
	private final ConcurrentMap<ReadStrategy, Made<T>> sources = new ConcurrentHashMap<>();

	/**
	 * Creates the sources.
	 * @param inForce the strategy in force, by the watermark of the store
	 * @param factory makes a source of a strategy
	 */
	public ConsistentReadSources(Function<@Nullable String, InForce> inForce,
			Function<ReadStrategy, Function<OverlaidStore<T>, ConsistentReadSource<T>>> factory) {
		this.inForce = inForce;
		this.factory = factory;
	}

	/** The source for a store, by the strategy in force. */
	ConsistentReadSource<T> of(OverlaidStore<T> store) {
		InForce now = this.inForce.apply(store.watermark());
		if (now.origin() == Origin.VERSIONS && !this.sources.containsKey(ReadStrategy.LIVE)) {
			logger.info("Resource versions cannot be compared, so consistent reads list at the API server resource={}",
					store.informer().spec().type());
		}
		return source(now.strategy(), store);
	}

	ConsistentReadSource<T> live(OverlaidStore<T> store) {
		return source(ReadStrategy.LIVE, store);
	}

	/** The stores so far are those of another name of the shard. */
	void forget() {
		this.sources.clear();
	}

	private ConsistentReadSource<T> source(ReadStrategy strategy, OverlaidStore<T> store) {
		Made<T> made = this.sources.get(strategy);
		if (made == null || made.store() != store.plain()) {
			made = this.sources.compute(strategy, (key, other) -> (other != null && other.store() == store.plain())
					? other : new Made<>(store.plain(), this.factory.apply(strategy).apply(store)));
		}
		return made.source();
	}

	/**
	 * A source of one store, which another takes the place of when the shard gets another
	 * name.
	 */
	private record Made<S extends HasMetadata>(StoreView<S> store, ConsistentReadSource<S> source) {
	}

}

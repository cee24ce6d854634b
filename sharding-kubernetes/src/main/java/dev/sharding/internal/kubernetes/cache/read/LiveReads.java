package dev.sharding.internal.kubernetes.cache.read;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.cache.Freshness;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ObjectKey;

/**
 * What is special about reads of freshness {@link Freshness#LIVE}: the limits hold for
 * one object too, as somebody chose to send the request. The cache learns from every list
 * of its scope that the API server answers, whoever asked for it.
 */
final class LiveReads<T extends HasMetadata> {

	/** Their strategy, for the meters. */
	static final String STRATEGY = "request";

	private final ResourceReader<T> reader;

	LiveReads(ResourceReader<T> reader) {
		this.reader = reader.limited();
	}

	/** Asks for one object. */
	ResourceReader<T> reader() {
		return this.reader;
	}

	/**
	 * Hands an answer to the cache, so that no later read shows anything older. What is
	 * not in it may have left the scope and come back, so it is absent at the version of
	 * the answer, and what the watch tells of it later is seen.
	 */
	void learn(OverlaidStore<T> store, StoreView<T> answer) {
		StoreView<T> memory = store.plain();
		for (T object : answer.list()) {
			T known = memory.get(ObjectKey.of(object));
			if (known == null || isOlder(known, object)) {
				store.overlay().handInSeen(object);
			}
		}
		store.overlay().handInList(answer);
	}

	private static boolean isOlder(HasMetadata known, HasMetadata object) {
		Order order = ResourceVersions.compare(known.getMetadata().getResourceVersion(),
				object.getMetadata().getResourceVersion());
		return order != Order.SAME && order != Order.AFTER;
	}

}

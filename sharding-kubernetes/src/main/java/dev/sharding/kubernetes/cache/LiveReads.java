package dev.sharding.kubernetes.cache;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.core.version.ResourceVersions;
import dev.sharding.core.version.ResourceVersions.Order;
import dev.sharding.kubernetes.informer.StoreView;
import dev.sharding.kubernetes.resource.ObjectKey;

/**
 * What reads of freshness {@link Freshness#LIVE} ask, and what the cache learns from
 * their answers. Unlike the questions of the caches themselves they pass through the
 * limits, as each is a request that somebody chose to send.
 */
final class LiveReads<T extends HasMetadata> {

	/** Their strategy, for the meters. */
	static final String STRATEGY = "request";

	private final ResourceReader<T> reader;

	/** One, so that all readers share its work. */
	private @Nullable FreshSource<T> source;

	LiveReads(ResourceReader<T> reader) {
		this.reader = reader.limited();
	}

	/** Asks for one object. */
	ResourceReader<T> reader() {
		return this.reader;
	}

	/** Asks for the scope of a store. */
	synchronized FreshSource<T> source(OverlaidStore<T> store) {
		if (this.source == null) {
			this.source = new LiveSource<>(store.informer().spec(), this.reader);
		}
		return this.source;
	}

	/**
	 * Hands an answer to the cache, so that no later read shows an older state of what is
	 * in it. What is not in it may have left the scope and come back, so the cache keeps
	 * it until its watch says more.
	 */
	void learn(OverlaidStore<T> store, StoreView<T> answer) {
		StoreView<T> memory = store.plain();
		for (T object : answer.list()) {
			T known = memory.get(ObjectKey.of(object));
			if (known == null || isOlder(known, object)) {
				store.overlay().handInSeen(object);
			}
		}
	}

	private static boolean isOlder(HasMetadata known, HasMetadata object) {
		Order order = ResourceVersions.compare(known.getMetadata().getResourceVersion(),
				object.getMetadata().getResourceVersion());
		return order != Order.SAME && order != Order.AFTER;
	}

}

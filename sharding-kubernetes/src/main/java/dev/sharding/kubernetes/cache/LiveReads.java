package dev.sharding.kubernetes.cache;

import java.util.List;
import java.util.Objects;

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
	 * Hands an answer to the cache, so that no later read shows something older. An
	 * absent object has no version; it is kept as gone by its uid.
	 * @param before what the cache had before the question was sent
	 */
	void learn(OverlaidStore<T> store, List<T> before, StoreView<T> answer) {
		StoreView<T> memory = store.plain();
		for (T object : answer.list()) {
			T known = memory.get(ObjectKey.of(object));
			if (known == null || isOlder(known, object)) {
				store.overlay().handInSeen(object);
			}
		}
		for (T object : before) {
			ObjectKey key = ObjectKey.of(object);
			T listed = answer.get(key);
			boolean same = listed != null
					&& Objects.equals(listed.getMetadata().getUid(), object.getMetadata().getUid());
			if (!same && answer.undecodable(key) == null) {
				store.overlay().handInGone(object);
			}
		}
	}

	private static boolean isOlder(HasMetadata known, HasMetadata object) {
		Order order = ResourceVersions.compare(known.getMetadata().getResourceVersion(),
				object.getMetadata().getResourceVersion());
		return order != Order.SAME && order != Order.AFTER;
	}

}

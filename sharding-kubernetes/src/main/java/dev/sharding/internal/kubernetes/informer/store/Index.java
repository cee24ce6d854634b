package dev.sharding.internal.kubernetes.informer.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files keys under values of their objects. The user's function runs without the store's
 * lock, and once for each state of an object; all else is guarded by that lock.
 *
 * @param <T> the class of the objects
 */
final class Index<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(Index.class);

	private final String name;

	private final Function<T, Collection<String>> function;

	/** A set of one, as most are, cannot be changed: it takes a fraction of a table. */
	private final Map<String, Set<ObjectKey>> keys = new HashMap<>();

	private final Map<ObjectKey, Set<String>> filed = new HashMap<>();

	/** The objects that the function fails for. May be read by any thread. */
	private final Set<ObjectKey> failing = ConcurrentHashMap.newKeySet();

	/** Whether the log has the stack of one of them. */
	private final AtomicBoolean traced = new AtomicBoolean();

	Index(String name, Function<T, Collection<String>> function) {
		this.name = name;
		this.function = function;
	}

	/** Where an object belongs. Runs user code, and does not fail. */
	Filing file(ObjectKey key, T object) {
		Filing filing = Filing.of(this.function, object);
		Throwable failure = filing.failure();
		if (failure != null && !this.failing.contains(key)) {
			UserCode.warn(logger,
					"Index function failed, the index does not find the object by it: index={} object={} reason=\"{}\"",
					this.traced.compareAndSet(false, true) ? failure : null, this.name, key, failure);
		}
		return filing;
	}

	/** Files an object, and no longer where it was filed before. */
	void put(ObjectKey key, Filing filing) {
		Set<String> before = this.filed.put(key, filing.values());
		if (filing.failure() != null) {
			this.failing.add(key);
		}
		else {
			forgive(key);
		}
		if (!filing.values().equals(before)) {
			remove(before, key);
			filing.values().forEach((value) -> this.keys.merge(value, Set.of(key), Index::with));
		}
	}

	private static Set<ObjectKey> with(Set<ObjectKey> those, Set<ObjectKey> more) {
		Set<ObjectKey> all = (those.size() > 1) ? those : new HashSet<>(those);
		all.addAll(more);
		return all;
	}

	void remove(ObjectKey key) {
		forgive(key);
		remove(this.filed.remove(key), key);
	}

	private void forgive(ObjectKey key) {
		if (this.failing.remove(key) && this.failing.isEmpty()) {
			this.traced.set(false);
		}
	}

	private void remove(@Nullable Set<String> values, ObjectKey key) {
		for (String value : (values != null) ? values : Set.<String>of()) {
			this.keys.computeIfPresent(value, (known, those) -> without(those, key));
		}
	}

	private static @Nullable Set<ObjectKey> without(Set<ObjectKey> those, ObjectKey key) {
		if (those.size() == 1) {
			return null;
		}
		those.remove(key);
		return (those.size() > 1) ? those : Set.copyOf(those);
	}

	List<ObjectKey> get(String value) {
		Set<ObjectKey> those = this.keys.get(value);
		return (those != null) ? new ArrayList<>(those) : List.of();
	}

	Set<ObjectKey> failing() {
		return this.failing;
	}

}

package dev.sharding.internal.kubernetes.cache;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.wanted.AppliedFields;
import dev.sharding.resource.ObjectKey;

/**
 * What applies have brought, for those objects where that cannot be seen. Objects that
 * are there no more are swept out whenever it has doubled.
 */
final class AppliedMemory {

	private static final int SMALL = 1024;

	private final Map<ObjectKey, AppliedFields> applied = new ConcurrentHashMap<>();

	private final Predicate<ObjectKey> isThere;

	private volatile int sweepAbove = SMALL;

	AppliedMemory(Predicate<ObjectKey> isThere) {
		this.isThere = isThere;
	}

	@Nullable AppliedFields of(ObjectKey key) {
		return this.applied.get(key);
	}

	void forget(ObjectKey key) {
		this.applied.remove(key);
	}

	void remember(ObjectKey key, AppliedFields fields) {
		this.applied.put(key, fields);
		if (this.applied.size() > this.sweepAbove) {
			this.applied.keySet().removeIf((known) -> !known.equals(key) && !this.isThere.test(known));
			this.sweepAbove = Math.max(SMALL, 2 * this.applied.size());
		}
	}

	int size() {
		return this.applied.size();
	}

}

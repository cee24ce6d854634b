package dev.sharding.autoconfigure;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

import dev.sharding.kubernetes.cache.ResourceCaches;

/**
 * The names of the beans with the caches, which a bean of the user can replace: those of
 * the application's ring if there are rings, or else those outside any ring.
 */
final class Caches {

	/** The caches of the application's shard. */
	static final String SHARDED = "resourceCaches";

	/** The caches of the controllers outside any ring. */
	static final String PLAIN = "plainResourceCaches";

	private Caches() {
	}

	/** The bean for the application's shard. */
	static String sharded(ListableBeanFactory factory, RingNames rings) {
		String own = rings.any() ? ofUser(factory, rings) : null;
		return (own != null) ? own : SHARDED;
	}

	/** The bean for controllers outside any ring. */
	static String plain(ListableBeanFactory factory, RingNames rings) {
		String own = rings.any() ? null : ofUser(factory, rings);
		return (own != null) ? own : PLAIN;
	}

	private static @Nullable String ofUser(ListableBeanFactory factory, RingNames rings) {
		Set<String> ours = new HashSet<>(Set.of(SHARDED, PLAIN));
		rings.further().forEach((ring) -> ours.add(FurtherRings.cachesOf(ring)));
		return Arrays.stream(factory.getBeanNamesForType(ResourceCaches.class, true, false))
			.filter((name) -> !ours.contains(name))
			.findFirst()
			.orElse(null);
	}

}

package dev.sharding.internal.autoconfigure.runtime;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Primary;

import dev.sharding.cache.ResourceCaches;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.shard.Shard;

/**
 * The names of the beans with the caches, which a bean of the user can replace: those of
 * the application's ring if there are rings, or else those outside any ring.
 */
final class Caches {

	/** The caches of the application's shard. */
	static final String SHARDED = "resourceCaches";

	/** The caches of the controllers outside any ring. */
	static final String NO_RING = "noRingResourceCaches";

	private Caches() {
	}

	/** The bean for the application's shard. */
	static String sharded(ConfigurableListableBeanFactory factory, RingNames rings) {
		String own = isShard(factory, rings) ? ofUser(factory, rings) : null;
		return (own != null) ? own : SHARDED;
	}

	/** The bean for controllers outside any ring. */
	static String noRing(ConfigurableListableBeanFactory factory, RingNames rings) {
		String own = isShard(factory, rings) ? null : ofUser(factory, rings);
		return (own != null) ? own : NO_RING;
	}

	/* Also by a shard that the user makes, without the property of a ring. */
	private static boolean isShard(ConfigurableListableBeanFactory factory, RingNames rings) {
		return rings.any() || (rings.enabled() && factory.getBeanNamesForType(Shard.class, true, false).length > 0);
	}

	/* Nor are those meant that are only for who asks for them by a name. */
	private static boolean isCandidate(ConfigurableListableBeanFactory factory, String name, RingNames rings) {
		return OnMissingMainBeanCondition.isCandidate(factory, name)
				&& FurtherRings.ringOf(factory, name, rings) == null;
	}

	private static @Nullable String ofUser(ConfigurableListableBeanFactory factory, RingNames rings) {
		Set<String> ours = Set.of(SHARDED, NO_RING);
		List<String> own = Arrays.stream(factory.getBeanNamesForType(ResourceCaches.class, true, false))
			.filter((name) -> !ours.contains(name) && isCandidate(factory, name, rings))
			.toList();
		return own.stream()
			.filter((name) -> own.size() == 1 || factory.findAnnotationOnBean(name, Primary.class, false) != null)
			.findFirst()
			.orElse(null);
	}

}

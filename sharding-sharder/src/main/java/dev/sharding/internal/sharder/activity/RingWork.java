package dev.sharding.internal.sharder.activity;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What goes on in a ring at one moment.
 *
 * @param counts how many objects each shard has, by resource
 * @param draining how many objects each shard is asked for
 * @param transits objects that are not where they belong, those first that are so for
 * longest; not all of them where there are many
 * @param unowned how many of all of them no available shard owns
 * @param latest what happened last, the latest first
 */
public record RingWork(Map<String, Count> counts, Map<String, Integer> draining, List<Transit> transits, int unowned,
		List<Action> latest) {

	/** Nothing is known. */
	public static final RingWork NONE = new RingWork(Map.of(), Map.of(), List.of(), 0, List.of());

	/**
	 * The objects of a resource.
	 *
	 * @param since when all were counted last; {@code null} if they have not been so far,
	 * and what was done since the leader began is all that is known
	 * @param byShard how many each shard has, those without owner under an empty name
	 */
	public record Count(@Nullable Instant since, Map<String, Integer> byShard) {
	}

}

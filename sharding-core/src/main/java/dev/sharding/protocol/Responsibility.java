package dev.sharding.protocol;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What a shard does with a main object that one of its reconcile requests names.
 */
public enum Responsibility {

	/** The object is ours. */
	RECONCILE,

	/** The object is ours, but the sharder asks for it: take both labels off. */
	ACKNOWLEDGE_DRAIN,

	/** The object is absent, unassigned or another shard's: do nothing. */
	NOT_MINE;

	/**
	 * Judges an object (protocol section 6.4).
	 * @param labels the labels of the object, or {@code null} if it has none or is absent
	 * @param ring the name of the ControllerRing
	 * @param shard the name of our shard
	 * @return what to do with it
	 */
	public static Responsibility of(@Nullable Map<String, String> labels, String ring, String shard) {
		if (labels == null || !shard.equals(labels.get(ShardingLabels.shard(ring)))) {
			return NOT_MINE;
		}
		return labels.containsKey(ShardingLabels.drain(ring)) ? ACKNOWLEDGE_DRAIN : RECONCILE;
	}

	/**
	 * Tells whether an event is worth a reconcile request (protocol section 6.3). A drain
	 * request always is, whatever the filters of the user say.
	 * @param labels the labels of the object, or {@code null} if it has none
	 * @param ring the name of the ControllerRing
	 * @param shard the name of our shard
	 * @param passesFilters whether the event passes all filters of the user
	 * @return {@code true} to enqueue the object
	 */
	public static boolean passesEvent(@Nullable Map<String, String> labels, String ring, String shard,
			boolean passesFilters) {
		return switch (of(labels, ring, shard)) {
			case RECONCILE -> passesFilters;
			case ACKNOWLEDGE_DRAIN -> true;
			case NOT_MINE -> false;
		};
	}

}

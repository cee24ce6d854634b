package dev.sharding.event;

/**
 * What becomes of a shard and its objects, as application events. They come one after the
 * other on a thread of their own; a listener that takes long delays those after it.
 */
public sealed interface ShardingEvent permits ShardPhaseEvent, LeaseAcquiredEvent, LeaseLostEvent, ShardRejoinedEvent,
		ObjectDrainedEvent, ObjectTakenOverEvent {

	/**
	 * The ring.
	 * @return the name of the ControllerRing
	 */
	String ring();

	/**
	 * The shard.
	 * @return its name
	 */
	String shard();

}

package dev.sharding.internal.sharder.assignment.placement;

import dev.sharding.client.NotSentException;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;

/**
 * A move that was not sent, as the shard that the object would have left is not held any
 * more and may be back.
 */
final class HoldEndedException extends NotSentException {

	private static final long serialVersionUID = 1L;

	HoldEndedException(ShardedObject object, String shard) {
		super("Failed to move %s %s: the Lease of shard '%s' is not held any more".formatted(object.resource(),
				object.key(), shard));
	}

}

package dev.sharding.internal.sharder.assignment.placement;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.shard.WriteFencedException;
import org.jspecify.annotations.Nullable;

/**
 * What became of the attempt to put an object where it belongs.
 *
 * @param outcome how it ended
 * @param object the object as it was seen last
 * @param failure why it failed, otherwise {@code null}
 */
public record Placement(Outcome outcome, ShardedObject object, @Nullable ApiException failure) {

	public static Placement of(Outcome outcome, ShardedObject object) {
		return new Placement(outcome, object, null);
	}

	/** Tells whether the fence refused it, as the term is over or its renewal is late. */
	public boolean isFenced() {
		return this.failure != null && WriteFencedException.isIn(this.failure);
	}

	/** Tells whether none of the attempts ended because a shard was not held. */
	public static CompletableFuture<Boolean> allHeld(Collection<CompletableFuture<Placement>> attempts) {
		return CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new))
			.thenApply((done) -> attempts.stream().noneMatch((attempt) -> attempt.join().outcome() == Outcome.UNHELD));
	}

	/**
	 * How an attempt ends.
	 */
	public enum Outcome {

		/** There was nothing to do (any more). */
		SETTLED,

		/** The API server took the patch. */
		PATCHED,

		/** There is no such object any more. */
		GONE,

		/** The attempt was given up for a newer pass. */
		DROPPED,

		/**
		 * The shard that the object should leave is not held, so it may come back; or it
		 * has got the object just now.
		 */
		UNHELD,

		/** Not now: somebody said when to come back with this object. */
		PUT_OFF,

		/** The API server refused for good, or the fence did. */
		FAILED

	}

}

package dev.sharding.josdk;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

/**
 * Sees to it that an object is either worked on or let go of. Several controllers may
 * work on one object at a time, and it is let go of when none does. Safe for use by many
 * threads.
 */
final class ObjectTurns {

	private final Map<Id, Turn> turns = new HashMap<>();

	private int working;

	/**
	 * Begins to work on an object.
	 * @return whether it may be worked on: {@code false} while it is let go of
	 */
	synchronized boolean begin(Id id) {
		Turn turn = this.turns.computeIfAbsent(id, (absent) -> new Turn());
		if (turn.lettingGo) {
			return false;
		}
		turn.working++;
		this.working++;
		return true;
	}

	/**
	 * Ends work that has begun.
	 * @return whether the caller must now have it let go of, which has begun herewith
	 */
	synchronized boolean end(Id id) {
		Turn turn = this.turns.get(id);
		if (turn == null || turn.working == 0) {
			throw new IllegalStateException("Nobody works on " + id);
		}
		turn.working--;
		this.working--;
		notifyAll();
		return turn.working == 0 && (turn.wanted ? letGo(turn) : forget(id));
	}

	/**
	 * Waits until nobody works on any object.
	 * @return whether nobody does
	 */
	synchronized boolean awaitIdle(Duration patience) throws InterruptedException {
		long deadline = System.nanoTime() + patience.toNanos();
		while (this.working > 0) {
			long left = deadline - System.nanoTime();
			if (left <= 0) {
				return false;
			}
			TimeUnit.NANOSECONDS.timedWait(this, left);
		}
		return true;
	}

	/**
	 * Wants an object to be let go of.
	 * @return whether the caller may do that now, which has begun herewith; {@code false}
	 * if it is being done, or whoever ends the work on it will be told
	 */
	synchronized boolean want(Id id) {
		Turn turn = this.turns.computeIfAbsent(id, (absent) -> new Turn());
		turn.wanted = true;
		return turn.working == 0 && !turn.lettingGo && letGo(turn);
	}

	/**
	 * The attempt to let go of an object has ended.
	 * @return whether it was wanted once more meanwhile, so that the caller must do it
	 * again
	 */
	synchronized boolean letGoEnded(Id id) {
		Turn turn = this.turns.get(id);
		if (turn == null || !turn.lettingGo) {
			throw new IllegalStateException("Nobody lets go of " + id);
		}
		turn.lettingGo = false;
		return turn.wanted ? letGo(turn) : forget(id);
	}

	private static boolean letGo(Turn turn) {
		turn.wanted = false;
		turn.lettingGo = true;
		return true;
	}

	private boolean forget(Id id) {
		this.turns.remove(id);
		return false;
	}

	/**
	 * An object among all resources.
	 *
	 * @param resource the resource
	 * @param key the object
	 */
	record Id(GroupResource resource, ObjectKey key) {
	}

	private static final class Turn {

		private int working;

		private boolean wanted;

		private boolean lettingGo;

	}

}

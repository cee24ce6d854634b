package dev.sharding.internal.sharder.assignment.placement;

import java.util.HashSet;
import java.util.Set;

import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.AssignmentDecision.WaitReason;

/**
 * The members of a ring that nobody holds at the moment, and whether any object waits for
 * the next holder of one of them. Safe for use by any thread.
 */
public final class AwayShards {

	private volatile Set<String> names = Set.of();

	private volatile boolean waitedFor;

	/** Those that nobody holds. */
	public Set<String> names() {
		return this.names;
	}

	/** Takes note of what an object waits for. */
	void decided(AssignmentDecision decision) {
		if (decision instanceof AssignmentDecision.Wait wait && wait.reason() == WaitReason.GIVEN_BACK) {
			this.waitedFor = true;
		}
	}

	/**
	 * Takes others.
	 * @return those of the ones before that are not among them any more
	 */
	public Set<String> become(Set<String> latest) {
		Set<String> over = new HashSet<>(this.names);
		over.removeAll(latest);
		this.names = Set.copyOf(latest);
		return over;
	}

	/** Whether an object was found since the last time that waits for a holder. */
	public boolean forgetWaiting() {
		boolean before = this.waitedFor;
		this.waitedFor = false;
		return before;
	}

}

package dev.sharding.internal.kubernetes.fence;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.fence.ClaimLaw.Claimed;
import dev.sharding.internal.core.fence.ClaimState;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

/**
 * The right of a shard to write for one main object, from when it saw the object as its
 * own until it sees or does otherwise; or of an elected leader to write, for one term of
 * its Lease. A claim that has ended stays so: when the object comes back, there is
 * another claim. Safe for use by many threads.
 */
public final class Claim {

	private static final GroupResource LEASES = new GroupResource("coordination.k8s.io", "leases");

	private final GroupResource resource;

	private final ObjectKey key;

	private volatile Standing standing = new Standing(ClaimState.LIVE, null);

	private volatile boolean termOver;

	private volatile boolean confirmed;

	Claim(GroupResource resource, ObjectKey key) {
		this.resource = resource;
		this.key = key;
	}

	/**
	 * Stands for a claim that there is not: whoever works under it may write nothing.
	 * @param resource the resource of the object
	 * @param key the object
	 * @return a claim that has ended
	 */
	public static Claim none(GroupResource resource, ObjectKey key) {
		Claim none = new Claim(resource, key);
		none.standing = new Standing(ClaimState.ENDED, null);
		return none;
	}

	/**
	 * The right of an elected leader to write at all, for one term of its Lease.
	 * @param namespace the namespace of the Lease
	 * @param lease the name of the Lease
	 * @return a live claim, until it is {@linkplain #end ended}
	 */
	public static Claim ofTerm(String namespace, String lease) {
		return new Claim(LEASES, new ObjectKey(namespace, lease));
	}

	/**
	 * Ends the claim, unless it has ended.
	 * @param now the current moment
	 */
	public void end(Moment now) {
		become(ClaimState.ENDED, now);
	}

	/**
	 * Tells whether the claim has not ended.
	 * @return whether writes for it may be sent, as far as the Lease allows any
	 */
	public boolean isLive() {
		return this.standing.state() == ClaimState.LIVE;
	}

	/** It was right to begin it, as a look since then has shown. */
	void confirm() {
		this.confirmed = true;
	}

	boolean isConfirmed() {
		return this.confirmed;
	}

	/** The term of the Lease is over in which it began. */
	void endWithTerm() {
		this.termOver = true;
	}

	boolean isTermOver() {
		return this.termOver;
	}

	Claimed at(Moment now) {
		Standing current = this.standing;
		return new Claimed(current.state(), (current.since() != null) ? now.since(current.since()) : Duration.ZERO);
	}

	synchronized void become(ClaimState next, Moment now) {
		if (next.compareTo(this.standing.state()) > 0) {
			Moment since = (this.standing.since() != null) ? this.standing.since() : now;
			this.standing = new Standing(next, since);
		}
	}

	@Override
	public String toString() {
		return this.resource + " " + this.key;
	}

	/**
	 * State and time in one.
	 *
	 * @param state how the claim stands
	 * @param since since when it has not been live
	 */
	private record Standing(ClaimState state, @Nullable Moment since) {
	}

}

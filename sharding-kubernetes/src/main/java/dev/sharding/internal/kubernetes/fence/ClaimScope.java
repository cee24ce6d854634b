package dev.sharding.internal.kubernetes.fence;

import org.jspecify.annotations.Nullable;

/**
 * Tells the fence for which object a thread works, from when it is opened until it is
 * closed, on the thread that opened it. Other threads get it by Micrometer's context
 * propagation ({@link ClaimThreadLocalAccessor}).
 */
public final class ClaimScope implements AutoCloseable {

	private static final ThreadLocal<@Nullable Work> CURRENT = new ThreadLocal<>();

	private final @Nullable Work outer;

	private ClaimScope(Work work) {
		this.outer = CURRENT.get();
		CURRENT.set(work);
	}

	/**
	 * This thread reconciles an object.
	 * @param claim the claim on it
	 * @return the scope
	 */
	public static ClaimScope reconciling(Claim claim) {
		return new ClaimScope(new Work(claim, false));
	}

	/**
	 * This thread works as the elected leader.
	 * @param claim the claim of the term, see {@link Claim#ofTerm}
	 * @return the scope
	 */
	public static ClaimScope leading(Claim claim) {
		return new ClaimScope(new Work(claim, false));
	}

	/**
	 * Tells for which claim this thread works.
	 * @param claim a claim
	 * @return whether it is that one
	 */
	public static boolean isFor(Claim claim) {
		Work work = CURRENT.get();
		return work != null && work.claim() == claim;
	}

	/**
	 * Tells whether this thread goes on with work of a term of the Lease that is over.
	 * @return whether its claim ended with the term
	 */
	public static boolean isOfEndedTerm() {
		Work work = CURRENT.get();
		return work != null && work.claim().isTermOver();
	}

	/**
	 * This thread acknowledges the drain of an object, and does nothing else.
	 * @param claim what {@link Claims#letGo} has returned
	 * @return the scope
	 */
	public static ClaimScope acknowledging(Claim claim) {
		return new ClaimScope(new Work(claim, true));
	}

	/**
	 * Takes what this thread works for along to another one.
	 * @param task a part of the work
	 * @return the same task, to be run on any thread
	 */
	public static Runnable carry(Runnable task) {
		Work work = CURRENT.get();
		return (work == null) ? task : () -> {
			try (ClaimScope scope = new ClaimScope(work)) {
				task.run();
			}
		};
	}

	static @Nullable Work current() {
		return CURRENT.get();
	}

	static void set(@Nullable Work work) {
		if (work != null) {
			CURRENT.set(work);
		}
		else {
			CURRENT.remove();
		}
	}

	@Override
	public void close() {
		set(this.outer);
	}

	/**
	 * What a thread works for.
	 *
	 * @param claim the claim on the object
	 * @param acknowledging whether it acknowledges the drain of the object
	 */
	record Work(Claim claim, boolean acknowledging) {
	}

}

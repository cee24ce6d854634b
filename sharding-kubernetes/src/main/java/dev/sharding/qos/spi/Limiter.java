package dev.sharding.qos.spi;

import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.core.Internal;

/**
 * One limit in force: that of a rule, or of one of its accounting groups. Safe for many
 * threads.
 */
public interface Limiter {

	/**
	 * Asks for a turn. Never blocks, and calls nobody who listens: see
	 * {@link Turn#announce()}.
	 * @param cost units, 0 or more
	 * @return the turn; its future fails with a {@link Refused}
	 */
	Turn ask(long cost);

	/**
	 * Is told that the server wants to be left alone.
	 * @param nanos for so many nanoseconds from now on
	 */
	default void holdFor(long nanos) {
	}

	/**
	 * Is told that it follows one with a smaller share of the ring's limit: what it may
	 * give at once beyond that is not there at first.
	 * @param units by how many units the burst or the window has grown
	 */
	default void withhold(long units) {
	}

	/**
	 * Whether the limiter does from now on what a fresh one would do, apart from
	 * estimates: nothing is used up, nobody waits, nothing is held back. Then it may be
	 * retired and made anew when it is needed.
	 * @return {@code false} to stay
	 */
	default boolean isIdle() {
		return false;
	}

	/** Frees what the limiter holds elsewhere; turns that were given stay good. */
	default void retire() {
	}

	/** A place in front of the limit. */
	interface Turn {

		/**
		 * Completes when the turn has come.
		 * @return the same future each time
		 */
		CompletableFuture<Void> ready();

		/**
		 * Tells those who listen what was answered. Called once after the turn was given,
		 * with no lock held, so that they may change rules.
		 */
		default void announce() {
		}

		/**
		 * Is told that the request ended or gave up; frees what it holds. The second call
		 * does nothing.
		 */
		void leave();

	}

	/** The wait would be too long. */
	final class Refused extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final long retryAfterNanos;

		/**
		 * Creates a refusal.
		 * @param retryAfterNanos when it is worth trying again, an estimate
		 */
		public Refused(long retryAfterNanos) {
			super(null, null, false, false);
			this.retryAfterNanos = retryAfterNanos;
		}

		@Internal
		public long retryAfterNanos() {
			return this.retryAfterNanos;
		}

	}

}

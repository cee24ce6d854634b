package dev.sharding.cache;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.Internal;

/**
 * How an object is deleted. Immutable; the methods return changed copies.
 *
 * @param gracePeriod how long the object may take to end, in whole seconds, or
 * {@code null} for its own; for Pods, zero ends it without waiting for the kubelet
 * @param propagation what becomes of its dependents
 * @param ifUnchanged whether to delete it only in the state that is given
 */
public record DeleteOptions(@Nullable Duration gracePeriod, Propagation propagation, boolean ifUnchanged) {

	private static final DeleteOptions DEFAULTS = new DeleteOptions(null, Propagation.BACKGROUND, false);

	/** Checks the grace period. */
	public DeleteOptions {
		if (gracePeriod != null && (gracePeriod.isNegative() || gracePeriod.getNano() != 0)) {
			throw new IllegalArgumentException(
					"'gracePeriod' must be whole seconds, 0 or more (is %s)".formatted(gracePeriod));
		}
	}

	/**
	 * With the object's own grace period, its dependents in the background, whatever its
	 * resource version.
	 * @return the options
	 */
	public static DeleteOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * With another grace period.
	 * @param duration whole seconds, 0 or more
	 * @return the options
	 */
	public DeleteOptions gracePeriod(Duration duration) {
		return new DeleteOptions(duration, this.propagation, this.ifUnchanged);
	}

	/**
	 * With another fate of the dependents.
	 * @param policy what becomes of them
	 * @return the options
	 */
	public DeleteOptions propagation(Propagation policy) {
		return new DeleteOptions(this.gracePeriod, policy, this.ifUnchanged);
	}

	/**
	 * Only if the object still has the resource version that is given, or else that of
	 * the cached one; otherwise the delete fails with 409.
	 * @return the options
	 */
	public DeleteOptions onlyIfUnchanged() {
		return new DeleteOptions(this.gracePeriod, this.propagation, true);
	}

	/** What becomes of the dependents of a deleted object. */
	public enum Propagation {

		/** They are deleted after it. */
		BACKGROUND("Background"),

		/** It stays, with a deletion timestamp, until they are deleted. */
		FOREGROUND("Foreground"),

		/** They stay and lose their owner. */
		ORPHAN("Orphan");

		private final String policy;

		Propagation(String policy) {
			this.policy = policy;
		}

		@Internal
		public String policy() {
			return this.policy;
		}

	}

}

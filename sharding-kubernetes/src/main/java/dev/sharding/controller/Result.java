package dev.sharding.controller;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What a reconcile asks for. An error is no result: it is thrown, and the object is
 * retried with the controller's back-off. Each reconcile states its wish anew: when an
 * object is reconciled for another reason, an earlier {@link #requeueAfter} is forgotten.
 */
public final class Result {

	private static final Result DONE = new Result("done", null);

	private static final Result REQUEUE = new Result("requeue", Duration.ZERO);

	private final String text;

	private final @Nullable Duration delay;

	private Result(String text, @Nullable Duration delay) {
		this.text = text;
		this.delay = delay;
	}

	/**
	 * The object is as it should be: run again when something changes.
	 * @return the result
	 */
	public static Result done() {
		return DONE;
	}

	/**
	 * Run again at once, behind the objects that already wait.
	 * @return the result
	 */
	public static Result requeue() {
		return REQUEUE;
	}

	/**
	 * Run again after {@code delay}, or earlier when something changes.
	 * @param delay the wait, positive; more than a year counts as a year
	 * @return the result
	 */
	public static Result requeueAfter(Duration delay) {
		if (delay.isNegative() || delay.isZero()) {
			throw new IllegalArgumentException("'delay' must be positive (is " + delay + "); use requeue() for zero");
		}
		return new Result("requeueAfter", delay);
	}

	/**
	 * Whether nothing more is asked for.
	 * @return {@code true} for {@link #done()}
	 */
	public boolean isDone() {
		return this.delay == null;
	}

	/**
	 * When to run again.
	 * @return the wait, zero for {@link #requeue()}, or {@code null} if done
	 */
	public @Nullable Duration delay() {
		return this.delay;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof Result result && this.text.equals(result.text)
				&& Objects.equals(this.delay, result.delay);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.text, this.delay);
	}

	@Override
	public String toString() {
		return (this.delay == null || this.delay.isZero()) ? this.text : this.text + "(" + this.delay + ")";
	}

}

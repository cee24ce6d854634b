package dev.sharding.core.qos;

/**
 * What a limiter answers to one request.
 *
 * @param <S> the limiter's state
 */
public sealed interface Admission<S> {

	/**
	 * The request may go, at once or after a wait. Its cost is booked.
	 *
	 * @param next the state from now on
	 * @param waitNanos nanoseconds to wait, 0 for none
	 */
	record Granted<S>(S next, long waitNanos) implements Admission<S> {
	}

	/**
	 * The request would have to wait longer than it may. Nothing is booked, the state
	 * stays.
	 *
	 * @param retryAfterNanos nanoseconds after which it would go if nothing else came
	 */
	record Refused<S>(long retryAfterNanos) implements Admission<S> {
	}

}

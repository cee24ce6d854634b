package dev.sharding.internal.core.qos;

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

	/**
	 * Answers a request that takes nothing: only a hold keeps it.
	 * @param <S> the limiter's state
	 * @param state the state, which stays
	 * @param held nanoseconds until the hold ends, 0 or less for none
	 * @param longestWait how many nanoseconds the request may wait
	 * @return granted or refused
	 */
	static <S> Admission<S> ofNothing(S state, long held, long longestWait) {
		long wait = Math.max(0, held);
		return (wait <= longestWait) ? new Granted<>(state, wait) : new Refused<>(wait);
	}

}

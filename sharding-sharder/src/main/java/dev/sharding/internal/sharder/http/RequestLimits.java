package dev.sharding.internal.sharder.http;

import java.time.Duration;

/**
 * What a listener bears of requests.
 *
 * @param header the largest head, in bytes
 * @param body the largest body, in bytes
 * @param unfinished how many bytes of bodies that have not arrived in full are kept at
 * most, of all connections together
 * @param timeout how long a request may take to arrive, and a new connection to send one
 */
public record RequestLimits(int header, int body, int unfinished, Duration timeout) {

	/**
	 * For AdmissionReviews: 7 MiB as controller-runtime has it, 16 MiB of unfinished
	 * requests, whose buffers may be twice as large while they grow and must leave room
	 * in the heap of the image, and as much time as the API server has patience.
	 */
	public static final RequestLimits REVIEWS = new RequestLimits(16 * 1024, 7 * 1024 * 1024, 16 * 1024 * 1024,
			Duration.ofSeconds(5));

	/** For requests whose bodies hold a few values, if any. */
	public static final RequestLimits SMALL = new RequestLimits(16 * 1024, 64 * 1024, 1024 * 1024,
			Duration.ofSeconds(5));

	public RequestLimits {
		if (header < 1 || body < 1) {
			throw new IllegalArgumentException(
					"'header' and 'body' must be positive (are %d and %d)".formatted(header, body));
		}
		if (unfinished < body) {
			throw new IllegalArgumentException(
					"'unfinished' must be at least 'body' (are %d and %d)".formatted(unfinished, body));
		}
		if (timeout.toMillis() < 1) {
			throw new IllegalArgumentException("'timeout' must be positive (is %s)".formatted(timeout));
		}
	}

}

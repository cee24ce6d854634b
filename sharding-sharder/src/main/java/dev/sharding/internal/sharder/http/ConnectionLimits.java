package dev.sharding.internal.sharder.http;

import java.time.Duration;

/**
 * What a listener bears of connections.
 *
 * @param connections how many are open at most; for a further one the one that is idle
 * longest is ended, and where none is idle the further one is closed at once
 * @param handshakes how many TLS handshakes are under way at most; for a further one the
 * oldest is ended, so that nobody holds the listener by shaking hands slowly
 * @param handshakeTimeout how long a handshake may take
 * @param idleTimeout how long a connection on which nothing is sent stays open
 */
public record ConnectionLimits(int connections, int handshakes, Duration handshakeTimeout, Duration idleTimeout) {

	/**
	 * An API server keeps a connection or a few, and closes idle ones earlier. It has 200
	 * changes under way at most unless it is told otherwise, and may need a new
	 * connection for each.
	 */
	public static final ConnectionLimits DEFAULT = new ConnectionLimits(256, 256, Duration.ofSeconds(5),
			Duration.ofMinutes(2));

	public ConnectionLimits {
		if (connections < 1 || handshakes < 1) {
			throw new IllegalArgumentException("'connections' and 'handshakes' must be positive (are %d and %d)"
				.formatted(connections, handshakes));
		}
		if (handshakeTimeout.toMillis() < 1 || idleTimeout.toSeconds() < 1) {
			throw new IllegalArgumentException(
					"'handshakeTimeout' and 'idleTimeout' must be at least 1 ms and 1 s (are %s and %s)"
						.formatted(handshakeTimeout, idleTimeout));
		}
	}

}

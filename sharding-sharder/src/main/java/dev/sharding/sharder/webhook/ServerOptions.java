package dev.sharding.sharder.webhook;

import java.time.Duration;

/**
 * How the webhook server listens.
 *
 * @param bindAddress the address to listen on
 * @param port the port; 0 for any
 * @param maxBody the largest request, in bytes
 * @param maxUnfinished how many bytes of requests that have not arrived in full are kept
 * at most, of all connections together
 * @param requestTimeout how long a request may take to arrive
 * @param idleTimeout how long a connection without traffic stays open
 */
public record ServerOptions(String bindAddress, int port, int maxBody, int maxUnfinished, Duration requestTimeout,
		Duration idleTimeout) {

	/**
	 * Port 9443 of all addresses, 7 MiB as controller-runtime has it, 16 MiB of
	 * unfinished requests, whose buffers may be twice as large while they grow and must
	 * leave room in the heap of the image, and as much time as the API server has
	 * patience. The API server closes idle connections earlier.
	 */
	public static final ServerOptions DEFAULT = new ServerOptions("0.0.0.0", 9443, 7 * 1024 * 1024, 16 * 1024 * 1024,
			Duration.ofSeconds(5), Duration.ofMinutes(2));

	public ServerOptions {
		if (port < 0 || port > 65535) {
			throw new IllegalArgumentException("'port' must be from 0 to 65535 (is %d)".formatted(port));
		}
		if (maxBody < 1) {
			throw new IllegalArgumentException("'maxBody' must be positive (is %d)".formatted(maxBody));
		}
		if (maxUnfinished < maxBody) {
			throw new IllegalArgumentException(
					"'maxUnfinished' must be at least 'maxBody' (are %d and %d)".formatted(maxUnfinished, maxBody));
		}
		if (requestTimeout.toMillis() < 1 || idleTimeout.toSeconds() < 1) {
			throw new IllegalArgumentException("'requestTimeout' and 'idleTimeout' must be positive (are %s and %s)"
				.formatted(requestTimeout, idleTimeout));
		}
	}

	/**
	 * These options with another address.
	 * @param address the address to listen on
	 * @param other the port; 0 for any
	 * @return the options
	 */
	public ServerOptions withAddress(String address, int other) {
		return new ServerOptions(address, other, this.maxBody, this.maxUnfinished, this.requestTimeout,
				this.idleTimeout);
	}

}

package dev.sharding.internal.sharder.http;

/**
 * How a server listens.
 *
 * @param bindAddress the address to listen on
 * @param port the port; 0 for any
 * @param connections what it bears of connections
 * @param requests what it bears of requests
 */
public record ServerOptions(String bindAddress, int port, ConnectionLimits connections, RequestLimits requests) {

	/** Port 9443 of all addresses, with the limits for AdmissionReviews. */
	public static final ServerOptions DEFAULT = new ServerOptions("0.0.0.0", 9443, ConnectionLimits.DEFAULT,
			RequestLimits.REVIEWS);

	public ServerOptions {
		if (port < 0 || port > 65535) {
			throw new IllegalArgumentException("'port' must be from 0 to 65535 (is %d)".formatted(port));
		}
	}

	/**
	 * These options with another address.
	 * @param address the address to listen on
	 * @param other the port; 0 for any
	 * @return the options
	 */
	public ServerOptions withAddress(String address, int other) {
		return new ServerOptions(address, other, this.connections, this.requests);
	}

}

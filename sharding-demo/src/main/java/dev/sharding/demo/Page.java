package dev.sharding.demo;

/**
 * The page of the sharder, for a browser on this machine.
 */
final class Page {

	private static final String LOOPBACK = "127.0.0.1";

	private Page() {
	}

	/** The sharder, with its page on that port. */
	static Role on(int port, Role sharder) {
		return sharder.with("SERVER_ADDRESS", LOOPBACK)
			.with("SERVER_PORT", String.valueOf(port))
			.with("MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE", "health,rings");
	}

	/** Its address. */
	static String url(int port) {
		return "http://%s:%d/ui/".formatted(LOOPBACK, port);
	}

}

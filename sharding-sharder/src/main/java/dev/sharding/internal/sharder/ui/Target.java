package dev.sharding.internal.sharder.ui;

import java.net.URI;

import org.jspecify.annotations.Nullable;

/**
 * Where the page is.
 *
 * @param url scheme, host and port of the sharder
 * @param token the bearer token to send there, {@code null} for none
 */
public record Target(URI url, @Nullable String token) {

	/** Its port. */
	int port() {
		return (this.url.getPort() >= 0) ? this.url.getPort() : isSecure() ? 443 : 80;
	}

	boolean isSecure() {
		return "https".equals(this.url.getScheme());
	}

	/* A token is for nobody's log. */
	@Override
	public String toString() {
		return this.url.toString();
	}

}

package dev.sharding.internal.kubernetes.rest;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * What the API server answered. Only successful answers (status below 300) get this far.
 */
public final class ApiResponse {

	private final int status;

	private final Map<String, List<String>> headers;

	private final byte[] body;

	ApiResponse(int status, Map<String, List<String>> headers, byte[] body) {
		this.status = status;
		this.headers = headers;
		this.body = body;
	}

	/**
	 * The HTTP status.
	 * @return 200 to 299
	 */
	public int status() {
		return this.status;
	}

	/**
	 * The headers.
	 * @return the values by name, as the transport spelled the names
	 */
	public Map<String, List<String>> headers() {
		return this.headers;
	}

	/**
	 * The body, shared with this response: the caller may change it if it owns the
	 * response.
	 * @return the bytes, UTF-8 for JSON
	 */
	public byte[] bytes() {
		return this.body;
	}

	/**
	 * The body as text.
	 * @return the text
	 */
	public String text() {
		return new String(this.body, StandardCharsets.UTF_8);
	}

	/**
	 * The body as a stream, for parsers.
	 * @return a new stream over the body
	 */
	public InputStream stream() {
		return new ByteArrayInputStream(this.body);
	}

}

package dev.sharding.internal.kubernetes.rest.http;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.RequestThrottle;

/**
 * One request to the API server. Immutable; the methods return changed copies.
 *
 * @param method the HTTP method, in capitals
 * @param path the path below the API server's address, starting with a slash, not yet
 * encoded: whatever a segment holds, it stays one segment of the path
 * @param query the query parameters in order, not yet encoded
 * @param accept the media type wanted back
 * @param contentType the media type of the body, or {@code null} without a body
 * @param body the body, or {@code null}; it may hold secrets, so it is never logged
 * @param timeout how long the whole exchange may take; for a stream, how long it may take
 * until the first headers arrive
 * @param about the object that a write is about, as its writer knows it, or {@code null};
 * it is not sent, only looked at by a {@link RequestGuard}
 * @param exempt whether it passes every {@link RequestThrottle} at once: a cheap question
 * for whose answer somebody waits who has a deadline
 * @param actsFor the user that the client impersonates, as a {@link RequestThrottle} sees
 * it, or {@code null} for none
 */
public record ApiRequest(String method, String path, Map<String, String> query, String accept,
		@Nullable String contentType, @Nullable String body, Duration timeout, @Nullable HasMetadata about,
		boolean exempt, @Nullable String actsFor) {

	/** The time-out of a request that names none. */
	public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

	public ApiRequest {
		if (!path.startsWith("/")) {
			throw new IllegalArgumentException("'path' must start with a slash (is %s)".formatted(path));
		}
		if (timeout.isNegative() || timeout.isZero()) {
			throw new IllegalArgumentException("'timeout' must be positive (is %s)".formatted(timeout));
		}
		query = Collections.unmodifiableMap(new LinkedHashMap<>(query));
	}

	/**
	 * A request without a body.
	 * @param method {@code GET}, {@code DELETE}
	 * @param path the path
	 * @return the request
	 */
	public static ApiRequest of(String method, String path) {
		return new ApiRequest(method, path, Map.of(), MediaTypes.JSON, null, null, DEFAULT_TIMEOUT, null, false, null);
	}

	/**
	 * A request with a body.
	 * @param method {@code POST}, {@code PUT}, {@code PATCH}, {@code DELETE}
	 * @param path the path
	 * @param contentType the media type of the body
	 * @param body the body
	 * @return the request
	 */
	public static ApiRequest of(String method, String path, String contentType, String body) {
		return new ApiRequest(method, path, Map.of(), MediaTypes.JSON, contentType, body, DEFAULT_TIMEOUT, null, false,
				null);
	}

	/**
	 * This request with one more query parameter.
	 * @param name the parameter
	 * @param value its value; {@code null} leaves the request as it is
	 * @return the request
	 */
	public ApiRequest query(String name, @Nullable String value) {
		if (value == null) {
			return this;
		}
		Map<String, String> extended = new LinkedHashMap<>(this.query);
		extended.put(name, value);
		return new ApiRequest(this.method, this.path, extended, this.accept, this.contentType, this.body, this.timeout,
				this.about, this.exempt, this.actsFor);
	}

	/**
	 * This request asking for another media type.
	 * @param mediaType the media type wanted back
	 * @return the request
	 */
	public ApiRequest accept(String mediaType) {
		return new ApiRequest(this.method, this.path, this.query, mediaType, this.contentType, this.body, this.timeout,
				this.about, this.exempt, this.actsFor);
	}

	/**
	 * This request with another time-out.
	 * @param duration a positive duration
	 * @return the request
	 */
	public ApiRequest timeout(Duration duration) {
		return new ApiRequest(this.method, this.path, this.query, this.accept, this.contentType, this.body, duration,
				this.about, this.exempt, this.actsFor);
	}

	/**
	 * This request with a time-out of which the API server knows too, so that it ends its
	 * work for an answer that nobody waits for.
	 * @param limit a positive duration
	 * @return the request
	 */
	public ApiRequest within(Duration limit) {
		return query("timeout", Math.max(1, limit.toMillis()) + "ms").timeout(limit);
	}

	/**
	 * This request with the object that it is about.
	 * @param object the object as its writer knows it, with its owner references
	 * @return the request
	 */
	public ApiRequest about(HasMetadata object) {
		return new ApiRequest(this.method, this.path, this.query, this.accept, this.contentType, this.body,
				this.timeout, object, this.exempt, this.actsFor);
	}

	/**
	 * This request with another text as its body.
	 * @param text the body
	 * @return the request
	 */
	public ApiRequest body(String text) {
		return new ApiRequest(this.method, this.path, this.query, this.accept, this.contentType, text, this.timeout,
				this.about, this.exempt, this.actsFor);
	}

	/**
	 * This request past every throttle.
	 * @return the request
	 */
	public ApiRequest exempted() {
		return new ApiRequest(this.method, this.path, this.query, this.accept, this.contentType, this.body,
				this.timeout, this.about, true, this.actsFor);
	}

	/** This request as one of a client that impersonates a user, or none. */
	public ApiRequest actingFor(@Nullable String user) {
		return (user == null || user.isEmpty()) ? this : new ApiRequest(this.method, this.path, this.query, this.accept,
				this.contentType, this.body, this.timeout, this.about, this.exempt, user);
	}

	/**
	 * What is asked of which object, for messages: {@code "PATCH secrets default/a"}.
	 * @return the description; it holds neither query nor body
	 */
	public String description() {
		return this.method + " " + ApiPath.describe(this.path);
	}

	public String pathAndQuery() {
		StringBuilder text = new StringBuilder(PathEncoding.encode(this.path));
		char separator = '?';
		for (Map.Entry<String, String> parameter : this.query.entrySet()) {
			text.append(separator).append(encode(parameter.getKey())).append('=').append(encode(parameter.getValue()));
			separator = '&';
		}
		return text.toString();
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	@Override
	public String toString() {
		return this.method + " " + this.path;
	}

}

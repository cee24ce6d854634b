package dev.sharding.internal.sharder.app.management;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * What an endpoint says.
 *
 * @param status the HTTP status
 * @param type what the body is, or {@code null} if there is none
 * @param body the body
 */
@SuppressWarnings("ArrayRecordComponent")
record EndpointAnswer(int status, @Nullable String type, byte[] body) {

	static EndpointAnswer empty(int status) {
		return new EndpointAnswer(status, null, new byte[0]);
	}

	static EndpointAnswer text(int status, String text) {
		return text(status, "text/plain", text);
	}

	static EndpointAnswer text(int status, String type, String text) {
		return new EndpointAnswer(status, type, text.getBytes(StandardCharsets.UTF_8));
	}

}

package dev.sharding.internal.kubernetes.rest;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.client.RequestThrottle;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;

/**
 * Requests and answers of fabric8, as a {@link RequestThrottle} sees them.
 */
final class HttpRequests {

	private static final int TOO_MANY_REQUESTS = 429;

	private HttpRequests() {
	}

	/**
	 * Reads a request.
	 * @param request the request
	 * @param root the path of the API server's address, which is not part of its API
	 * @param config what the request is sent with, {@code null} if not known
	 */
	static ApiRequest read(StandardHttpRequest request, String root, @Nullable RequestConfig config) {
		URI uri = request.uri();
		String prefix = root.endsWith("/") ? root.substring(0, root.length() - 1) : root;
		String path = uri.getPath().startsWith(prefix) ? uri.getPath().substring(prefix.length()) : uri.getPath();
		String contentType = (request.getContentType() != null) ? request.getContentType()
				: request.header("Content-Type");
		String accept = request.header("Accept");
		return new ApiRequest(request.method(), path.startsWith("/") ? path : "/" + path, query(uri.getRawQuery()),
				(accept != null) ? accept : MediaTypes.JSON, contentType, request.bodyString(),
				ApiRequest.DEFAULT_TIMEOUT, null, false, null)
			.actingFor(impersonated(request, config));
	}

	/*
	 * fabric8 adds the header of its configuration below the throttle, after the
	 * caller's.
	 */
	private static @Nullable String impersonated(StandardHttpRequest request, @Nullable RequestConfig config) {
		String user = request.header("Impersonate-User");
		return (user != null || config == null) ? user : config.getImpersonateUsername();
	}

	/** Whether the answer lasts, so that it counts only until it begins. */
	static boolean isStream(StandardHttpRequest request, ApiRequest read) {
		return request.isForStreaming() || read.query().containsKey("watch") || read.query().containsKey("follow");
	}

	/** Returns {@code null} for a success. */
	static @Nullable ApiException failure(ApiRequest request, HttpResponse<?> response) {
		if (response.isSuccessful()) {
			return null;
		}
		return new ApiException(response.code(), reason(response), Refusal.retryAfter(response.headers()),
				"Failed to %s: status %d".formatted(request.description(), response.code()), null);
	}

	/**
	 * As {@link #failure(ApiRequest, HttpResponse)}, where the caller reads the answer.
	 * What nobody has read may be about one object, so it counts for nobody else.
	 * @param body the answer, {@code null} if it was not read to its end
	 * @param serialization reads it
	 */
	static @Nullable ApiException failure(ApiRequest request, HttpResponse<?> response,
			@Nullable ByteArrayOutputStream body, KubernetesSerialization serialization) {
		if (response.isSuccessful() || !isStatus(response)) {
			return failure(request, response);
		}
		if (body != null) {
			return Refusal.of(request, response, body, serialization, false);
		}
		return new ApiException(response.code(), "", Refusal.retryAfter(response.headers()), "", false, true,
				"Failed to %s: status %d".formatted(request.description(), response.code()), null);
	}

	/*
	 * Of one status two kinds must be told apart: a server with too much to do says so in
	 * plain text, everything else in words of its API.
	 */
	private static String reason(HttpResponse<?> response) {
		return (response.code() == TOO_MANY_REQUESTS && isStatus(response)) ? "TooManyRequests" : "";
	}

	private static boolean isStatus(HttpResponse<?> response) {
		String type = response.header("Content-Type");
		return type != null && !type.startsWith("text/");
	}

	private static Map<String, String> query(@Nullable String raw) {
		Map<String, String> query = new LinkedHashMap<>();
		if (raw != null) {
			for (String parameter : raw.split("&", -1)) {
				int equals = parameter.indexOf('=');
				query.put(decode((equals < 0) ? parameter : parameter.substring(0, equals)),
						(equals < 0) ? "" : decode(parameter.substring(equals + 1)));
			}
		}
		return query;
	}

	private static String decode(String text) {
		return URLDecoder.decode(text, StandardCharsets.UTF_8);
	}

}

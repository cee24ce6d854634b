package dev.sharding.internal.kubernetes.rest;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.client.RetryAfter;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;

/**
 * Turns an unsuccessful answer into an {@link ApiException}.
 */
final class Refusal {

	private static final int SERVER_ERROR = 500;

	/** Who asks a webhook has not stored anything yet. */
	private static final String WEBHOOK_FAILED = "Internal error occurred: failed calling webhook ";

	/** What a webhook says comes with any status, and the name of its choice or none. */
	private static final Pattern WEBHOOK_DENIED = Pattern.compile("admission webhook \"[^\"]+\" denied the request\\b");

	private Refusal() {
	}

	/**
	 * Turns an answer into an exception.
	 * @param repeated whether the request went out more than once, so that this may be
	 * the answer to the second time, and the first one has done what was asked for
	 */
	static ApiException of(ApiRequest request, HttpResponse<?> response, ByteArrayOutputStream body,
			KubernetesSerialization serialization, boolean repeated) {
		Status status = parse(body.toString(StandardCharsets.UTF_8), serialization);
		String reason = (status != null && status.getReason() != null) ? status.getReason() : "";
		String detail = (status != null && status.getMessage() != null) ? " (" + status.getMessage() + ")" : "";
		String message = "Failed to %s: %d%s%s".formatted(request.description(), response.code(),
				reason.isEmpty() ? "" : " " + reason, detail);
		return new ApiException(response.code(), reason, retryAfter(response.headers()), name(status),
				!repeated && (response.code() < SERVER_ERROR || isBeforeStorage(request, status)), isDenied(status),
				message, null);
	}

	/*
	 * An API server asks webhooks about a create, update or patch before it stores
	 * anything. Deletes are not proven: one can take several steps, and a collection
	 * many.
	 */
	private static boolean isBeforeStorage(ApiRequest request, @Nullable Status status) {
		return !request.method().equals("DELETE")
				&& (isDenied(status) || (status != null && "InternalError".equals(status.getReason())
						&& status.getMessage() != null && status.getMessage().startsWith(WEBHOOK_FAILED)));
	}

	private static boolean isDenied(@Nullable Status status) {
		return status != null && status.getMessage() != null && WEBHOOK_DENIED.matcher(status.getMessage()).lookingAt();
	}

	private static String name(@Nullable Status status) {
		if (status == null || status.getDetails() == null) {
			return "";
		}
		return Objects.requireNonNullElse(status.getDetails().getName(), "");
	}

	private static @Nullable Status parse(String text, KubernetesSerialization serialization) {
		if (!text.startsWith("{")) {
			return null;
		}
		try {
			return serialization.unmarshal(text, Status.class);
		}
		catch (RuntimeException notAStatus) {
			return null;
		}
	}

	/** The pause that the headers ask for, 5 minutes at most; {@code null} for none. */
	static @Nullable Duration retryAfter(Map<String, List<String>> headers) {
		for (Map.Entry<String, List<String>> header : headers.entrySet()) {
			if (header.getKey().equalsIgnoreCase("Retry-After") && !header.getValue().isEmpty()) {
				return seconds(header.getValue().get(0));
			}
		}
		return null;
	}

	static @Nullable Duration seconds(String value) {
		try {
			return RetryAfter.ofSeconds(Long.parseLong(value.trim()));
		}
		catch (NumberFormatException notSeconds) {
			return null;
		}
	}

}

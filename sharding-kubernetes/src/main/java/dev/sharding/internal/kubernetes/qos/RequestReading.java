package dev.sharding.internal.kubernetes.qos;

import dev.sharding.internal.core.qos.ListSize;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.RequestTarget;
import org.jspecify.annotations.Nullable;

/**
 * What an HTTP request does, in the API's words.
 */
final class RequestReading {

	private RequestReading() {
	}

	/** Returns {@code null} for a method that the API server does not know. */
	static @Nullable Operation operation(ApiRequest request, RequestTarget target) {
		return switch (request.method()) {
			case "GET" -> read(request, target);
			case "POST" -> Operation.CREATE;
			case "PUT" -> Operation.UPDATE;
			case "PATCH" -> MediaTypes.APPLY_PATCH.equals(request.contentType()) ? Operation.APPLY : Operation.PATCH;
			case "DELETE" -> target.isCollection() ? Operation.DELETE_COLLECTION : Operation.DELETE;
			default -> null;
		};
	}

	/** How large the list is that a request begins with; {@code null} if with none. */
	static @Nullable ListSize listSize(ApiRequest request, RequestTarget target, Operation operation) {
		return switch (operation) {
			case LIST -> ListSize.ofList(target, request.query());
			case WATCH -> ListSize.hasInitialEvents(request.query()) ? ListSize.ofWatch(target, request.query()) : null;
			default -> null;
		};
	}

	private static Operation read(ApiRequest request, RequestTarget target) {
		String watch = request.query().getOrDefault("watch", "");
		if (watch.equals("true") || watch.equals("1")) {
			return Operation.WATCH;
		}
		return target.isCollection() ? Operation.LIST : Operation.GET;
	}

}

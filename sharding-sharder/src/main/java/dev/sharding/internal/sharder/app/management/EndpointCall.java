package dev.sharding.internal.sharder.app.management;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.ProducibleOperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.core.io.Resource;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * What a request asks of an endpoint.
 *
 * @param method its method
 * @param parameters the parameters of its query
 * @param accepted what its heads {@code Accept} say
 * @param contentType what its body is, if it says so
 * @param body its body
 * @param namespace which listener it came by
 */
record EndpointCall(WebEndpointHttpMethod method, Map<String, List<String>> parameters, List<String> accepted,
		@Nullable String contentType, String body, WebServerNamespace namespace) {

	private static final String NO_OBJECT = "the body is no JSON object";

	/**
	 * Calls an operation. May block.
	 * @param found the operations at the path of the request
	 * @param json writes and reads JSON
	 * @return the answer, now or later
	 */
	CompletionStage<EndpointAnswer> answer(List<EndpointRoutes.Match> found, KubernetesSerialization json) {
		if (found.isEmpty()) {
			return now(EndpointAnswer.text(404, "no such endpoint"));
		}
		EndpointRoutes.Match match = found.stream()
			.filter((each) -> each.operation().getRequestPredicate().getHttpMethod() == this.method)
			.findFirst()
			.orElse(null);
		if (match == null) {
			return now(EndpointAnswer.text(405, "the endpoint does not know this method"));
		}
		try {
			if (!this.body.isEmpty() && !isConsumed(match)) {
				return now(EndpointAnswer.text(415, "the endpoint does not read such bodies"));
			}
			String produced = produced(match);
			if (produced == null) {
				return now(EndpointAnswer.text(406, "the endpoint does not produce what is accepted"));
			}
			Object result = match.operation().invoke(context(match, json));
			return (result instanceof CompletionStage<?> later)
					? later.thenApply((value) -> answer(value, produced, json)) : now(answer(result, produced, json));
		}
		catch (InvalidEndpointRequestException ex) {
			return now(EndpointAnswer.text(400, String.valueOf(ex.getReason())));
		}
		catch (InvalidMimeTypeException ex) {
			return now(EndpointAnswer.text(400, "no media type: " + ex.getMimeType()));
		}
	}

	private static CompletionStage<EndpointAnswer> now(EndpointAnswer answer) {
		return CompletableFuture.completedFuture(answer);
	}

	private boolean isConsumed(EndpointRoutes.Match match) {
		MimeType type = (this.contentType != null) ? MimeTypeUtils.parseMimeType(this.contentType)
				: MimeTypeUtils.APPLICATION_OCTET_STREAM;
		return match.operation()
			.getRequestPredicate()
			.getConsumes()
			.stream()
			.anyMatch((consumed) -> MimeTypeUtils.parseMimeType(consumed).includes(type));
	}

	/* The first that the client accepts; what a result says of itself counts more. */
	private @Nullable String produced(EndpointRoutes.Match match) {
		List<MimeType> accepts = this.accepted.stream()
			.flatMap((each) -> MimeTypeUtils.parseMimeTypes(each).stream())
			.toList();
		List<String> produced = List.copyOf(match.operation().getRequestPredicate().getProduces());
		if (produced.isEmpty()) {
			return MimeTypeUtils.APPLICATION_JSON_VALUE;
		}
		return produced.stream()
			.filter((each) -> accepts.isEmpty() || accepts.stream()
				.anyMatch((accept) -> accept.isCompatibleWith(MimeTypeUtils.parseMimeType(each))))
			.findFirst()
			.orElse(null);
	}

	private InvocationContext context(EndpointRoutes.Match match, KubernetesSerialization json) {
		Map<String, Object> arguments = new HashMap<>();
		if (this.method == WebEndpointHttpMethod.POST && !this.body.isEmpty()) {
			arguments.putAll(read(json));
		}
		this.parameters.forEach((name, values) -> arguments.put(name, (values.size() == 1) ? values.get(0) : values));
		// Last, as who may do this was asked about the path.
		arguments.putAll(match.variables());
		return new InvocationContext(SecurityContext.NONE, arguments,
				new ProducibleOperationArgumentResolver(() -> this.accepted),
				OperationArgumentResolver.of(WebServerNamespace.class, () -> this.namespace));
	}

	@SuppressWarnings("unchecked")
	private Map<String, Object> read(KubernetesSerialization json) {
		Map<String, Object> read;
		try {
			read = json.unmarshal(this.body, Map.class);
		}
		catch (RuntimeException ex) {
			throw new InvalidEndpointRequestException("Malformed body", NO_OBJECT, ex);
		}
		if (read == null) {
			throw new InvalidEndpointRequestException("Empty body", NO_OBJECT);
		}
		return read;
	}

	private EndpointAnswer answer(@Nullable Object result, String produced, KubernetesSerialization json) {
		if (result == null) {
			return EndpointAnswer.empty((this.method == WebEndpointHttpMethod.GET) ? 404 : 204);
		}
		if (!(result instanceof WebEndpointResponse<?> response)) {
			return new EndpointAnswer(200, produced, bytes(result, json));
		}
		Object content = response.getBody();
		if (content == null) {
			return EndpointAnswer.empty(response.getStatus());
		}
		MimeType type = response.getContentType();
		return new EndpointAnswer(response.getStatus(), (type != null) ? type.toString() : produced,
				bytes(content, json));
	}

	private static byte[] bytes(Object content, KubernetesSerialization json) {
		if (content instanceof byte[] bytes) {
			return bytes;
		}
		if (content instanceof Resource resource) {
			try {
				return resource.getContentAsByteArray();
			}
			catch (IOException ex) {
				throw new IllegalStateException("Failed to read " + resource.getDescription(), ex);
			}
		}
		String text = (content instanceof CharSequence chars) ? chars.toString() : json.asJson(content);
		return text.getBytes(StandardCharsets.UTF_8);
	}

}

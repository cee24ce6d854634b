package dev.sharding.internal.sharder.webhook;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.assignment.AdmissionDecision;
import dev.sharding.internal.core.assignment.AdmissionDecision.Assign;
import dev.sharding.internal.core.assignment.AdmissionDecision.Leave;
import dev.sharding.internal.core.key.ObjectIdentity;
import dev.sharding.internal.core.key.OwnerRef;
import dev.sharding.resource.GroupResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes AdmissionReviews of version v1.
 */
final class AdmissionReviews {

	private static final String API_VERSION = "admission.k8s.io/v1";

	private static final String KIND = "AdmissionReview";

	private static final String CREATE = "CREATE";

	private final KubernetesSerialization serialization;

	AdmissionReviews(KubernetesSerialization serialization) {
		this.serialization = serialization;
	}

	/**
	 * Reads a request.
	 * @throws MalformedReviewException if the body is anything else
	 */
	AdmissionRequest read(byte[] body) throws MalformedReviewException {
		ReviewRequest review = parse(body);
		if (review == null || !API_VERSION.equals(review.apiVersion()) || !KIND.equals(review.kind())) {
			throw new MalformedReviewException("apiVersion and kind must be " + API_VERSION + " and " + KIND);
		}
		ReviewRequest.Request request = review.request();
		if (request == null || request.uid() == null || request.uid().isEmpty()) {
			throw new MalformedReviewException("'request.uid' is missing");
		}
		ReviewRequest.Resource resource = request.resource();
		if (resource == null || resource.resource() == null) {
			throw new MalformedReviewException("'request.resource' is missing");
		}
		ReviewRequest.Item object = request.object();
		if (object == null) {
			throw new MalformedReviewException("'request.object' is missing");
		}
		return new AdmissionRequest(request.uid(), new GroupResource(text(resource.group()), resource.resource()),
				identity(object), object.labels(), CREATE.equals(request.operation()),
				Boolean.TRUE.equals(request.dryRun()));
	}

	private @Nullable ReviewRequest parse(byte[] body) throws MalformedReviewException {
		int start = 0;
		while (start < body.length && Character.isWhitespace(body[start])) {
			start++;
		}
		// Anything else would be taken for YAML.
		if (start == body.length || body[start] != '{') {
			throw new MalformedReviewException("it is not a JSON object");
		}
		try {
			return this.serialization.unmarshal(new ByteArrayInputStream(body, start, body.length - start),
					ReviewRequest.class);
		}
		catch (RuntimeException quotesTheBody) {
			throw new MalformedReviewException("it is not valid JSON, or a field has the wrong type");
		}
	}

	/*
	 * The namespace is the object's own, which the API server has filled in by now. That
	 * of the request is another for a Namespace: its own name.
	 */
	private static ObjectIdentity identity(ReviewRequest.Item object) {
		ReviewRequest.Metadata metadata = object.metadata();
		if (metadata == null) {
			return new ObjectIdentity(object.apiVersion(), object.kind(), null, null, null, List.of());
		}
		ReviewRequest.Owner owner = metadata.controller();
		List<OwnerRef> owners = (owner != null)
				? List.of(new OwnerRef(owner.apiVersion(), owner.kind(), owner.name(), null, true)) : List.of();
		return new ObjectIdentity(object.apiVersion(), object.kind(), metadata.namespace(), metadata.name(),
				metadata.generateName(), owners);
	}

	/** Writes the answer to a request. */
	byte[] write(AdmissionRequest request, AdmissionDecision decision) {
		Map<String, Object> response = new LinkedHashMap<>();
		response.put("uid", request.uid());
		response.put("allowed", true);
		if (decision instanceof Assign assign) {
			response.put("status", Map.of("code", 200, "message", "assigned to shard " + assign.shard()));
			response.put("patchType", "JSONPatch");
			response.put("patch", Base64.getEncoder().encodeToString(assign.patch().getBytes(StandardCharsets.UTF_8)));
		}
		else if (decision instanceof Leave leave) {
			response.put("status", Map.of("code", 200, "message", "left as it is: " + leave.reason()));
			if (leave.warning() != null) {
				response.put("warnings", List.of(leave.warning()));
			}
		}
		Map<String, Object> review = new LinkedHashMap<>();
		review.put("apiVersion", API_VERSION);
		review.put("kind", KIND);
		review.put("response", response);
		return this.serialization.asJson(review).getBytes(StandardCharsets.UTF_8);
	}

	private static String text(@Nullable String part) {
		return (part != null) ? part : "";
	}

}

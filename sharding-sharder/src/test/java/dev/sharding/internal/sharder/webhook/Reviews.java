package dev.sharding.internal.sharder.webhook;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.resource.GroupResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * AdmissionReviews as the API server sends them, and a look at the answers.
 */
final class Reviews {

	static final String RING = "my-ring";

	static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

	static final RingView VIEW = new RingView(
			Map.of(new GroupResource("", "secrets"), new RingView.Listed(ResourceRole.MAIN, true),
					new GroupResource("", "configmaps"), new RingView.Listed(ResourceRole.CONTROLLED, false)),
			HashRing.of(List.of("shard-a", "shard-b")), Duration.ofSeconds(15), () -> true);

	private Reviews() {
	}

	static String secret(String name, String labels, boolean dryRun) {
		return """
				{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{
				"uid":"705ab4f5-6393-11e8-b7cc-42010a800002",
				"kind":{"group":"","version":"v1","kind":"Secret"},
				"resource":{"group":"","version":"v1","resource":"secrets"},
				"requestKind":{"group":"","version":"v1","kind":"Secret"},
				"requestResource":{"group":"","version":"v1","resource":"secrets"},
				"name":"%s","namespace":"default","operation":"CREATE",
				"userInfo":{"username":"admin","groups":["system:masters"],"extra":{"a":["b"]}},
				"object":{"kind":"Secret","apiVersion":"v1","metadata":{"name":"%s","namespace":"default",
				"creationTimestamp":null%s,"managedFields":[{"manager":"x","fieldsV1":{"f:data":{".":{}}}}]},
				"data":{"password":"czNjcjN0"},"type":"Opaque"},
				"oldObject":null,"dryRun":%s,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}}"""
			.formatted(name, name, labels.isEmpty() ? "" : ",\"labels\":" + labels, dryRun);
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@SuppressWarnings("unchecked")
	static Map<String, Object> response(byte[] body) {
		Map<String, Object> review = SERIALIZATION.unmarshal(new String(body, StandardCharsets.UTF_8), Map.class);
		return (Map<String, Object>) review.get("response");
	}

	static String patch(byte[] body) {
		Object patch = response(body).get("patch");
		return (patch != null) ? new String(Base64.getDecoder().decode((String) patch), StandardCharsets.UTF_8) : "";
	}

}

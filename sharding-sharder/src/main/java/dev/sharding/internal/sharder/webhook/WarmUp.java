package dev.sharding.internal.sharder.webhook;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.sharding.internal.core.assignment.AdmissionDecision;
import dev.sharding.internal.core.assignment.AdmissionFacts;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;

/**
 * Answers a made-up review some times before the first real one comes. What a JVM does
 * for the first time takes it far longer than later, and somebody's write would wait for
 * it.
 */
final class WarmUp {

	/* By then the compiler has seen the code. */
	private static final int ROUNDS = 200;

	private static final byte[] REVIEW = """
			{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"warm-up",
			"kind":{"group":"","version":"v1","kind":"Secret"},
			"resource":{"group":"","version":"v1","resource":"secrets"},"requestResource":null,
			"name":"warm-up","namespace":"default","operation":"CREATE","userInfo":{"username":"nobody","groups":[]},
			"object":{"kind":"Secret","apiVersion":"v1","metadata":{"name":"warm-up","namespace":"default",
			"labels":{"a":"b"},"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"a","controller":true}],
			"managedFields":[{"manager":"nobody","fieldsV1":{"f:data":{".":{}}}}]},"data":{},"type":"Opaque"},
			"oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}}"""
		.getBytes(StandardCharsets.UTF_8);

	private WarmUp() {
	}

	/** Returns when the code is warm. */
	static void run(AdmissionReviews reviews) {
		HashRing ring = HashRing.of(List.of("warm-up"));
		try {
			for (int i = 0; i < ROUNDS; i++) {
				AdmissionRequest request = reviews.read(REVIEW);
				reviews.write(request, AdmissionDecision.of(new AdmissionFacts("warm-up", ring, true, ResourceRole.MAIN,
						true, request.object(), request.labels(), true, request.creating())));
			}
		}
		catch (MalformedReviewException ex) {
			throw new IllegalStateException(ex);
		}
	}

}

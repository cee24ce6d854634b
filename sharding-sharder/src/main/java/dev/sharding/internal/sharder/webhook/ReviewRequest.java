package dev.sharding.internal.sharder.webhook;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;

/**
 * The part of an AdmissionReview (admission.k8s.io/v1) that the webhook reads. Spec, data
 * and all else of the object is skipped by the parser, so that it is nowhere kept.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record ReviewRequest(@Nullable String apiVersion, @Nullable String kind, @Nullable Request request) {

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Request(@Nullable String uid, @Nullable Resource resource, @Nullable String operation,
			@Nullable Boolean dryRun, @Nullable Item object) {
	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Resource(@Nullable String group, @Nullable String resource) {
	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Item(@Nullable String apiVersion, @Nullable String kind, @Nullable Metadata metadata) {

		@Nullable Map<String, String> labels() {
			return (this.metadata != null) ? this.metadata.labels() : null;
		}

	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Metadata(@Nullable String namespace, @Nullable String name, @Nullable String generateName,
			@Nullable Map<String, String> labels, @Nullable List<@Nullable Owner> ownerReferences) {
	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Owner(@Nullable String apiVersion, @Nullable String kind, @Nullable String name,
			@Nullable Boolean controller) {
	}

}

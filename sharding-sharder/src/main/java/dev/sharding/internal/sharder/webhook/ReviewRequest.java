package dev.sharding.internal.sharder.webhook;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * The part of an AdmissionReview (admission.k8s.io/v1) that the webhook reads. Spec, data
 * and all else of the object is skipped by the parser, so that it is nowhere kept.
 * Whoever reaches the webhook can send millions of labels and of owner references, and
 * each takes many times its text as an object. So the parser keeps the labels of rings,
 * one of the others, and the controller.
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

	/**
	 * @param labels those of rings, and one of the others, or {@code null} if there is no
	 * map of labels
	 * @param controller the first of its owners that is its controller
	 */
	@JsonIgnoreProperties(ignoreUnknown = true)
	record Metadata(@Nullable String namespace, @Nullable String name, @Nullable String generateName,
			@JsonDeserialize(using = LabelsReader.class) @Nullable Map<String, String> labels,
			@JsonProperty("ownerReferences") @JsonDeserialize(
					using = ControllerReader.class) @Nullable Owner controller) {
	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Owner(@Nullable String apiVersion, @Nullable String kind, @Nullable String name,
			@Nullable Boolean controller) {
	}

	/**
	 * Reads all labels.
	 */
	static final class LabelsReader extends JsonDeserializer<Map<String, String>> {

		@Override
		@SuppressWarnings("unchecked")
		public Map<String, String> deserialize(JsonParser parser, DeserializationContext context) throws IOException {
			if (!parser.isExpectedStartObjectToken()) {
				return (Map<String, String>) context.handleUnexpectedToken(Map.class, parser);
			}
			Map<String, String> kept = new HashMap<>();
			boolean hasOther = false;
			for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
				String value = (parser.nextToken() != JsonToken.VALUE_NULL) ? context.readValue(parser, String.class)
						: null;
				boolean ofRing = ShardingLabels.isSharding(name);
				if (ofRing || !hasOther) {
					kept.put(name, value);
					hasOther |= !ofRing;
				}
			}
			return kept;
		}

	}

	/**
	 * Reads all owner references.
	 */
	static final class ControllerReader extends JsonDeserializer<@Nullable Owner> {

		@Override
		public @Nullable Owner deserialize(JsonParser parser, DeserializationContext context) throws IOException {
			if (!parser.isExpectedStartArrayToken()) {
				return (Owner) context.handleUnexpectedToken(Owner.class, parser);
			}
			Owner controller = null;
			while (parser.nextToken() != JsonToken.END_ARRAY) {
				Owner owner = parser.hasToken(JsonToken.VALUE_NULL) ? null : context.readValue(parser, Owner.class);
				if (controller == null && owner != null && Boolean.TRUE.equals(owner.controller())) {
					controller = owner;
				}
			}
			return controller;
		}

	}

}

package dev.sharding.internal.sharder.assignment.metadata;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;

/**
 * The part of an object's metadata that the sharder reads of an answer about that object
 * alone: what is not here is skipped by the parser.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record MetadataItem(@Nullable Metadata metadata) {

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Metadata(@Nullable String namespace, @Nullable String name, @Nullable String resourceVersion,
			@Nullable Map<String, String> labels, @Nullable List<Owner> ownerReferences) {
	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Owner(@Nullable String apiVersion, @Nullable String kind, @Nullable String name, boolean controller) {
	}

}

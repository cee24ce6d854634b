package dev.sharding.internal.sharder.ring;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import org.jspecify.annotations.Nullable;

/**
 * What the sharder reports about a ring (protocol section 1.3).
 *
 * @param observedGeneration the generation that this status describes
 * @param shards number of Leases of the ring that are believed, whatever their state
 * @param availableShards number of shards to which objects may be assigned
 * @param conditions at most one of each type
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ControllerRingStatus(@Nullable Long observedGeneration, int shards, int availableShards,
		List<Condition> conditions) {

	public ControllerRingStatus(@Nullable Long observedGeneration, int shards, int availableShards,
			@Nullable List<Condition> conditions) {
		this.observedGeneration = observedGeneration;
		this.shards = shards;
		this.availableShards = availableShards;
		this.conditions = (conditions != null) ? List.copyOf(conditions) : List.of();
	}

}

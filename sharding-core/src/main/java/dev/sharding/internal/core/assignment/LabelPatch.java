package dev.sharding.internal.core.assignment;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * A merge patch of labels that applies only to the version that was seen; all others
 * answer 409 (protocol sections 3.3, 4 and 6.4).
 *
 * @param labels the new value of each label, {@code null} to take it off; sorted,
 * unmodifiable
 * @param resourceVersion the resource version that was seen
 */
public record LabelPatch(SortedMap<String, @Nullable String> labels, String resourceVersion) {

	/** The content type to send the patch with. */
	public static final String CONTENT_TYPE = "application/merge-patch+json";

	public LabelPatch {
		labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
	}

	/**
	 * Asks the owner of a main object to let go of it.
	 * @param ring the name of the ControllerRing
	 * @param resourceVersion the resource version that was seen
	 * @return the patch
	 */
	public static LabelPatch drain(String ring, String resourceVersion) {
		TreeMap<String, @Nullable String> labels = new TreeMap<>();
		labels.put(ShardingLabels.drain(ring), ShardingLabels.DRAIN_REQUESTED);
		return new LabelPatch(labels, resourceVersion);
	}

	/**
	 * Assigns or moves an object: sets the new shard in the same request, where the
	 * golden patch takes the label off and leaves the rest to a webhook.
	 * @param ring the name of the ControllerRing
	 * @param shard the name of the shard that gets the object
	 * @param resourceVersion the resource version that was seen
	 * @return the patch
	 */
	public static LabelPatch assign(String ring, String shard, String resourceVersion) {
		TreeMap<String, @Nullable String> labels = new TreeMap<>();
		labels.put(ShardingLabels.shard(ring), shard);
		labels.put(ShardingLabels.drain(ring), null);
		return new LabelPatch(labels, resourceVersion);
	}

	/**
	 * Assigns an object that has not had a shard since the sharder has known it, and says
	 * so.
	 * @param ring the name of the ControllerRing
	 * @param shard the name of the shard that gets the object
	 * @param resourceVersion the resource version that was seen
	 * @return the patch
	 */
	public static LabelPatch assignFirst(String ring, String shard, String resourceVersion) {
		LabelPatch assign = assign(ring, shard, resourceVersion);
		return assign.with(ShardingLabels.first(ring), resourceVersion);
	}

	/**
	 * Acknowledges a drain: takes both labels off at once.
	 * @param ring the name of the ControllerRing
	 * @param resourceVersion the resource version that was seen
	 * @return the patch
	 */
	public static LabelPatch acknowledgeDrain(String ring, String resourceVersion) {
		TreeMap<String, @Nullable String> labels = new TreeMap<>();
		labels.put(ShardingLabels.shard(ring), null);
		labels.put(ShardingLabels.drain(ring), null);
		return new LabelPatch(labels, resourceVersion);
	}

	/**
	 * Shows the state of a shard on its Lease.
	 * @param state the state
	 * @param resourceVersion the resource version that was seen
	 * @return the patch
	 */
	public static LabelPatch state(ShardState state, String resourceVersion) {
		TreeMap<String, @Nullable String> labels = new TreeMap<>();
		labels.put(ShardingLabels.LEASE_STATE, state.label());
		return new LabelPatch(labels, resourceVersion);
	}

	/**
	 * This patch, which takes the mark of a first shard off as well, if it is there.
	 * @param ring the name of the ControllerRing
	 * @param seen the labels of the object, or {@code null} if it has none
	 * @return the patch
	 */
	public LabelPatch unmarking(String ring, @Nullable Map<String, String> seen) {
		String mark = ShardingLabels.first(ring);
		return (seen != null && seen.containsKey(mark)) ? with(mark, null) : this;
	}

	private LabelPatch with(String label, @Nullable String value) {
		TreeMap<String, @Nullable String> extended = new TreeMap<>(this.labels);
		extended.put(label, value);
		return new LabelPatch(extended, this.resourceVersion);
	}

	/**
	 * Returns the body of the request.
	 * @return the patch as JSON
	 */
	public String toJson() {
		StringBuilder json = new StringBuilder("{\"metadata\":{\"labels\":{");
		this.labels.forEach((label, value) -> {
			JsonText.append(json, label).append(':');
			if (value != null) {
				JsonText.append(json, value);
			}
			else {
				json.append("null");
			}
			json.append(',');
		});
		if (!this.labels.isEmpty()) {
			json.setLength(json.length() - 1);
		}
		return JsonText.append(json.append("},\"resourceVersion\":"), this.resourceVersion).append("}}").toString();
	}

}

package dev.sharding.internal.core.assignment;

import dev.sharding.protocol.ShardingLabels;

/**
 * The JSON patch with which an admission webhook assigns an object (protocol section 5).
 */
public final class AdmissionPatch {

	private AdmissionPatch() {
	}

	/**
	 * Returns the patch that puts the shard label on.
	 * @param ring the name of the ControllerRing
	 * @param shard the name of the shard that gets the object
	 * @param hasLabels whether the object has labels already; otherwise the patch makes
	 * room for them
	 * @return the patch as JSON
	 */
	public static String assign(String ring, String shard, boolean hasLabels) {
		return begin(hasLabels).append(label(ShardingLabels.shard(ring), shard)).append(']').toString();
	}

	/**
	 * Returns the patch for an object that is being created: it says besides that no
	 * shard had the object before.
	 * @param ring the name of the ControllerRing
	 * @param shard the name of the shard that gets the object
	 * @param hasLabels whether the object has labels already
	 * @return the patch as JSON
	 */
	public static String assignFirst(String ring, String shard, boolean hasLabels) {
		return begin(hasLabels).append(label(ShardingLabels.shard(ring), shard))
			.append(',')
			.append(label(ShardingLabels.first(ring), ShardingLabels.FIRST_AT_CREATION))
			.append(']')
			.toString();
	}

	private static StringBuilder begin(boolean hasLabels) {
		return new StringBuilder(hasLabels ? "[" : "[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{}},");
	}

	private static String label(String label, String value) {
		StringBuilder json = new StringBuilder("{\"op\":\"add\",\"path\":");
		JsonText.append(json, "/metadata/labels/" + pointer(label)).append(",\"value\":");
		return JsonText.append(json, value).append('}').toString();
	}

	/* RFC 6901: the tilde first, or the tilde of an escaped slash would be escaped. */
	private static String pointer(String key) {
		return key.replace("~", "~0").replace("/", "~1");
	}

}

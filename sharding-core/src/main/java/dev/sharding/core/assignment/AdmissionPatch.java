package dev.sharding.core.assignment;

import dev.sharding.core.ShardingLabels;

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
		StringBuilder json = new StringBuilder("[");
		if (!hasLabels) {
			json.append("{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{}},");
		}
		json.append("{\"op\":\"add\",\"path\":");
		JsonText.append(json, "/metadata/labels/" + pointer(ShardingLabels.shard(ring)));
		json.append(",\"value\":");
		return JsonText.append(json, shard).append("}]").toString();
	}

	/* RFC 6901: the tilde first, or the tilde of an escaped slash would be escaped. */
	private static String pointer(String key) {
		return key.replace("~", "~0").replace("/", "~1");
	}

}

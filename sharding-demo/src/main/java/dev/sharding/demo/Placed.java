package dev.sharding.demo;

/**
 * What the board knows of one Secret and its ConfigMap.
 *
 * @param resourceVersion of the Secret
 * @param owner value of its shard label, empty without
 * @param draining whether it carries the drain label
 * @param configMapOwner shard label of its ConfigMap, empty without
 * @param stamped the version of the Secret that its ConfigMap was made from, empty
 * without
 */
record Placed(String resourceVersion, String owner, boolean draining, String configMapOwner, String stamped) {

	static final Placed NOWHERE = new Placed("", "", false, "", "");

	Placed withSecret(String resourceVersion, String owner, boolean draining) {
		return new Placed(resourceVersion, owner, draining, this.configMapOwner, this.stamped);
	}

	Placed withConfigMap(String owner, String stamped) {
		return new Placed(this.resourceVersion, this.owner, this.draining, owner, stamped);
	}

	boolean exists() {
		return !this.resourceVersion.isEmpty();
	}

	/** Whether the ConfigMap was made from the Secret as it is now. */
	boolean current() {
		return this.resourceVersion.equals(this.stamped);
	}

	/** Whether both objects are where they belong, and nothing is on its way. */
	boolean settledAt(String expected) {
		return this.owner.equals(expected) && !this.draining && this.configMapOwner.equals(expected);
	}

}

package dev.sharding.judge;

/**
 * Which object a request was about.
 *
 * @param group API group, empty for the core group
 * @param resource plural name
 * @param namespace empty for cluster scope
 * @param name empty where the request names none (list, create with a generated name that
 * failed)
 */
record ObjectRef(String group, String resource, String namespace, String name) {

	boolean isOf(ResourceId id) {
		return this.group.equals(id.group()) && this.resource.equals(id.resource());
	}

	boolean isLease() {
		return this.group.equals("coordination.k8s.io") && this.resource.equals("leases");
	}

	@Override
	public String toString() {
		return this.resource + (this.group.isEmpty() ? "" : "." + this.group) + " " + this.namespace + "/" + this.name;
	}

}

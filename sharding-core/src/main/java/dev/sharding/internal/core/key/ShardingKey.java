package dev.sharding.internal.core.key;

/**
 * What the hash ring hashes: the identity of a main object without its version (protocol
 * section 2.5).
 *
 * @param group the API group, empty for the core group
 * @param kind the kind, not the resource
 * @param namespace the namespace, empty for cluster-scoped objects
 * @param name the name
 */
public record ShardingKey(String group, String kind, String namespace, String name) {

	/**
	 * Returns the text of the protocol: {@code group/kind/namespace/name}, always with
	 * three slashes.
	 */
	@Override
	public String toString() {
		return this.group + '/' + this.kind + '/' + this.namespace + '/' + this.name;
	}

}

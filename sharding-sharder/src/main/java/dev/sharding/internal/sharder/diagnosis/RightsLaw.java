package dev.sharding.internal.sharder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.RingRoles;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;

/**
 * Tells which rights the sharder and the shards of a ring need.
 */
public final class RightsLaw {

	private static final String SHARDING = "sharding.timebertt.dev";

	private static final String RINGS = "controllerrings";

	private static final String JOIN = "join";

	private static final String LEASES = "coordination.k8s.io";

	private RightsLaw() {
	}

	/**
	 * Returns the rights that the sharder needs on the objects of a ring, in all
	 * namespaces.
	 * @param ring the ring
	 * @return the rights
	 */
	public static List<Right> ofSharderOn(ControllerRing ring) {
		return ofRole(ring, "sharding:controllerring:");
	}

	/**
	 * Returns the rights that the sharder needs for its own work, in all namespaces.
	 * @param webhook whether the ring has a webhook
	 * @return the rights
	 */
	public static List<Right> ofSharder(boolean webhook) {
		List<Right> rights = new ArrayList<>();
		add(rights, SHARDING, RINGS, "", "get", "list", "watch");
		add(rights, SHARDING, RINGS, "status", "patch");
		add(rights, LEASES, "leases", "", "get", "list", "watch", "create", "update", "patch", "delete");
		add(rights, "", "namespaces", "", "get", "list", "watch");
		if (webhook) {
			add(rights, "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "", "get", "list", "watch",
					"create", "patch", "delete");
		}
		return rights;
	}

	/**
	 * Returns the rights that a shard needs for the objects of a ring, and on the ring.
	 * @param ring the ring
	 * @return the rights
	 */
	public static List<Right> ofShard(ControllerRing ring) {
		return ofRole(ring, "sharding:shard:").stream()
			.filter((right) -> !right.resource().equals("events"))
			.filter((right) -> !isOfCluster(right) || "get".equals(right.verb()))
			.toList();
	}

	/**
	 * Returns the rights that a shard needs in the namespace of its Lease.
	 * @param ring the ring
	 * @return the rights
	 */
	public static List<Right> ofShardLease(ControllerRing ring) {
		// To watch them is for slots only, and those that may not ask again and again.
		return ofRole(ring, "sharding:shard-lease:").stream()
			.filter((right) -> right.group().equals(LEASES) && !"watch".equals(right.verb()))
			.toList();
	}

	/**
	 * Returns the right that the policy for Leases, where it is installed, asks of
	 * whoever writes one of a ring, in the namespace of the Lease.
	 * @param ring the ring
	 * @return the right
	 */
	public static Right join(ControllerRing ring) {
		return new Right(SHARDING, RINGS, "", JOIN, ring.getMetadata().getName());
	}

	private static List<Right> ofRole(ControllerRing ring, String prefix) {
		List<Right> rights = new ArrayList<>();
		RingRoles.of(ring)
			.stream()
			.filter((role) -> role instanceof ClusterRole && role.getMetadata().getName().startsWith(prefix))
			.flatMap((role) -> ((ClusterRole) role).getRules().stream())
			.forEach((rule) -> rights.addAll(ofRule(rule)));
		return rights;
	}

	private static List<Right> ofRule(PolicyRule rule) {
		List<Right> rights = new ArrayList<>();
		rule.getApiGroups()
			.forEach((group) -> rule.getResources()
				.forEach((resource) -> add(rights, group, resource, "", rule.getVerbs().toArray(String[]::new))));
		return rights;
	}

	private static void add(List<Right> rights, String group, String resource, String subresource, String... verbs) {
		for (String verb : verbs) {
			rights.add(new Right(group, resource, subresource, verb, ""));
		}
	}

	/**
	 * Tells whether the sharder may have a right in the namespaces of the shards only.
	 * @param right one of its own work
	 * @return whether it is about writing Leases, or reading one of them
	 */
	public static boolean isOfNamespaces(Right right) {
		return JOIN.equals(right.verb())
				|| right.group().equals(LEASES) && !Set.of("list", "watch").contains(right.verb());
	}

	/**
	 * Tells whether a right in a namespace is worth nothing.
	 * @param right one of a shard
	 * @return whether it is about rings, which belong to no namespace
	 */
	public static boolean isOfCluster(Right right) {
		return right.group().equals(SHARDING);
	}

	/**
	 * Something that somebody may do.
	 *
	 * @param group the API group
	 * @param resource the plural name of the resource
	 * @param subresource the subresource, empty for none
	 * @param verb the verb
	 * @param name which object, empty for all
	 */
	public record Right(String group, String resource, String subresource, String verb, String name) {

		/**
		 * Names what the verb is about.
		 * @return the resource with its group and subresource
		 */
		public String target() {
			String name = this.group.isEmpty() ? this.resource : this.resource + "." + this.group;
			return this.subresource.isEmpty() ? name : name + "/" + this.subresource;
		}

	}

}

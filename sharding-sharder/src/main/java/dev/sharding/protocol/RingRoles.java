package dev.sharding.protocol;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * The rights that a ring needs, and no others: of the sharder on its resources (bound to
 * the ServiceAccount {@code sharding-system/sharder}), and of its shards, to be bound by
 * whoever runs them: {@code sharding:shard:<ring>} where its objects are,
 * {@code sharding:shard-lease:<ring>} in the namespace of their Leases.
 */
public final class RingRoles {

	private static final String RBAC = "rbac.authorization.k8s.io";

	private RingRoles() {
	}

	/**
	 * Reads a ring and returns its roles.
	 * @param file the ControllerRing, YAML or JSON
	 * @return the roles as YAML
	 * @throws IllegalArgumentException if the file cannot be read or holds no ring with a
	 * name; the message says why
	 */
	public static String ofFile(Path file) {
		KubernetesSerialization serialization = new KubernetesSerialization();
		@Nullable GenericKubernetesResource any;
		ControllerRing ring;
		try {
			String text = Files.readString(file);
			// Of a class of its own, the client takes the kind for granted.
			any = serialization.unmarshal(text, GenericKubernetesResource.class);
			ring = serialization.unmarshal(text, ControllerRing.class);
		}
		catch (IOException | RuntimeException ex) {
			throw unreadable(file, ex.toString(), ex);
		}
		if (any == null) {
			throw unreadable(file, "it is empty", null);
		}
		if (!HasMetadata.getKind(ControllerRing.class).equals(any.getKind())) {
			throw unreadable(file, "its kind is " + any.getKind(), null);
		}
		if (ring.getMetadata().getName() == null) {
			throw unreadable(file, "it has no name", null);
		}
		if (ring.getSpec() == null) {
			throw unreadable(file, "it has no spec", null);
		}
		return of(ring).stream().map(serialization::asYaml).collect(Collectors.joining());
	}

	private static IllegalArgumentException unreadable(Path file, String why, @Nullable Exception cause) {
		return new IllegalArgumentException("Failed to read the ControllerRing of %s: %s".formatted(file, why), cause);
	}

	/**
	 * Returns the roles of a ring, that of the sharder with its binding.
	 * @param ring the ring
	 * @return what to apply
	 */
	public static List<HasMetadata> of(ControllerRing ring) {
		String name = ring.getMetadata().getName();
		SortedMap<String, SortedSet<String>> main = new TreeMap<>();
		SortedMap<String, SortedSet<String>> controlled = new TreeMap<>();
		SortedMap<String, SortedSet<String>> all = new TreeMap<>();
		for (MainResource resource : ring.getSpec().resources()) {
			add(main, resource.group(), resource.resource());
			add(all, resource.group(), resource.resource());
			resource.controlledResources().forEach((child) -> {
				add(controlled, child.group(), child.resource());
				add(all, child.group(), child.resource());
			});
		}
		String sharder = "sharding:controllerring:" + name;
		List<PolicyRule> shard = new ArrayList<>(rules(main, "get", "list", "watch", "patch"));
		shard.addAll(rules(controlled, "get", "list", "watch", "create", "update", "patch", "delete"));
		shard.add(rule("sharding.timebertt.dev", List.of("controllerrings"), "get"));
		shard.add(recordEvents());
		return List.of(role(sharder, rules(all, "get", "list", "watch", "patch")),
				new ClusterRoleBindingBuilder().withNewMetadata()
					.withName(sharder)
					.endMetadata()
					.withNewRoleRef(RBAC, "ClusterRole", sharder)
					.addNewSubject(null, "ServiceAccount", "sharder", "sharding-system")
					.build(),
				role("sharding:shard:" + name, shard), role("sharding:shard-lease:" + name, List.of(
						// To watch them, where shards are slots.
						rule("coordination.k8s.io", List.of("leases"), "get", "list", "watch", "create", "update"),
						// What the policy for Leases asks of whoever writes one.
						new PolicyRuleBuilder(rule("sharding.timebertt.dev", List.of("controllerrings"), "join"))
							.withResourceNames(name)
							.build(),
						// About the Lease, where the objects are in other namespaces.
						recordEvents())));
	}

	private static PolicyRule recordEvents() {
		return rule("events.k8s.io", List.of("events"), "create", "patch");
	}

	private static void add(Map<String, SortedSet<String>> resources, String group, String resource) {
		resources.computeIfAbsent(group, (absent) -> new TreeSet<>()).add(resource);
	}

	private static ClusterRole role(String name, List<PolicyRule> rules) {
		return new ClusterRoleBuilder().withNewMetadata().withName(name).endMetadata().withRules(rules).build();
	}

	private static List<PolicyRule> rules(Map<String, SortedSet<String>> resources, String... verbs) {
		List<PolicyRule> rules = new ArrayList<>();
		resources.forEach((group, names) -> rules.add(rule(group, List.copyOf(names), verbs)));
		return rules;
	}

	private static PolicyRule rule(String group, List<String> resources, String... verbs) {
		return new PolicyRuleBuilder().withApiGroups(group).withResources(resources).withVerbs(verbs).build();
	}

}

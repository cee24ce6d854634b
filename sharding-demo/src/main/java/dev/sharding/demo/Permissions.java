package dev.sharding.demo;

import java.util.List;

import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;

/** What each process in the play may do. */
final class Permissions {

	private static final List<String> READ = List.of("get", "list", "watch");

	private Permissions() {
	}

	static PolicyRule[] sharder() {
		return new PolicyRule[] { rule("", List.of("secrets", "configmaps"), "get", "list", "watch", "patch"),
				rule("", List.of("namespaces"), READ.toArray(String[]::new)),
				rule("sharding.timebertt.dev", List.of("controllerrings"), READ.toArray(String[]::new)),
				rule("sharding.timebertt.dev", List.of("controllerrings/status"), "update", "patch"), leases("delete"),
				events(""), events("events.k8s.io") };
	}

	static PolicyRule[] shard() {
		return new PolicyRule[] { rule("", List.of("secrets"), "get", "list", "watch", "patch"),
				rule("", List.of("configmaps"), "get", "list", "watch", "create", "update", "patch", "delete"),
				rule("sharding.timebertt.dev", List.of("controllerrings"), READ.toArray(String[]::new)), leases(),
				events(""), events("events.k8s.io") };
	}

	static PolicyRule[] writer() {
		return new PolicyRule[] { rule("", List.of("secrets"), "get", "list", "create", "update", "patch") };
	}

	static PolicyRule[] conductor() {
		return new PolicyRule[] { rule("", List.of("configmaps"), "get", "create", "update", "patch") };
	}

	private static PolicyRule leases(String... more) {
		PolicyRule rule = rule("coordination.k8s.io", List.of("leases"), "get", "list", "watch", "create", "update",
				"patch");
		rule.getVerbs().addAll(List.of(more));
		return rule;
	}

	private static PolicyRule events(String group) {
		return rule(group, List.of("events"), "create", "patch");
	}

	private static PolicyRule rule(String group, List<String> resources, String... verbs) {
		return new PolicyRuleBuilder().withApiGroups(group).withResources(resources).withVerbs(verbs).build();
	}

}

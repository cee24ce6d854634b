package dev.sharding.demo;

import java.util.List;

import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;

/** What those may do who are no part of the product. */
public final class Permissions {

	private Permissions() {
	}

	/** The users. */
	public static PolicyRule[] writer() {
		return new PolicyRule[] { rule("", List.of("secrets"), "get", "list", "create", "update", "patch", "delete"),
				rule("", List.of("configmaps"), "list", "delete") };
	}

	/** The users of what an operator of three reconcilers has besides. */
	public static PolicyRule[] pages() {
		return new PolicyRule[] { rule("operator.example", List.of("webpages", "accounts"), "get", "create", "patch") };
	}

	static PolicyRule[] conductor() {
		return new PolicyRule[] { rule("", List.of("configmaps"), "get", "create", "update", "patch") };
	}

	/** Whoever measures. */
	public static PolicyRule[] probe() {
		return new PolicyRule[] { rule("", List.of("configmaps"), "get", "list", "watch", "create", "patch") };
	}

	private static PolicyRule rule(String group, List<String> resources, String... verbs) {
		return new PolicyRuleBuilder().withApiGroups(group).withResources(resources).withVerbs(verbs).build();
	}

}

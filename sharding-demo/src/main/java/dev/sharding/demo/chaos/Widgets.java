package dev.sharding.demo.chaos;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.sharding.demo.Waiting;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * A resource of the rings that has no objects and that no shard knows: its definition can
 * go away and come back, which is nobody's business but of who watches it.
 */
final class Widgets {

	static final String PLURAL = "widgets";

	private static final String GROUP = "chaos.example";

	private static final Duration WITHIN = Duration.ofSeconds(60);

	private static final String DEFINITION = """
			apiVersion: apiextensions.k8s.io/v1
			kind: CustomResourceDefinition
			metadata:
			  name: widgets.chaos.example
			spec:
			  group: chaos.example
			  scope: Namespaced
			  names: {plural: widgets, singular: widget, kind: Widget}
			  versions:
			    - name: v1
			      served: true
			      storage: true
			      schema:
			        openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
			""";

	private static final String RIGHTS = """
			apiVersion: rbac.authorization.k8s.io/v1
			kind: ClusterRole
			metadata:
			  name: chaos:widgets
			rules:
			  - apiGroups: [chaos.example]
			    resources: [widgets]
			    verbs: [get, list, watch, patch]
			---
			apiVersion: rbac.authorization.k8s.io/v1
			kind: ClusterRoleBinding
			metadata:
			  name: chaos:widgets
			roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "chaos:widgets"}
			subjects:
			  - {apiGroup: rbac.authorization.k8s.io, kind: Group, name: "system:authenticated"}
			""";

	private Widgets() {
	}

	/** Brings it into the cluster, with the rights to watch it. */
	static void install(KubernetesClient admin) {
		create(admin, RIGHTS);
		define(admin);
	}

	/** Brings it back. */
	static void define(KubernetesClient admin) {
		create(admin, DEFINITION);
		Waiting.until("the API server to know " + PLURAL, WITHIN, () -> isKnown(admin));
	}

	/** Takes it away. */
	static void remove(KubernetesClient admin) {
		admin.apiextensions().v1().customResourceDefinitions().withName(PLURAL + "." + GROUP).delete();
		Waiting.until("the definition of " + PLURAL + " to be gone", WITHIN,
				() -> admin.apiextensions()
					.v1()
					.customResourceDefinitions()
					.withName(PLURAL + "." + GROUP)
					.get() == null);
	}

	private static void create(KubernetesClient admin, String manifest) {
		admin.load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8))).create();
	}

	private static boolean isKnown(KubernetesClient admin) {
		return admin.getApiGroup(GROUP) != null;
	}

}

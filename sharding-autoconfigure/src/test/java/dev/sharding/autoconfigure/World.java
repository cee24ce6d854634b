package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.RingRoles;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.CustomResourceDefinitions;

/**
 * Applications on a real API server, and what is in it.
 *
 * @param controlPlane the API server
 * @param client may do everything
 * @param namespace of the objects and the Leases
 */
record World(ControlPlane controlPlane, KubernetesClient client, String namespace) {

	/** The resource of the rings. */
	static final ResourceDefinitionContext RINGS = new ResourceDefinitionContext.Builder()
		.withGroup("sharding.timebertt.dev")
		.withVersion("v1alpha1")
		.withKind("ControllerRing")
		.withPlural("controllerrings")
		.withNamespaced(false)
		.build();

	/** One with an API server that knows rings. */
	static World withRings(ControlPlane controlPlane, KubernetesClient client, String namespace) {
		World world = new World(controlPlane, client, namespace);
		world.installRings();
		return world;
	}

	/** Has the API server know rings. */
	void installRings() {
		CustomResourceDefinitions.apply(this.client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
	}

	/** A shard of a ring that copies Secrets. */
	ApplicationContextRunner runner(String ring, KubernetesClient user) {
		return shard(ring, user).withUserConfiguration(CopyController.class);
	}

	/** A shard of a ring without controllers. */
	ApplicationContextRunner shard(String ring, KubernetesClient user) {
		return new ApplicationContextRunner().withConfiguration(Apps.everything())
			.withBean("kubernetesClient", KubernetesClient.class, () -> user,
					(definition) -> ((AbstractBeanDefinition) definition).setDestroyMethodName(""))
			.withPropertyValues("sharding.ring=" + ring, "sharding.shard-name=" + ring + "-1",
					"sharding.namespaces=" + this.namespace, "sharding.lease.namespace=" + this.namespace,
					"sharding.lease.duration=15s");
	}

	/**
	 * A user with the roles that the sharder's command prints for a ring, and no others.
	 */
	KubernetesClient shardUser(String ring) {
		List<PolicyRule> whereObjectsAre = new ArrayList<>();
		for (HasMetadata item : RingRoles.of(this.client.resources(ControllerRing.class).withName(ring).get())) {
			this.client.resource(item).serverSideApply();
			if (item instanceof ClusterRole role && role.getMetadata().getName().equals("sharding:shard:" + ring)) {
				whereObjectsAre.addAll(role.getRules());
			}
		}
		Access user = this.controlPlane.user(ring, whereObjectsAre.toArray(PolicyRule[]::new));
		this.client
			.resource(new RoleBindingBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(ring)
				.endMetadata()
				.withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "sharding:shard-lease:" + ring)
				.addNewSubject("rbac.authorization.k8s.io", "User", user.user(), null)
				.build())
			.create();
		return user.client();
	}

	void ring(String name, String main, String controlled) {
		Map<String, Object> resource = (controlled != null) ? Map.of("group", "", "resource", main,
				"controlledResources", List.of(Map.of("group", "", "resource", controlled)))
				: Map.of("group", "", "resource", main);
		GenericKubernetesResource ring = new GenericKubernetesResourceBuilder()
			.withApiVersion("sharding.timebertt.dev/v1alpha1")
			.withKind("ControllerRing")
			.withNewMetadata()
			.withName(name)
			.endMetadata()
			.addToAdditionalProperties("spec", Map.of("resources", List.of(resource)))
			.build();
		// Discovery may be behind the definition.
		this.client.genericKubernetesResources(RINGS).resource(ring).create();
	}

	/** What a sharder would write that sees the Leases of all namespaces. */
	void availableShards(String ring, int count) {
		this.client.genericKubernetesResources(RINGS).withName(ring).editStatus((found) -> {
			found.setAdditionalProperty("status", Map.of("shards", count, "availableShards", count));
			return found;
		});
	}

	void secret(String name, Map<String, String> labels) {
		Secret secret = new SecretBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.withLabels(labels)
			.endMetadata()
			.build();
		this.client.resource(secret).create();
	}

	String holder(String shard) {
		return this.client.leases().inNamespace(this.namespace).withName(shard).get().getSpec().getHolderIdentity();
	}

	static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100));
	}

	/** Sees to it that a Secret has a ConfigMap. */
	static void copy(ResourceCache<ConfigMap> configMaps, String prefix, Secret secret) {
		String name = prefix + secret.getMetadata().getName();
		if (configMaps.get(secret.getMetadata().getNamespace(), name).isEmpty()) {
			configMaps.create(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(secret.getMetadata().getNamespace())
				.withName(name)
				.addNewOwnerReference()
				.withApiVersion("v1")
				.withKind("Secret")
				.withName(secret.getMetadata().getName())
				.withUid(secret.getMetadata().getUid())
				.withController(true)
				.endOwnerReference()
				.endMetadata()
				.build());
		}
	}

	@ShardedController(owns = ConfigMap.class)
	static class CopyController implements Reconciler<Secret> {

		private final ResourceCache<ConfigMap> configMaps;

		CopyController(ResourceCache<ConfigMap> configMaps) {
			this.configMaps = configMaps;
		}

		@Override
		public Result reconcile(Secret secret) {
			copy(this.configMaps, "copy-", secret);
			return Result.done();
		}

	}

}

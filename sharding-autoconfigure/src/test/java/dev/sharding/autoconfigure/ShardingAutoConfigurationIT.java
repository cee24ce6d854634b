package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.sharding.core.ShardingLabels;
import dev.sharding.kubernetes.PlainControllers;
import dev.sharding.kubernetes.RuntimePhase;
import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.cache.ResourceCache;
import dev.sharding.kubernetes.reconcile.Reconciler;
import dev.sharding.kubernetes.reconcile.Result;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

@ControlPlaneTest
class ShardingAutoConfigurationIT {

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final String namespace;

	ShardingAutoConfigurationIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.client = client;
		this.namespace = namespace;
	}

	@BeforeEach
	void prepare() {
		CustomResourceDefinitions.apply(this.client, "/dev/sharding/sharder/ring/controllerrings.yaml");
	}

	@Test
	void oneApplicationCanBeShardAndSharder() {
		ring("whole", "secrets", "configmaps");
		this.client.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.serverSideApply();
		runner("whole", this.client).withPropertyValues("sharding.sharder.enabled=true").run((context) -> {
			assertThat(context).hasNotFailed();
			secret("whole");
			soon().untilAsserted(() -> {
				ConfigMap derived = this.client.configMaps().inNamespace(this.namespace).withName("copy-whole").get();
				assertThat(derived).isNotNull();
				assertThat(derived.getMetadata().getLabels()).containsEntry(ShardingLabels.shard("whole"), "whole-1");
			});
			soon().untilAsserted(() -> {
				assertThat(health(context, "shard").getStatus()).isEqualTo(Status.UP);
				assertThat(health(context, "shardInformers").getStatus()).isEqualTo(Status.UP);
				assertThat(health(context, "sharder").getStatus()).isEqualTo(Status.UP);
			});
			assertThat(health(context, "shardInformers").getDetails()).hasSize(2);
			assertThat(health(context, "sharder").getDetails()).containsEntry("elected", true);
		});
		assertThat(holder("whole-1")).isEmpty();
		assertThat(this.client.leases()
			.inNamespace("sharding-system")
			.withName("sharder")
			.get()
			.getSpec()
			.getHolderIdentity()).isEmpty();
	}

	@Test
	void refusesARingWithoutTheMainResource() {
		ring("other", "endpoints", "configmaps");
		runner("other", this.client).run((context) -> assertThat(context).getFailure()
			.cause()
			.hasMessageContaining("needs secrets as a main resource of ControllerRing 'other'"));
	}

	@Test
	void refusesARingWithoutTheControlledResource() {
		ring("childless", "secrets", null);
		runner("childless", this.client).run((context) -> assertThat(context).getFailure()
			.cause()
			.hasMessageContaining("needs configmaps as a controlled resource of ControllerRing 'childless'"));
	}

	@Test
	void waitsForARingThatIsNotThere() {
		runner("late", this.client).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(health(context, "shard").getStatus()).isEqualTo(Status.DOWN);
			assertThat(health(context, "shard").getDetails()).containsEntry("ringCheck",
					"There is no ControllerRing 'late': create it, or correct 'sharding.ring'");
			ring("late", "secrets", "configmaps");
			soon().untilAsserted(() -> assertThat(health(context, "shard").getStatus()).isEqualTo(Status.UP));
		});
	}

	@Test
	void saysThatTheRingCoversMoreNamespacesThanTheShard() {
		ring("wider", "secrets", "configmaps");
		runner("wider", this.client).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(health(context, "shard").getDetails().get("ringCheck")).asString()
				.contains("'wider'")
				.contains("'sharding.namespaces' (" + this.namespace + ")")
				.contains("spec.namespaceSelector");
		});
		runner("wider", this.client).withPropertyValues("sharding.namespaces=")
			.run((context) -> assertThat(health(context, "shard").getDetails()).doesNotContainKey("ringCheck"));
	}

	@Test
	void worksWithoutTheRightToReadTheRing() {
		ring("unread", "secrets", "configmaps");
		Access user = this.controlPlane.user("unread", rule("coordination.k8s.io", "leases", "get", "create", "update"),
				rule("", "secrets", "get", "list", "watch", "patch"),
				rule("", "configmaps", "get", "list", "watch", "create", "update"));
		runner("unread", user.client()).run((context) -> soon().untilAsserted(() -> {
			assertThat(health(context, "shard").getStatus()).isEqualTo(Status.UP);
			assertThat(health(context, "shard").getDetails().get("ringCheck")).asString().contains("403");
		}));
	}

	@Test
	void aMissingRightShowsInHealth() {
		ring("rightless", "secrets", "configmaps");
		Access user = this.controlPlane.user("rightless", rule("sharding.timebertt.dev", "controllerrings", "get"),
				rule("", "secrets", "get", "list", "watch", "patch"));
		runner("rightless", user.client()).run((context) -> {
			soon().untilAsserted(
					() -> assertThat(health(context, "shardInformers").getDetails().toString()).contains("configmaps")
						.contains("403"));
			assertThat(health(context, "shardInformers").getStatus()).isEqualTo(Status.DOWN);
			assertThat(context.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.SYNCING);
		});
	}

	@Test
	void aSecondProcessOfTheSameNameEnds() {
		ring("twice", "secrets", "configmaps");
		List<String> reasons = new CopyOnWriteArrayList<>();
		runner("twice", this.client).run((first) -> {
			soon().until(() -> first.getBean(Shard.class).phase() == RuntimePhase.RUNNING);
			runner("twice", this.client).withBean(ApplicationExit.class, () -> reasons::add)
				.run((second) -> soon().until(() -> !reasons.isEmpty()));
			assertThat(first.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.RUNNING);
		});
		assertThat(reasons).singleElement().asString().contains("twice-1").contains("'sharding.shard-name'");
	}

	@Test
	void onlyTheElectedReplicaRunsPlainControllers() {
		ApplicationContextRunner replica = runner("plain", this.client).withUserConfiguration(PlainMarker.class)
			.withPropertyValues("spring.application.name=plain");
		ring("plain", "secrets", "configmaps");
		replica.run((first) -> {
			soon().until(() -> first.getBean(PlainControllers.class).phase() == RuntimePhase.RUNNING);
			replica.withPropertyValues("sharding.shard-name=plain-2").run((second) -> {
				soon().untilAsserted(
						() -> assertThat(health(second, "plainControllers").getStatus()).isEqualTo(Status.UP));
				assertThat(second.getBean(PlainControllers.class).phase()).isEqualTo(RuntimePhase.ACQUIRING);
				first.close();
				soon().until(() -> second.getBean(PlainControllers.class).phase() == RuntimePhase.RUNNING);
				this.client
					.resource(new ServiceAccountBuilder().withNewMetadata()
						.withNamespace(this.namespace)
						.withName("marked")
						.endMetadata()
						.build())
					.create();
				soon().untilAsserted(() -> assertThat(this.client.serviceAccounts()
					.inNamespace(this.namespace)
					.withName("marked")
					.get()
					.getMetadata()
					.getAnnotations()).containsEntry("marked", "yes"));
			});
		});
	}

	private ApplicationContextRunner runner(String ring, KubernetesClient user) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(KubernetesClientAutoConfiguration.class,
					ShardingAutoConfiguration.class, PlainControllersAutoConfiguration.class,
					ShardingHealthAutoConfiguration.class, EmbeddedSharderAutoConfiguration.class))
			.withBean("kubernetesClient", KubernetesClient.class, () -> user,
					(definition) -> ((AbstractBeanDefinition) definition).setDestroyMethodName(""))
			.withUserConfiguration(CopyController.class)
			.withPropertyValues("sharding.ring=" + ring, "sharding.shard-name=" + ring + "-1",
					"sharding.namespaces=" + this.namespace, "sharding.lease.namespace=" + this.namespace,
					"sharding.lease.duration=6s");
	}

	private static Health health(ApplicationContext context, String name) {
		Health health = context.getBean(name + "HealthIndicator", HealthIndicator.class).health();
		assertThat(health).isNotNull();
		return health;
	}

	private void ring(String name, String main, String controlled) {
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
		this.client.resource(ring).create();
	}

	private void secret(String name) {
		Secret secret = new SecretBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.endMetadata()
			.build();
		this.client.resource(secret).create();
	}

	private String holder(String shard) {
		return this.client.leases().inNamespace(this.namespace).withName(shard).get().getSpec().getHolderIdentity();
	}

	private static PolicyRule rule(String group, String resource, String... verbs) {
		return new PolicyRuleBuilder().withApiGroups(group).withResources(resource).withVerbs(verbs).build();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100));
	}

	@ShardedController(owns = ConfigMap.class)
	static class CopyController implements Reconciler<Secret> {

		private final ResourceCache<ConfigMap> configMaps;

		CopyController(ResourceCache<ConfigMap> configMaps) {
			this.configMaps = configMaps;
		}

		@Override
		public Result reconcile(Secret secret) {
			String name = "copy-" + secret.getMetadata().getName();
			if (this.configMaps.get(secret.getMetadata().getNamespace(), name).isEmpty()) {
				this.configMaps.create(new ConfigMapBuilder().withNewMetadata()
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
			return Result.done();
		}

	}

	@PlainController
	static class PlainMarker implements Reconciler<ServiceAccount> {

		private final ResourceCache<ServiceAccount> accounts;

		PlainMarker(ResourceCache<ServiceAccount> accounts) {
			this.accounts = accounts;
		}

		@Override
		public Result reconcile(ServiceAccount account) {
			this.accounts.patch(account, (changed) -> {
				changed.getMetadata().getAnnotations().put("marked", "yes");
				return changed;
			});
			return Result.done();
		}

	}

}

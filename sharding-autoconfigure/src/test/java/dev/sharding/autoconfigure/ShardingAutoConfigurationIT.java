package dev.sharding.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.LeaderElectedController;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.internal.autoconfigure.runtime.LeaderElectedPart;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.ApplicationExit;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

@ControlPlaneTest
class ShardingAutoConfigurationIT {

	private final World world;

	ShardingAutoConfigurationIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = World.withRings(controlPlane, client, namespace);
	}

	@Test
	void oneApplicationCanBeShardAndSharder() {
		this.world.ring("whole", "secrets", "configmaps");
		this.world.client()
			.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.serverSideApply();
		this.world.runner("whole", this.world.client())
			.withPropertyValues("sharding.sharder.enabled=true")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				this.world.secret("whole", Map.of());
				World.soon().untilAsserted(() -> {
					ConfigMap derived = this.world.client()
						.configMaps()
						.inNamespace(this.world.namespace())
						.withName("copy-whole")
						.get();
					assertThat(derived).isNotNull();
					assertThat(derived.getMetadata().getLabels()).containsEntry(ShardingLabels.shard("whole"),
							"whole-1");
				});
				World.soon().untilAsserted(() -> {
					assertThat(health(context, "shardLease").getStatus()).isEqualTo(Status.UP);
					assertThat(health(context, "informers").getStatus()).isEqualTo(Status.UP);
					assertThat(health(context, "sharder").getStatus()).isEqualTo(Status.UP);
				});
				assertThat(health(context, "informers").getDetails()).hasSize(2);
				assertThat(health(context, "sharder").getDetails()).containsEntry("elected", true);
			});
		assertThat(this.world.holder("whole-1")).isEmpty();
		assertThat(this.world.client()
			.leases()
			.inNamespace("sharding-system")
			.withName("sharder")
			.get()
			.getSpec()
			.getHolderIdentity()).isEmpty();
	}

	@Test
	void refusesARingWithoutTheMainResource() {
		this.world.ring("other", "endpoints", "configmaps");
		// A ring that is not read in time is no reason not to start.
		World.soon()
			.untilAsserted(() -> this.world.runner("other", this.world.client())
				.run((context) -> assertThat(context).getFailure()
					.cause()
					.hasMessageContaining("needs secrets as a main resource in ControllerRing 'other'")));
	}

	@Test
	void refusesARingWithoutTheControlledResource() {
		this.world.ring("childless", "secrets", null);
		World.soon()
			.untilAsserted(() -> this.world.runner("childless", this.world.client())
				.run((context) -> assertThat(context).getFailure()
					.cause()
					.hasMessageContaining(
							"needs configmaps as a controlled resource of secrets in ControllerRing 'childless'")));
	}

	@Test
	void waitsForARingThatIsNotThere() {
		this.world.runner("late", this.world.client()).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(health(context, "shardLease").getStatus()).isEqualTo(Status.DOWN);
			World.soon()
				.untilAsserted(() -> assertThat(health(context, "shardLease").getDetails()).containsEntry("ringCheck",
						"There is no ControllerRing 'late': create it, or correct 'sharding.ring'"));
			this.world.ring("late", "secrets", "configmaps");
			World.soon()
				.untilAsserted(() -> assertThat(health(context, "shardLease").getStatus()).isEqualTo(Status.UP));
		});
	}

	@Test
	void saysThatTheRingCoversMoreNamespacesThanTheShard() {
		this.world.ring("wider", "secrets", "configmaps");
		this.world.runner("wider", this.world.client()).run((context) -> {
			assertThat(context).hasNotFailed();
			World.soon()
				.untilAsserted(() -> assertThat(health(context, "shardLease").getDetails().get("ringCheck")).asString()
					.contains("'wider'")
					.contains("'sharding.namespaces' (" + this.world.namespace() + ")")
					.contains("spec.namespaceSelector"));
		});
		this.world.runner("wider", this.world.client())
			.withPropertyValues("sharding.namespaces=")
			.run((context) -> World.soon()
				.untilAsserted(
						() -> assertThat(health(context, "shardLease").getDetails()).doesNotContainKey("ringCheck")));
	}

	@Test
	void worksWithoutTheRightToReadTheRing() {
		this.world.ring("unread", "secrets", "configmaps");
		Access user = this.world.controlPlane()
			.user("unread", rule("coordination.k8s.io", "leases", "get", "create", "update"),
					rule("", "secrets", "get", "list", "watch", "patch"),
					rule("", "configmaps", "get", "list", "watch", "create", "update"));
		this.world.runner("unread", user.client()).run((context) -> World.soon().untilAsserted(() -> {
			assertThat(health(context, "shardLease").getStatus()).isEqualTo(Status.UP);
			assertThat(health(context, "shardLease").getDetails().get("ringCheck")).asString().contains("403");
		}));
	}

	@Test
	void aMissingRightShowsInHealth() {
		this.world.ring("rightless", "secrets", "configmaps");
		Access user = this.world.controlPlane()
			.user("rightless", rule("sharding.timebertt.dev", "controllerrings", "get"),
					rule("", "secrets", "get", "list", "watch", "patch"));
		this.world.runner("rightless", user.client()).run((context) -> {
			World.soon()
				.untilAsserted(
						() -> assertThat(health(context, "informers").getDetails().toString()).contains("configmaps")
							.contains("403"));
			assertThat(health(context, "informers").getStatus()).isEqualTo(Status.DOWN);
			assertThat(context.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.SYNCING);
		});
	}

	@Test
	void aSecondProcessOfTheSameNameEnds() {
		this.world.ring("twice", "secrets", "configmaps");
		List<String> reasons = new CopyOnWriteArrayList<>();
		this.world.runner("twice", this.world.client()).run((first) -> {
			World.soon().until(() -> first.getBean(Shard.class).phase() == RuntimePhase.RUNNING);
			this.world.runner("twice", this.world.client())
				.withBean(ApplicationExit.class, () -> reasons::add)
				.run((second) -> World.soon().until(() -> !reasons.isEmpty()));
			assertThat(first.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.RUNNING);
		});
		assertThat(reasons).singleElement().asString().contains("twice-1").contains("'sharding.shard-name'");
	}

	@Test
	void onlyTheElectedReplicaRunsLeaderElectedControllers() {
		ApplicationContextRunner replica = this.world.runner("plain", this.world.client())
			.withUserConfiguration(PlainMarker.class)
			.withPropertyValues("spring.application.name=plain");
		this.world.ring("plain", "secrets", "configmaps");
		replica.run((first) -> {
			World.soon().until(() -> first.getBean(LeaderElectedControllers.class).phase() == RuntimePhase.RUNNING);
			replica.withPropertyValues("sharding.shard-name=plain-2").run((second) -> {
				World.soon().untilAsserted(() -> assertThat(plainHealth(second).getStatus()).isEqualTo(Status.UP));
				assertThat(second.getBean(LeaderElectedControllers.class).phase()).isEqualTo(RuntimePhase.ACQUIRING);
				first.close();
				World.soon()
					.until(() -> second.getBean(LeaderElectedControllers.class).phase() == RuntimePhase.RUNNING);
				this.world.client()
					.resource(new ServiceAccountBuilder().withNewMetadata()
						.withNamespace(this.world.namespace())
						.withName("marked")
						.endMetadata()
						.build())
					.create();
				World.soon()
					.untilAsserted(() -> assertThat(this.world.client()
						.serviceAccounts()
						.inNamespace(this.world.namespace())
						.withName("marked")
						.get()
						.getMetadata()
						.getAnnotations()).containsEntry("marked", "yes"));
			});
		});
	}

	private static Health health(ApplicationContext context, String name) {
		Health health = context.getBean(
				context.containsBean(name + "HealthIndicator") ? name + "HealthIndicator" : name + "HealthContributor",
				HealthIndicator.class)
			.health();
		assertThat(health).isNotNull();
		return health;
	}

	private static Health plainHealth(ApplicationContext context) {
		CompositeHealthContributor reconcilers = context.getBean("reconcilersHealthContributor",
				CompositeHealthContributor.class);
		Health health = ((HealthIndicator) reconcilers.getContributor(LeaderElectedPart.NAME)).health();
		assertThat(health).isNotNull();
		return health;
	}

	private static PolicyRule rule(String group, String resource, String... verbs) {
		return new PolicyRuleBuilder().withApiGroups(group).withResources(resource).withVerbs(verbs).build();
	}

	@LeaderElectedController
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

package dev.sharding.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import dev.sharding.cache.ResourceCaches;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.leadership.LeaderElection;
import dev.sharding.leadership.LeaderOnly;
import dev.sharding.leadership.LeadershipAcquiredEvent;
import dev.sharding.leadership.LeadershipLostEvent;
import dev.sharding.leadership.NotLeaderException;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.WriteFencedException;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Replicas of an application that elect a leader, on a real API server: never two act,
 * and nothing late is written.
 */
@ControlPlaneTest
class LeaderElectionIT {

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private static final AtomicReference<String> acting = new AtomicReference<>();

	private static final List<String> acted = new CopyOnWriteArrayList<>();

	private static final List<String> together = new CopyOnWriteArrayList<>();

	private final World world;

	LeaderElectionIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(controlPlane, client, namespace);
		acting.set(null);
		acted.clear();
		together.clear();
	}

	@Test
	void oneActsThroughAPartitionAndAStop() {
		try (TcpProxy link = TcpProxy.to(this.world.controlPlane().apiServer());
				KubernetesClient cut = this.world.controlPlane().admin().through(link).client()) {
			replica("one", cut).withUserConfiguration(Job.class).run((one) -> {
				World.soon().until(() -> acted.contains("one"));
				World.soon()
					.untilAsserted(() -> assertThat(one.getBean(Job.class).events()).containsExactly("acquired"));
				replica("two", this.world.client()).withUserConfiguration(Job.class).run((two) -> {
					link.blackHole();
					World.soon().until(() -> acted.contains("two"));
					assertThat(one.getBean(LeaderElection.class).isLeader()).isFalse();
					link.heal();
					acted.clear();
					World.soon().until(() -> acted.size() > 20);
					assertThat(acted).containsOnly("two");
					assertThat(one.getBean(Job.class).events()).containsExactly("acquired", "lost");
				});
				World.soon().until(() -> acted.contains("one"));
				World.soon()
					.untilAsserted(() -> assertThat(one.getBean(Job.class).events()).containsExactly("acquired", "lost",
							"acquired"));
			});
		}
		assertThat(together).isEmpty();
	}

	@Test
	void workThatIsLateWritesNothing() {
		try (TcpProxy link = TcpProxy.to(this.world.controlPlane().apiServer());
				KubernetesClient cut = this.world.controlPlane().admin().through(link).client()) {
			replica("one", cut).withUserConfiguration(SlowJob.class).run((one) -> {
				SlowJob late = one.getBean(SlowJob.class);
				late.run(() -> {
					String mine = holder();
					link.blackHole();
					replica("two", this.world.client()).withUserConfiguration(SlowJob.class).run((two) -> {
						two.getBean(SlowJob.class).run(() -> write(two.getBean(ResourceCaches.class), "by-two"));
						link.heal();
						assertRefused(one.getBean(LeaderElection.class), one.getBean(ResourceCaches.class));
					});
					// Leader again, but not for what was begun before.
					World.soon().until(() -> mine.equals(holder()));
					assertRefused(one.getBean(LeaderElection.class), one.getBean(ResourceCaches.class));
				});
				late.run(() -> one.getBean(LeaderElection.class)
					.fenced(this.world.client())
					.resource(configMap("by-one"))
					.create());
			});
		}
		assertThat(names()).contains("by-one", "by-two").doesNotContain("late");
	}

	@Test
	void aMachineThatWasSuspendedWritesNothing() {
		AtomicReference<Duration> off = new AtomicReference<>(Duration.ZERO);
		replica("one", this.world.client())
			.withBean(LeaseClock.class, () -> new LeaseClock(() -> Instant.now().plus(off.get()), System::nanoTime))
			.withUserConfiguration(SlowJob.class)
			.run((one) -> one.getBean(SlowJob.class).run(() -> {
				off.set(Duration.ofHours(1));
				assertRefused(one.getBean(LeaderElection.class), one.getBean(ResourceCaches.class));
			}));
		assertThat(names()).doesNotContain("late");
	}

	@Test
	void needsNoMoreThanTheRightsOnItsLease() {
		KubernetesClient user = this.world.controlPlane()
			.userIn("leader", this.world.namespace(),
					new PolicyRuleBuilder().withApiGroups("coordination.k8s.io")
						.withResources("leases")
						.withVerbs("get", "create", "update")
						.build())
			.client();
		replica("one", user).withUserConfiguration(Job.class).run((context) -> {
			assertThat(context).hasNotFailed();
			World.soon().until(() -> acted.contains("one"));
		});
		KubernetesClient nobody = this.world.controlPlane().userIn("nobody", this.world.namespace()).client();
		ApplicationContextRunner impatient = replica("two", nobody)
			.withPropertyValues("sharding.on-startup-problem=fail");
		impatient.withUserConfiguration(Job.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(Apps.analysis(context.getStartupFailure()).getDescription()).contains("leases");
		});
	}

	private ApplicationContextRunner replica(String name, KubernetesClient client) {
		return new ApplicationContextRunner().withConfiguration(Apps.everything())
			.withBean("kubernetesClient", KubernetesClient.class, () -> client,
					(definition) -> ((AbstractBeanDefinition) definition).setDestroyMethodName(""))
			.withPropertyValues("replica=" + name, "spring.application.name=app",
					"sharding.namespaces=" + this.world.namespace(),
					"sharding.lease.namespace=" + this.world.namespace(), "sharding.lease.duration=15s",
					"sharding.reconcile.stop-timeout=2s");
	}

	private String holder() {
		return this.world.holder("app-leader");
	}

	private List<String> names() {
		return this.world.client()
			.configMaps()
			.inNamespace(this.world.namespace())
			.list()
			.getItems()
			.stream()
			.map((configMap) -> configMap.getMetadata().getName())
			.toList();
	}

	private void write(ResourceCaches caches, String name) {
		caches.of(CONFIG_MAPS).create(configMap(name));
	}

	private ConfigMap configMap(String name) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.world.namespace())
			.withName(name)
			.endMetadata()
			.build();
	}

	private void assertRefused(LeaderElection election, ResourceCaches caches) {
		assertThat(election.isLeader()).isFalse();
		assertThatCode(election::requireLeader).isInstanceOf(NotLeaderException.class);
		assertThatCode(() -> write(caches, "late")).isInstanceOf(WriteFencedException.class);
		KubernetesClient fenced = election.fenced(this.world.client());
		assertThat(fenced.configMaps().inNamespace(this.world.namespace()).list().getItems()).isNotNull();
		assertThatCode(() -> fenced.resource(configMap("late")).create())
			.satisfies((thrown) -> assertThat(WriteFencedException.isIn(thrown)).isTrue());
	}

	/** Acts again and again, and sees whether somebody else does. */
	@EnableScheduling
	static class Job {

		private final List<String> events = new ArrayList<>();

		private final LeaderElection election;

		@Value("${replica}")
		private String replica;

		Job(LeaderElection election) {
			this.election = election;
		}

		@LeaderOnly
		@Scheduled(fixedDelay = 20)
		void act() throws InterruptedException {
			this.election.requireLeader();
			String other = acting.getAndSet(this.replica);
			if (other != null) {
				together.add(this.replica + " and " + other);
			}
			acted.add(this.replica);
			assertThat(new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS)).isFalse();
			acting.set(null);
		}

		@EventListener
		synchronized void acquired(LeadershipAcquiredEvent event) {
			this.events.add("acquired");
		}

		@EventListener
		synchronized void lost(LeadershipLostEvent event) {
			this.events.add("lost");
		}

		synchronized List<String> events() {
			return List.copyOf(this.events);
		}

	}

	/** Does what it is told to, once it leads. */
	static class SlowJob {

		private final LeaderElection election;

		SlowJob(LeaderElection election) {
			this.election = election;
		}

		void run(Runnable work) {
			World.soon().until(() -> this.election.isLeader());
			assertThat(this.election.run(work)).isTrue();
		}

	}

}

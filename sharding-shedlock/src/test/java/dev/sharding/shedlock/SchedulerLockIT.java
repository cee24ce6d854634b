package dev.sharding.shedlock;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.kubernetes.commons.KubernetesCommonsAutoConfiguration;
import org.springframework.cloud.kubernetes.fabric8.Fabric8AutoConfiguration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

import dev.sharding.leadership.LeaderElection;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two replicas of an application with ShedLock's annotations and a leader, connected by
 * Spring Cloud Kubernetes.
 */
@ControlPlaneTest
class SchedulerLockIT {

	private static final AtomicReference<String> acting = new AtomicReference<>();

	private static final Set<String> acted = ConcurrentHashMap.newKeySet();

	private static final List<String> together = new CopyOnWriteArrayList<>();

	private final Config config;

	private final String namespace;

	SchedulerLockIT(ControlPlane controlPlane, @TestNamespace String namespace) {
		this.config = controlPlane.admin().config();
		this.namespace = namespace;
	}

	@Test
	void oneOfTwoReplicasRunsATaskAndTheClientIsThatOfSpringCloud() {
		replica("one").run((one) -> {
			assertThat(one).hasSingleBean(LeaseLockProvider.class).hasSingleBean(LockProvider.class);
			assertThat(one.getBeanNamesForType(KubernetesClient.class)).singleElement()
				.satisfies((name) -> assertThat(one.getBeanFactory().getBeanDefinition(name).getFactoryBeanName())
					.contains("Fabric8AutoConfiguration"));
			soon().until(() -> one.getBean(LeaderElection.class).isLeader());
			replica("two").run((two) -> {
				soon().until(() -> acted.containsAll(Set.of("one", "two")));
				assertThat(two.getBean(LeaderElection.class).isLeader()).isFalse();
			});
		});
		assertThat(together).isEmpty();
	}

	private ApplicationContextRunner replica(String name) {
		ClassLoader classLoader = getClass().getClassLoader();
		Class<?>[] ours = ImportCandidates.load(AutoConfiguration.class, classLoader)
			.getCandidates()
			.stream()
			.filter((candidate) -> candidate.startsWith("dev.sharding."))
			.map((candidate) -> ClassUtils.resolveClassName(candidate, classLoader))
			.toArray(Class<?>[]::new);
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(KubernetesCommonsAutoConfiguration.class, Fabric8AutoConfiguration.class))
			.withConfiguration(AutoConfigurations.of(ours))
			.withUserConfiguration(Job.class)
			.withPropertyValues("replica=" + name, "spring.application.name=app",
					"spring.main.cloud-platform=kubernetes",
					"spring.cloud.kubernetes.client.master-url=" + this.config.getMasterUrl(),
					"spring.cloud.kubernetes.client.ca-cert-data=" + this.config.getCaCertData(),
					"spring.cloud.kubernetes.client.oauth-token=" + this.config.getOauthToken(),
					"spring.cloud.kubernetes.client.namespace=" + this.namespace);
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100));
	}

	@EnableScheduling
	@EnableSchedulerLock(defaultLockAtMostFor = "30s")
	static class Job {

		private final LeaseLockProvider locks;

		private final String replica;

		Job(LeaseLockProvider locks, LeaderElection election, @Value("${replica}") String replica) {
			this.locks = locks;
			this.replica = replica;
		}

		@Scheduled(fixedDelay = 20)
		@SchedulerLock(name = "The job")
		void act() {
			LockAssert.assertLocked();
			this.locks.requireHeld("The job");
			String other = acting.getAndSet(this.replica);
			if (other != null) {
				together.add(this.replica + " and " + other);
			}
			acted.add(this.replica);
			acting.set(null);
		}

	}

}

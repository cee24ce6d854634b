package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.AdditionalPathsMapper;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.sharding.internal.autoconfigure.runtime.ShardPart;
import dev.sharding.shard.RuntimePhase;

import static org.assertj.core.api.Assertions.assertThat;

class ShardingHealthTests {

	private final ApplicationContextRunner shard = Apps.shard();

	private final ApplicationContextRunner probes = withProbes(this.shard);

	private final ApplicationContextRunner withoutController = withProbes(
			Apps.application().withPropertyValues("sharding.lease.namespace=default"));

	private static ApplicationContextRunner withProbes(ApplicationContextRunner runner) {
		return runner
			.withConfiguration(AutoConfigurations.of(HealthContributorRegistryAutoConfiguration.class,
					HealthEndpointAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class,
					AvailabilityProbesAutoConfiguration.class, AvailabilityHealthContributorAutoConfiguration.class))
			.withPropertyValues("management.endpoint.health.probes.enabled=true");
	}

	@Test
	void tellsWhatIsMissing() {
		this.shard.run((context) -> {
			Health lease = health(context, "shardLease");
			assertThat(lease.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
			assertThat(lease.getDetails()).containsEntry("ring", "ring")
				.containsEntry("shard", "shard-1")
				.containsEntry("lease", "default/shard-1")
				.containsEntry("phase", RuntimePhase.SYNCING)
				.containsKey("ringCheck");
			Health reconcilers = health(context, "reconcilers");
			assertThat(reconcilers.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
			assertThat(reconcilers.getDetails()).containsKey("secretController");
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(health(context, "informers").getStatus()).isEqualTo(Status.DOWN));
		});
	}

	@Test
	void hasAComponentForEachRing() {
		this.shard.withUserConfiguration(FurtherRingsTests.ElsewhereController.class)
			.withPropertyValues("sharding.rings.elsewhere.namespaces=team-a")
			.run((context) -> {
				HealthContributor lease = context.getBean("shardLeaseHealthContributor", HealthContributor.class);
				assertThat(lease).isInstanceOfSatisfying(CompositeHealthContributor.class, (rings) -> {
					assertThat(rings.getContributor("ring")).isNotNull();
					assertThat(rings.getContributor("elsewhere")).isNotNull();
				});
			});
	}

	@Test
	void aRingWithoutControllerIsNoReasonToBeOutOfService() {
		this.probes.withPropertyValues("sharding.rings.elsewhere.namespaces=team-a").run((context) -> {
			CompositeHealthContributor leases = context.getBean("shardLeaseHealthContributor",
					CompositeHealthContributor.class);
			Health elsewhere = ((HealthIndicator) Objects.requireNonNull(leases.getContributor("elsewhere"))).health();
			assertThat(elsewhere).isNotNull();
			assertThat(elsewhere.getStatus()).isEqualTo(Status.UNKNOWN);
			assertThat(elsewhere.getDetails()).containsEntry("ring", "elsewhere").containsEntry("started", false);
		});
		this.withoutController.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1")
			.run(ShardingHealthTests::isUpAsNothingIsStarted);
	}

	@Test
	void noControllerIsNoReasonToBeOutOfService() {
		this.withoutController.withPropertyValues("sharding.enabled=false")
			.run(ShardingHealthTests::isUpAsNothingIsStarted);
	}

	private static void isUpAsNothingIsStarted(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		Health reconcilers = health(context, "reconcilers");
		assertThat(reconcilers.getStatus()).isEqualTo(Status.UNKNOWN);
		assertThat(reconcilers.getDetails()).containsOnly(Map.entry("started", false));
		AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
		AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
		HealthDescriptor overall = context.getBean(HealthEndpoint.class).health();
		assertThat(overall.getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void canBeSwitchedOff() {
		this.shard.withPropertyValues("management.health.shardlease.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean("shardLeaseHealthContributor")
				.hasBean("informersHealthContributor")
				.hasBean("reconcilersHealthContributor"));
		this.shard.withPropertyValues("management.health.defaults.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(HealthContributor.class));
	}

	@Test
	void backsOffWithoutActuator() {
		this.shard
			.withClassLoader(
					new FilteredClassLoader("org.springframework.boot.actuate", "org.springframework.boot.health"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(ShardPart.class)
				.doesNotHaveBean("shardLeaseHealthContributor")
				.doesNotHaveBean("shardingEndpoint"));
	}

	/* As those of Spring Boot do: by name, as all are of one type. */
	@ParameterizedTest
	@CsvSource({ "shardLeaseHealthIndicator, shardLeaseHealthContributor",
			"informersHealthIndicator, informersHealthContributor",
			"reconcilersHealthIndicator, reconcilersHealthContributor" })
	void backsOffForContributorsOfTheUser(String indicator, String contributor) {
		HealthIndicator own = () -> Health.up().build();
		this.shard.withBean(indicator, HealthIndicator.class, () -> own)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(contributor));
		this.shard.withBean(contributor, HealthContributor.class, () -> own)
			.run((context) -> assertThat(context.getBean(contributor)).isSameAs(own));
	}

	@Test
	void theApplicationIsNotReadyBeforeItHasJoinedButAlive() {
		this.probes.run((context) -> {
			assertThat(context).hasNotFailed();
			AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
			AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
			assertThat(group(context, "readiness")).isEqualTo(Status.OUT_OF_SERVICE);
			assertThat(context.getBean(HealthEndpoint.class).healthForPath("readiness", "sharding")).isNotNull();
			assertThat(context.getBean(HealthEndpoint.class).healthForPath("liveness", "sharding")).isNull();
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(health(context, "informers").getStatus()).isEqualTo(Status.DOWN));
			assertThat(group(context, "liveness")).isEqualTo(Status.UP);
		});
	}

	/* Spring Security asks, of beans of that type, which paths lead to health. */
	@Test
	void thePathsOfTheProbesAreStillKnown() {
		this.probes.withPropertyValues("management.endpoint.health.probes.add-additional-paths=true")
			.run((context) -> assertThat(context.getBean(HealthEndpointGroups.class)).isInstanceOfSatisfying(
					AdditionalPathsMapper.class,
					(mapper) -> assertThat(
							mapper.getAdditionalPaths(EndpointId.of("health"), WebServerNamespace.SERVER))
						.containsExactlyInAnyOrder("/livez", "/readyz")));
	}

	@Test
	void readinessCanLeaveTheControllersAlone() {
		this.probes.withPropertyValues("sharding.readiness=off")
			.run((context) -> assertThat(context.getBean(HealthEndpoint.class).healthForPath("readiness", "sharding"))
				.isNull());
	}

	@Test
	void readinessCanBeSwitchedOffInYamlWhereOffIsABoolean() {
		this.probes.withInitializer(Apps.yaml("sharding.readiness: off"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasBean("reconcilersHealthContributor")
				.doesNotHaveBean("shardingHealthIndicator"));
	}

	private static Status group(ApplicationContext context, String group) {
		HealthDescriptor health = context.getBean(HealthEndpoint.class).healthForPath(group);
		assertThat(health).isNotNull();
		return health.getStatus();
	}

	private static Health health(ApplicationContext context, String name) {
		Health health = context.getBean(name + "HealthContributor", HealthIndicator.class).health();
		assertThat(health).isNotNull();
		return health;
	}

}

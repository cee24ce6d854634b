package dev.sharding.internal.autoconfigure.settings;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import dev.sharding.autoconfigure.Apps;
import dev.sharding.internal.autoconfigure.runtime.SharderPart;
import dev.sharding.internal.sharder.Sharder;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTests {

	@Test
	void namesTheNearestOne() {
		assertThat(find(Map.of("sharding.lease.renew-dedline", "10s", "sharding.rng", "ring", "sharding.lease.surprise",
				"1", "sharding.rings.web.shardname", "a", "sharding.rings.web.leaze-namespace", "a")))
			.containsOnly(Map.entry("sharding.lease.renew-dedline", "did you mean 'sharding.lease.renew-deadline'?"),
					Map.entry("sharding.rng", "did you mean 'sharding.ring'?"),
					Map.entry("sharding.lease.surprise", ""), Map.entry("sharding.rings.web.leaze-namespace",
							"did you mean 'sharding.rings.web.lease-namespace'?"));
	}

	@Test
	void acceptsWhatIsBoundHereOrElsewhere() {
		assertThat(find(Map.of("sharding.lease.renewDeadline", "10s", "sharding.qos.anything", "1",
				"sharding.sharder.anything", "1", "sharding.cache.strategies.leases.coordination.k8s.io", "live",
				"sharding.definition.apply", "true", "sharding.definition.namespace-selector[a.b/c]", "d",
				"sharding.namespaces[0]", "a", "server.prt", "1")))
			.isEmpty();
	}

	@Test
	void acceptsWhatIsEmpty() {
		assertThat(find(Map.of("sharding.lease.renew-deadline", "", "sharding.readiness", "",
				"sharding.cache.consistent-reads", "", "sharding.qos", "", "sharding.rings.web", "")))
			.isEmpty();
	}

	@Test
	void leavesTheSystemAndOtherMistakesAlone() {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
							Map.of("SHARDING_SERVICE_HOST", "10.0.0.1", "SHARDING_LEASE_SURPRISE", "1")));
		assertThat(UnknownProperties.find(environment, "sharding", ShardingProperties.class)).isEmpty();
		assertThat(find(Map.of("sharding.lease.duration", "soon"))).isEmpty();
	}

	@Test
	void isSaidAtTheStart(CapturedOutput output) {
		Apps.shard()
			.withPropertyValues("sharding.lease.renew-dedline=10s", "sharding.sharder.enabled=true",
					"sharding.sharder.sync-perod=1m", "sharding.qos.enabled=true", "sharding.qos.storage-quota=",
					"sharding.qos.classes.slow.kind=leaky-bucket", "sharding.qos.classes.slow.qps=1",
					"sharding.qos.rules.lists.priority=1", "sharding.qos.rules.lists.qos-class=slow",
					"sharding.qos.rules.lists.max-wiat=1s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains(
				"'sharding.lease.renew-dedline' does not exist and does nothing: did you mean 'sharding.lease.renew-deadline'?",
				"'sharding.sharder.sync-perod' does not exist",
				"'sharding.qos.rules.lists.max-wiat' does not exist and does nothing: did you mean 'sharding.qos.rules.lists.max-wait'?");
		assertThat(output).doesNotContain("'sharding.qos.classes", "'sharding.qos.storage-quota");
	}

	@Test
	void saysThatAFeatureIsOff(CapturedOutput output) {
		Apps.shard()
			.withPropertyValues("sharding.sharder.enable=true", "sharding.qos.remembered=1")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(SharderPart.class));
		assertThat(output).contains("'sharding.sharder.*' is set, but 'sharding.sharder.enabled' is not true",
				"'sharding.qos.*' is set, but 'sharding.qos.enabled' is not true");
	}

	@Test
	void takesTheLeaseOfASharderElsewhereForWhatSlotsAskFor(CapturedOutput output) {
		Apps.shard()
			.withPropertyValues("sharding.shard-name=", "sharding.slots=3",
					"sharding.sharder.leader-election.lease-name=elsewhere")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("is set, but");
	}

	@Test
	void saysSoAlsoWithoutTheSharder(CapturedOutput output) {
		Apps.shard()
			.withClassLoader(new FilteredClassLoader(Sharder.class))
			.withPropertyValues("sharding.sharder.sync-period=1m")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("'sharding.sharder.*' is set");
	}

	@Test
	void acceptsAFeatureThatIsOffOnPurpose(CapturedOutput output) {
		Apps.shard()
			.withPropertyValues("sharding.sharder.enabled=false", "sharding.sharder.sync-period=1m",
					"sharding.qos.enabled=true", "sharding.qos.remembered=1")
			.run((context) -> assertThat(context).hasNotFailed());
		Apps.shard()
			.withSystemProperties("sharding.sharder.sync-period=1m")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("is set, but");
	}

	private static Map<String, String> find(Map<String, Object> properties) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("application", properties));
		return UnknownProperties.find(environment, "sharding", ShardingProperties.class, "sharding.sharder",
				"sharding.qos");
	}

}

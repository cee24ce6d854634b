package dev.sharding.autoconfigure;

import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application that compares its caches with the API server does when they differ,
 * with nothing but properties.
 */
@ControlPlaneTest
class CacheInconsistentIT {

	private static final String HALT = "sharding.test.halt-on-mismatch";

	private final World world;

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final String halt = System.getProperty(HALT, "false");

	CacheInconsistentIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = World.withRings(controlPlane, client, namespace);
	}

	@BeforeEach
	void listen() {
		System.setProperty(HALT, "false");
		this.log.start();
		logger().addAppender(this.log);
	}

	@AfterEach
	void leave() {
		logger().detachAppender(this.log);
		System.setProperty(HALT, this.halt);
	}

	@Test
	void isCountedRecordedLoggedAndListedAnew() {
		this.world.ring("differing", "secrets", null);
		this.world.secret("same", Map.of(ShardingLabels.shard("differing"), "differing-1"));
		this.world.secret("other", Map.of(ShardingLabels.shard("differing"), "differing-1"));
		this.world.shard("differing", this.world.client())
			.withUserConfiguration(ShardAtWorkIT.CountingController.class)
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("sharding.cache.check-period=500ms")
			.run((context) -> {
				World.soon().until(() -> context.getBean(Shard.class).phase() == RuntimePhase.RUNNING);
				ResourceCache<Secret> secrets = context.getBean(ResourceCaches.class).of(Secret.class);
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				World.soon().until(() -> checks(meters, "match") > 0);
				assertThat(checks(meters, "mismatch")).isZero();
				// What nobody may do: change what the cache itself holds.
				secrets.list(ListOptions.all().freshness(Freshness.ANY).withoutCopying())
					.stream()
					.filter((secret) -> secret.getMetadata().getName().equals("other"))
					.forEach((secret) -> secret.getMetadata().setResourceVersion("1"));
				World.soon().until(() -> checks(meters, "mismatch") > 0);
				World.soon()
					.untilAsserted(() -> assertThat(errors()).anySatisfy(
							(line) -> assertThat(line).startsWith("Cache differs from the API server, listing anew")
								.contains("resource=secrets")
								.endsWith("differing=1 keys=[" + this.world.namespace() + "/other]")));
				World.soon()
					.untilAsserted(
							() -> assertThat(events()).anyMatch((event) -> "CacheInconsistent".equals(event.getReason())
									&& "other".equals(event.getRegarding().getName())
									&& event.getNote().contains("in 1 objects")));
				// Nobody has written it, so no event tells.
				ObjectKey other = new ObjectKey(this.world.namespace(), "other");
				World.soon()
					.until(() -> !"1"
						.equals(secrets.get(other, Freshness.ANY).orElseThrow().getMetadata().getResourceVersion()));
			});
	}

	@Test
	void aReadThatDiffersIsCountedRecordedLoggedAndTheCacheListedAnew() {
		this.world.ring("misread", "secrets", null);
		this.world.secret("right", Map.of(ShardingLabels.shard("misread"), "misread-1"));
		this.world.secret("wrong", Map.of(ShardingLabels.shard("misread"), "misread-1"));
		this.world.shard("misread", this.world.client())
			.withUserConfiguration(ShardAtWorkIT.CountingController.class)
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("sharding.cache.check-reads=1", "sharding.cache.check-period=0s")
			.run((context) -> {
				World.soon().until(() -> context.getBean(Shard.class).phase() == RuntimePhase.RUNNING);
				ResourceCache<Secret> secrets = context.getBean(ResourceCaches.class).of(Secret.class);
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				// A read fails where the API server is late. The next one tries again.
				World.soon().ignoreExceptionsInstanceOf(ConsistentReadException.class).until(() -> {
					assertThat(secrets.list()).hasSize(2);
					return readChecks(meters, "match") > 0;
				});
				assertThat(readChecks(meters, "mismatch")).isZero();
				// What nobody may do: change what the cache itself holds.
				secrets.list(ListOptions.all().freshness(Freshness.ANY).withoutCopying())
					.stream()
					.filter((secret) -> secret.getMetadata().getName().equals("wrong"))
					.forEach((secret) -> secret.getMetadata().setResourceVersion("1"));
				World.soon().ignoreExceptionsInstanceOf(ConsistentReadException.class).until(() -> {
					secrets.list();
					return readChecks(meters, "mismatch") > 0;
				});
				World.soon()
					.untilAsserted(() -> assertThat(errors()).anySatisfy((line) -> assertThat(line)
						.startsWith("Cache differs from the API server in a read that it answered, listing anew")
						.contains("resource=secrets")
						.endsWith("differing=1 keys=[" + this.world.namespace() + "/wrong]")));
				World.soon()
					.untilAsserted(
							() -> assertThat(events()).anyMatch((event) -> "ReadInconsistent".equals(event.getReason())
									&& "wrong".equals(event.getRegarding().getName())
									&& event.getNote().contains("in 1 objects")));
				// Nobody has written it, so no event tells.
				ObjectKey wrong = new ObjectKey(this.world.namespace(), "wrong");
				World.soon()
					.until(() -> !"1"
						.equals(secrets.get(wrong, Freshness.ANY).orElseThrow().getMetadata().getResourceVersion()));
				assertThat(meters.find("sharding.cache.checks").counters()).isEmpty();
			});
	}

	private List<String> errors() {
		return List.copyOf(this.log.list)
			.stream()
			.filter((event) -> event.getLevel() == Level.ERROR)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	private List<Event> events() {
		return this.world.client().events().v1().events().inNamespace(this.world.namespace()).list().getItems();
	}

	private static double checks(MeterRegistry meters, String result) {
		return counted(meters, "sharding.cache.checks", result);
	}

	private static double readChecks(MeterRegistry meters, String result) {
		return counted(meters, "sharding.cache.read.checks", result);
	}

	private static double counted(MeterRegistry meters, String name, String result) {
		Counter counter = meters.find(name).tags("resource", "secrets.v1", "result", result).counter();
		return (counter != null) ? counter.count() : 0;
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("dev.sharding.internal.kubernetes.cache.check.InconsistencyDetector");
	}

}

package dev.sharding.shard;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.QosOptions;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Drains of a controller that may hardly write: whoever scales out to relieve it must not
 * wait for it.
 */
@ControlPlaneTest
class DrainsUnderLimitIT {

	private static final int WORKERS = 2;

	private final ShardWorld world;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	DrainsUnderLimitIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new ShardWorld(client, namespace).patient();
		// The workers that wait for an hour are interrupted then.
		this.world.options = this.world.options.withMeters(this.meters).withStopTimeout(Duration.ofSeconds(2));
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	/**
	 * With workers that wait for their turn to write, and with writes that are refused.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "PT1H", "PT0S" })
	void areAcknowledgedAtOnceWhileItsOwnWritesWait(Duration longestWait) {
		Qos qos = new Qos(
				QosRules.define(Map.of("hardly", new QosClass.TokenBucket(0.001, 1)),
						List.of(new QosRule("writes", true, 1, List.of(), List.of(),
								Set.of(Operation.CREATE, Operation.UPDATE, Operation.PATCH, Operation.APPLY), List.of(),
								"hardly", Cost.REQUESTS, Accounting.RULE, false, "", longestWait))),
				QosOptions.DEFAULTS,
				QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
				new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);
		KubernetesClient limited = ThrottledClient
			.of(new KubernetesClientBuilder().withConfig(this.world.client.getConfiguration()).build(), qos);
		this.world.alsoClose(limited);
		AtomicInteger begun = new AtomicInteger();
		Shard shard = this.world.shard("s1", limited, null);
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			begun.incrementAndGet();
			ConfigMap child = new ConfigMapBuilder().withNewMetadata()
				.withNamespace(secret.getMetadata().getNamespace())
				.withName("of-" + secret.getMetadata().getName())
				.endMetadata()
				.build();
			shard.caches().of(ConfigMap.class).create(child);
			return Result.done();
		}).concurrency(WORKERS).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		for (int i = 0; i < 6; i++) {
			this.world.secretOf("s1", "s-" + i);
		}
		// The first one has used up the limit; the others have to wait.
		ShardWorld.soon().until(() -> begun.get() > WORKERS);
		List<String> written = this.world.client.configMaps()
			.inNamespace(this.world.namespace)
			.list()
			.getItems()
			.stream()
			.map((child) -> child.getMetadata().getName())
			.filter((name) -> name.startsWith("of-"))
			.toList();
		assertThat(written).hasSizeLessThanOrEqualTo(1);
		this.world.secret("drained", this.world.drained("s1"), (metadata) -> {
		});
		ShardWorld.soon().until(() -> !this.world.hasShardingLabels("drained"));
		// Those that were refused come back when the limit says so, as if nothing had
		// failed.
		ShardWorld.soon().until(() -> outcomes("limited") == (longestWait.isZero() ? 5 : 0));
		assertThat(shard.controllers().get(0).status().failing()).isZero();
		assertThat(outcomes("error")).isZero();
	}

	private double outcomes(String result) {
		return this.meters.get("controller.runtime.reconcile").tag("result", result).counter().count();
	}

}

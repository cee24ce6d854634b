package dev.sharding.shard;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.fence.FenceGate;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.ManagedProcess;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A renewal that hangs, because the API server is stopped.
 */
class HungApiServerIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	@Test
	void nothingIsWrittenOnceTheLeaseCannotBeProven(ControlPlane plane, KubernetesClient client,
			@TestNamespace String namespace) throws Exception {
		ManagedProcess apiServer = plane.apiServer().process();
		List<WriteFencedException> refusals = new CopyOnWriteArrayList<>();
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch mayWrite = new CountDownLatch(1);
		CountDownLatch written = new CountDownLatch(1);
		try (ShardWorld world = new ShardWorld(client, namespace)) {
			Shard shard = world.shard("s1");
			ResourceCache<Secret> secrets = shard.caches().of(ShardWorld.SECRETS);
			shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
				running.countDown();
				Uninterruptibly.await(mayWrite);
				try {
					secrets.patch(secret, (copy) -> ShardWorld.annotated(copy, "written", "yes"));
					written.countDown();
				}
				catch (WriteFencedException ex) {
					refusals.add(ex);
				}
				return Result.done();
			}).build());
			shard.start();
			world.awaitPhase(shard, RuntimePhase.RUNNING);
			world.secretOf("s1", "a");
			assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
			apiServer.pause();
			try {
				Instant end = Instant.now().plus(ShardWorld.TIMINGS.leaseDuration());
				Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Instant.now().isAfter(end));
				mayWrite.countDown();
				// It is told at once, although nobody answers.
				Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !refusals.isEmpty());
			}
			finally {
				apiServer.resume();
			}
			assertThat(refusals.get(0).gate()).isEqualTo(FenceGate.LEASE);
			world.awaitPhase(shard, RuntimePhase.RUNNING);
			assertThat(written.await(60, TimeUnit.SECONDS)).isTrue();
		}
	}

}

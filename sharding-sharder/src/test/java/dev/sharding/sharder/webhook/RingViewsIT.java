package dev.sharding.sharder.webhook;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.sharder.ring.ControllerRing;
import dev.sharding.sharder.ring.ControllerRingSpec;
import dev.sharding.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.sharder.shardlease.LeaseTrust;
import dev.sharding.sharder.watch.SharedWatches;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the webhook knows of rings.
 */
@ControlPlaneTest
class RingViewsIT {

	private static final String RING = "views";

	@Test
	@DisplayName("The leader's part of the process has started the watches: a webhook that has not begun is told nothing")
	void hearsOfNothingBeforeItStarts(KubernetesClient client) {
		CustomResourceDefinitions.apply(client, "/dev/sharding/sharder/ring/controllerrings.yaml");
		ControllerRing ring = new ControllerRing();
		ring.setMetadata(new ObjectMetaBuilder().withName(RING).build());
		ring.setSpec(new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), null));
		client.resource(ring).create();
		AtomicInteger changes = new AtomicInteger();
		try (SharedWatches watches = new SharedWatches(client);
				RingViews views = new RingViews(watches, LeaseTrust.DEFAULT, InstantSource.system(), System::nanoTime,
						new WebhookMetrics(new SimpleMeterRegistry()), changes::incrementAndGet)) {
			watches.rings().start();
			await().until(watches.rings().synced()::isDone);
			assertThat(changes).hasValue(0);
			await().until(views.start()::isDone);
			await().untilAsserted(() -> assertThat(changes).hasPositiveValue());
			assertThat(views.view(RING)).isNotNull();
		}
		finally {
			client.resource(ring).delete();
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(90));
	}

}

package dev.sharding.shard;

import java.time.InstantSource;
import java.util.List;

import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.kubernetes.informer.CheckResult;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

/**
 * A cache that differed from the API server is told as an Event, also by an application
 * whose name is none that the API server takes.
 */
@ControlPlaneTest
class CacheEventsIT {

	@Test
	void tellsOfObjectsWhoseNamesNoEventMayHaveInWhateverLanguage(KubernetesClient client,
			@TestNamespace String namespace) {
		EventRecorder recorder = new EventRecorder(new ApiRequests(client), client.getKubernetesSerialization(),
				"events", "shard", InstantSource.system());
		recorder.warning(new ClusterRoleBuilder().withNewMetadata()
			.withName("system:Node")
			.withNamespace(namespace)
			.withUid("u")
			.endMetadata()
			.build(), "Odd", "Test", "ü".repeat(1000));
		ShardWorld.soon()
			.until(() -> client.events()
				.v1()
				.events()
				.inNamespace(namespace)
				.list()
				.getItems()
				.stream()
				.anyMatch((event) -> "system:Node".equals(event.getRegarding().getName())
						&& event.getNote().equals("ü".repeat(512))));
	}

	@Test
	void namesTheObjectAndHowManyDiffered(KubernetesClient client, @TestNamespace String namespace) {
		CacheEvents events = new CacheEvents(new EventRecorder(new ApiRequests(client),
				client.getKubernetesSerialization(), "My (new) controller!", "shard", InstantSource.system()));
		events.found(ShardWorld.CONFIG_MAPS, new CheckResult(CheckResult.Outcome.MISMATCH, "7",
				List.of(new ObjectKey(namespace, "a"), new ObjectKey(namespace, "b"))));
		events.foundInRead(ShardWorld.CONFIG_MAPS,
				new CheckResult(CheckResult.Outcome.MISMATCH, "7", List.of(new ObjectKey(namespace, "c"))));
		ShardWorld.soon()
			.until(() -> client.events()
				.v1()
				.events()
				.inNamespace(namespace)
				.list()
				.getItems()
				.stream()
				.anyMatch((event) -> "ReadInconsistent".equals(event.getReason())
						&& "c".equals(event.getRegarding().getName()) && event.getNote().contains("in 1 objects")));
		ShardWorld.soon()
			.until(() -> client.events()
				.v1()
				.events()
				.inNamespace(namespace)
				.list()
				.getItems()
				.stream()
				.anyMatch((event) -> "CacheInconsistent".equals(event.getReason())
						&& "a".equals(event.getRegarding().getName()) && event.getNote().contains("in 2 objects")
						&& "My--new--controller".equals(event.getReportingController())));
	}

}

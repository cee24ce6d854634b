package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.autoconfigure.ring.ClusterCheck;
import dev.sharding.internal.autoconfigure.ring.RingCheck;
import dev.sharding.internal.autoconfigure.ring.RingFinding;
import dev.sharding.internal.autoconfigure.ring.RingWatch;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.OnStartupProblem;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

@ControlPlaneTest
@ExtendWith(OutputCaptureExtension.class)
class RingWatchIT {

	private static final String RING = "looked-at";

	private static final ControllerSpec<?> CONTROLLER = ControllerSpec
		.of(ResourceType.of(Secret.class), (secret) -> Result.done())
		.build();

	private final World world;

	RingWatchIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = World.withRings(controlPlane, client, namespace);
	}

	@Test
	void keepsLookingAtARingWithOtherNamespaces(CapturedOutput output) {
		select("other");
		try (AnswerProxy proxy = AnswerProxy.before(this.world.controlPlane().admin(), this::answer);
				KubernetesClient client = new KubernetesClientBuilder().withConfig(proxy.config()).build();
				RingWatch watch = watch(client, RingWatch.PAUSE_WHILE_WELL)) {
			// Not as bad as to end the start.
			watch.begin(List.of(CONTROLLER));
			assertThat(watch.finding().kind()).isEqualTo(RingFinding.Kind.WIDER);
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> watch.finding().kind() == RingFinding.Kind.MATCHES);
			assertThat(proxy.requests()).hasSize(4);
			assertThat(output).containsOnlyOnce("may give this shard objects outside of 'sharding.namespaces'")
				.doesNotContain("gives no useful answer");
		}
	}

	@Test
	void noticesThatARingThatWasWellIsGoneAndThatItIsBack() {
		select("watched");
		try (RingWatch watch = watch(this.world.client(), Duration.ofMillis(100))) {
			watch.begin(List.of(CONTROLLER));
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> watch.finding().kind() == RingFinding.Kind.MATCHES);
			this.world.client().genericKubernetesResources(World.RINGS).withName(RING).delete();
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> watch.finding().kind() == RingFinding.Kind.RING_ABSENT);
			select("watched");
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> watch.finding().kind() == RingFinding.Kind.MATCHES);
		}
	}

	/* The second look fails. What the third has found is changed before the fourth. */
	private @Nullable Answer answer(Request look) {
		if (look.number() == 2) {
			select("watched");
		}
		return (look.number() == 1) ? new Answer(400, Map.of(), "{}") : null;
	}

	private void select(String namespace) {
		this.world.client()
			.genericKubernetesResources(World.RINGS)
			.resource(new GenericKubernetesResourceBuilder().withApiVersion("sharding.timebertt.dev/v1alpha1")
				.withKind("ControllerRing")
				.withNewMetadata()
				.withName(RING)
				.endMetadata()
				.addToAdditionalProperties("spec",
						Map.of("resources", List.of(Map.of("group", "", "resource", "secrets")), "namespaceSelector",
								Map.of("matchLabels", Map.of("kubernetes.io/metadata.name", namespace))))
				.build())
			.serverSideApply();
	}

	private static RingWatch watch(KubernetesClient client, Duration pauseWhileWell) {
		Set<String> namespaces = Set.of("watched");
		return new RingWatch(new RingCheck(client, RING, namespaces), null,
				ClusterCheck.ofShard(client, namespaces, "default", null, false), OnStartupProblem.WAIT,
				pauseWhileWell);
	}

}

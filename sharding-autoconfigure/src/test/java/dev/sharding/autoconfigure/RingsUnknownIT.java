package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.sharding.internal.autoconfigure.ring.RingFinding;
import dev.sharding.internal.autoconfigure.runtime.ShardPart;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A start on a cluster where nobody installed the CustomResourceDefinition of rings.
 */
class RingsUnknownIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	private final World world;

	private final ApplicationContextRunner runner;

	RingsUnknownIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(controlPlane, client, namespace);
		this.runner = this.world.runner("unknown", client);
	}

	@Test
	void saysWhatIsMissingAndGoesOnWhenItIsThere() {
		// A machine under load may cost the look its time.
		World.soon()
			.untilAsserted(() -> this.runner.withPropertyValues("sharding.on-startup-problem=fail").run((context) -> {
				assertThat(context).hasFailed();
				FailureAnalysis analysis = Apps.analysis(context.getStartupFailure());
				assertThat(analysis.getDescription()).isEqualTo(
						"The API server knows no ControllerRings: install the CustomResourceDefinition, or the sharder");
				assertThat(analysis.getAction()).contains("config/crd");
			}));
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			ShardPart part = context.getBean(ShardPart.class);
			World.soon().until(() -> part.ring().kind() == RingFinding.Kind.RINGS_UNKNOWN);
			this.world.installRings();
			this.world.ring("unknown", "secrets", "configmaps");
			World.soon().untilAsserted(() -> assertThat(part.ring().isUsable()).isTrue());
		});
	}

}

package dev.sharding.internal.autoconfigure.ring;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Secret;
import org.junit.jupiter.api.Test;

import dev.sharding.autoconfigure.Apps;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class RingCheckTests {

	private final RingCheck check = new RingCheck(new Apps.UnreachableCluster().unreachable(), "ring", Set.of());

	@Test
	void acceptsAControlledResourceUnderItsMainResource() {
		assertThat(finding(main("secrets", "configmaps"), main("services")).kind()).isEqualTo(RingFinding.Kind.MATCHES);
	}

	@Test
	void refusesAControlledResourceUnderAnotherMainResource() {
		RingFinding finding = finding(main("secrets", "pods"), main("services", "configmaps"));
		assertThat(finding.kind()).isEqualTo(RingFinding.Kind.MISMATCH);
		assertThat(finding.message()).contains("needs configmaps as a controlled resource of secrets")
			.endsWith("lists [pods]");
	}

	@Test
	void refusesAMissingMainResource() {
		RingFinding finding = finding(main("services", "secrets"));
		assertThat(finding.kind()).isEqualTo(RingFinding.Kind.MISMATCH);
		assertThat(finding.message()).contains("needs secrets as a main resource").endsWith("lists [services]");
	}

	private RingFinding finding(Object... resources) {
		ControllerSpec<?> controller = ControllerSpec.of(ResourceType.of(Secret.class), (secret) -> Result.done())
			.owns(ResourceType.of(ConfigMap.class))
			.build();
		GenericKubernetesResource ring = new GenericKubernetesResource();
		ring.setAdditionalProperty("spec", Map.of("resources", List.of(resources)));
		return this.check.compare(List.of(controller), ring);
	}

	private static Map<String, Object> main(String resource, String... controlled) {
		return Map.of("group", "", "resource", resource, "controlledResources",
				List.of(controlled).stream().map((child) -> Map.of("group", "", "resource", child)).toList());
	}

}

package dev.sharding.test.spring;

import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.resource.ResourceType;

/**
 * The ControllerRing of a test class.
 */
final class RingManifest {

	private RingManifest() {
	}

	/** A ring that covers the namespace of its own name. */
	static ControllerRing of(String name, List<ResourceType<?>> main, List<ResourceType<?>> controlled) {
		List<ControlledResource> children = controlled.stream()
			.map((type) -> new ControlledResource(type.group(), type.plural()))
			.toList();
		ControllerRing ring = new ControllerRing();
		ring.setMetadata(new ObjectMetaBuilder().withName(name).build());
		ring.setSpec(new ControllerRingSpec(
				main.stream().map((type) -> new MainResource(type.group(), type.plural(), children)).toList(),
				new LabelSelectorBuilder().withMatchLabels(Map.of("kubernetes.io/metadata.name", name)).build()));
		return ring;
	}

}

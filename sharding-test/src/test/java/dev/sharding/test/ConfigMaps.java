package dev.sharding.test;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;

/**
 * The objects that the tests of this module write.
 */
final class ConfigMaps {

	private ConfigMaps() {
	}

	static ConfigMap named(String name) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName(name)
			.withNamespace("default")
			.endMetadata()
			.withData(Map.of("key", "value"))
			.build();
	}

}

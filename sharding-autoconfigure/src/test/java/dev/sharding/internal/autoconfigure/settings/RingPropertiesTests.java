package dev.sharding.internal.autoconfigure.settings;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RingPropertiesTests {

	@Test
	void aFurtherRingMayBeNamedOnly() {
		ShardingProperties.Ring ring = bind("").rings().get("websites");
		assertThat(ring).isNotNull();
		assertThat(ring.shardName()).isNull();
		assertThat(ring.namespaces()).isNull();
		assertThat(ring.leaseNamespace()).isNull();
		assertThat(ring.definition().apply()).isFalse();
		assertThat(ring.definition().isIdle()).isFalse();
	}

	@Test
	void aFurtherRingHasNoValue() {
		assertThatExceptionOfType(BindException.class).isThrownBy(() -> bind("shard-1"))
			.satisfies((failure) -> assertThat(failure.getProperty().getName()).hasToString("sharding.rings.websites"))
			.havingRootCause()
			.withMessageContaining("a ring has properties such as 'shard-name', or none");
	}

	private static ShardingProperties bind(String value) {
		return new Binder(new MapConfigurationPropertySource(Map.of("sharding.rings.websites", value)))
			.bind("sharding", ShardingProperties.class)
			.get();
	}

}

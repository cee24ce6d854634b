package dev.sharding.internal.autoconfigure.runtime;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import dev.sharding.internal.autoconfigure.settings.ShardingProperties;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;

import static org.assertj.core.api.Assertions.assertThat;

class ReadCheckTests {

	@Test
	void bindsWhatSomebodyDecided() {
		assertThat(options(Map.of("sharding.cache.consistent-reads", "false", "sharding.cache.strategies.configmaps",
				"barrier", "sharding.cache.strategies[leases.coordination.k8s.io]", "live",
				"sharding.cache.marker-namespace", "markers", "sharding.cache.check-period", "1m",
				"sharding.cache.check-reads", "0.01")))
			.isEqualTo(new ReadOptions(false,
					Map.of("configmaps", ReadStrategy.BARRIER, "leases.coordination.k8s.io", ReadStrategy.LIVE),
					"markers", Duration.ofMinutes(1), 0.01));
	}

	@Test
	void decidesNothingByDefault() {
		assertThat(options(Map.of())).isEqualTo(ReadOptions.DEFAULTS);
	}

	private static ReadOptions options(Map<String, String> properties) {
		return new Binder(new MapConfigurationPropertySource(properties))
			.bindOrCreate("sharding", ShardingProperties.class)
			.cache()
			.options();
	}

}

package dev.sharding.test.spring;

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Makes an application a shard of a development cluster, by properties. Selects nothing:
 * a selector is asked before the auto-configurations are, which look at the properties.
 */
final class DevelopmentSettings implements ImportSelector, EnvironmentAware {

	private static final String NAME = "developmentCluster";

	private Environment environment = new StandardEnvironment();

	@Override
	public void setEnvironment(Environment environment) {
		this.environment = environment;
	}

	@Override
	public String[] selectImports(AnnotationMetadata importing) {
		if (this.environment instanceof ConfigurableEnvironment configurable) {
			apply(configurable.getPropertySources(),
					settings(this.environment.containsProperty(DevelopmentProperties.PREFIX + ".join")));
			// A compiler takes its time between the first class and the last.
			configurable.getPropertySources()
				.addLast(new MapPropertySource(NAME + "Defaults", Map.of("spring.devtools.restart.poll-interval", "3s",
						"spring.devtools.restart.quiet-period", "2s")));
		}
		return new String[0];
	}

	private static Map<String, Object> settings(boolean further) {
		Map<String, Object> settings = new LinkedHashMap<>();
		settings.put("sharding.auto-startup", "true");
		settings.put("sharding.shard-name", ShardingTest.SHARD);
		// The application may ask for slots, whose shards have other names.
		settings.put("sharding.slots", "0");
		settings.put("sharding.lease.namespace", "default");
		settings.put("sharding.definition.apply", "true");
		settings.put("sharding.sharder.enabled", String.valueOf(!further));
		if (!further) {
			// It is the only one, so the first second need not be the sixteenth.
			settings.put("sharding.sharder.leader-election.enabled", "false");
		}
		return settings;
	}

	private static void apply(MutablePropertySources sources, Map<String, Object> settings) {
		MapPropertySource source = new MapPropertySource(NAME, settings);
		if (sources.contains(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
			sources.addAfter(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, source);
		}
		else {
			sources.addFirst(source);
		}
	}

}

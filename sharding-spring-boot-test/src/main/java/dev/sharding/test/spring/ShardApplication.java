package dev.sharding.test.spring;

import java.util.LinkedHashMap;
import java.util.Map;

import io.fabric8.kubernetes.client.Config;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

import dev.sharding.client.KubernetesConnectionDetails;

/**
 * The application under test, to be started again as another shard.
 *
 * @param configuration how the test framework starts it
 * @param settings the properties that make it a shard of the ring
 * @param connection where the API server is
 */
record ShardApplication(MergedContextConfiguration configuration, Map<String, String> settings, Config connection) {

	/* The name that the test framework gives them. */
	private static final String DYNAMIC = "Dynamic Test Properties";

	private static final String MANAGEMENT_PORT = "management.server.port";

	/** Completes a context that the test framework starts. */
	void join(ConfigurableApplicationContext context, TestRing ring) {
		Map<String, Object> set = inlined();
		this.settings.forEach((name, value) -> {
			if (!set.containsKey(name)) {
				TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, name + "=" + value);
			}
		});
		connect(context);
		context.getBeanFactory().registerSingleton("testRing", ring);
	}

	private Map<String, Object> inlined() {
		return TestPropertySourceUtils.convertInlinedPropertiesToMap(this.configuration.getPropertySourceProperties());
	}

	/* As the test framework does: what is added later goes before. */
	private void addProperties(ConfigurableApplicationContext context, ConfigurableEnvironment first) {
		TestPropertySourceUtils.addPropertySourcesToEnvironment(context,
				this.configuration.getPropertySourceDescriptors());
		MutablePropertySources sources = context.getEnvironment().getPropertySources();
		Map<String, Object> set = new LinkedHashMap<>(this.settings);
		set.putAll(inlined());
		sources.addFirst(new MapPropertySource("properties of the test", set));
		PropertySource<?> dynamic = first.getPropertySources().get(DYNAMIC);
		if (dynamic != null) {
			sources.addFirst(dynamic);
		}
		PropertySource<?> arguments = sources.remove(CommandLinePropertySource.COMMAND_LINE_PROPERTY_SOURCE_NAME);
		if (arguments != null) {
			// They say which shard it is.
			sources.addFirst(arguments);
		}
	}

	private void connect(ConfigurableApplicationContext context) {
		KubernetesConnectionDetails details = () -> this.connection;
		context.getBeanFactory().registerSingleton("shardingTestConnectionDetails", details);
		if (context instanceof BeanDefinitionRegistry registry) {
			RootBeanDefinition exit = new RootBeanDefinition(TestExit.class);
			// One of the user goes before.
			exit.setFallback(true);
			registry.registerBeanDefinition("shardingTestExit", exit);
		}
	}

	/**
	 * Starts the same application as another shard.
	 * @param first the environment of the context that the test framework has started
	 */
	ConfigurableApplicationContext start(ConfigurableEnvironment first, String shard, String... properties) {
		Map<String, Object> all = new LinkedHashMap<>();
		all.put("server.port", "0");
		if (first.containsProperty(MANAGEMENT_PORT)) {
			all.put(MANAGEMENT_PORT, "0");
		}
		all.putAll(TestPropertySourceUtils.convertInlinedPropertiesToMap(properties));
		all.put("sharding.shard-name", shard);
		all.put("sharding.slots", "0");
		ApplicationContextInitializer<ConfigurableApplicationContext> joining = (context) -> {
			addProperties(context, first);
			connect(context);
		};
		return new SpringApplicationBuilder(this.configuration.getClasses()).main(this.configuration.getTestClass())
			.bannerMode(Banner.Mode.OFF)
			.profiles(this.configuration.getActiveProfiles())
			.initializers(joining)
			.run(all.entrySet()
				.stream()
				.map((entry) -> "--" + entry.getKey() + "=" + entry.getValue())
				.toArray(String[]::new));
	}

}

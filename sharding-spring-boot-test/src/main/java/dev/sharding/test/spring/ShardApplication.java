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

	/** Completes a context that the test framework starts. */
	void join(ConfigurableApplicationContext context, TestRing ring) {
		Map<String, Object> set = TestPropertySourceUtils
			.convertInlinedPropertiesToMap(this.configuration.getPropertySourceProperties());
		this.settings.forEach((name, value) -> {
			if (!set.containsKey(name)) {
				TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, name + "=" + value);
			}
		});
		connect(context);
		context.getBeanFactory().registerSingleton("testRing", ring);
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

	/** Starts the same application as another shard. */
	ConfigurableApplicationContext start(String shard, String... properties) {
		Map<String, Object> all = new LinkedHashMap<>(this.settings);
		all.putAll(TestPropertySourceUtils
			.convertInlinedPropertiesToMap(this.configuration.getPropertySourceProperties()));
		all.put("server.port", "0");
		all.putAll(TestPropertySourceUtils.convertInlinedPropertiesToMap(properties));
		all.put("sharding.shard-name", shard);
		all.put("sharding.slots", "0");
		ApplicationContextInitializer<ConfigurableApplicationContext> joining = this::connect;
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

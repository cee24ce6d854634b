package dev.sharding.internal.autoconfigure.settings;

import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/**
 * Looks at the names of the properties as they were written, which binding does not show:
 * it takes characters out of the keys of maps, and leaves alone what it does not know.
 */
public final class PropertyCheck implements BeanFactoryPostProcessor {

	/* A label whose key stands in brackets does not match. */
	private static final Pattern SELECTOR = Pattern
		.compile("(?i)(sharding\\.(?:.+\\.)?definition\\.namespace-?selector)\\.([^\\[].*)");

	private static final String QOS = "sharding.qos";

	private static final String DEVELOPMENT = "sharding.development";

	private static final String SHARDER = "sharding.sharder";

	private static final Pattern WHOLE = Pattern.compile("[A-Za-z0-9.-]+");

	private final Environment environment;

	public PropertyCheck(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
		names().forEach(PropertyCheck::requireWholeLabel);
		UnknownProperties.warn(this.environment, "sharding", ShardingProperties.class, SHARDER, QOS, DEVELOPMENT);
		if (!asksOtherSharder()) {
			new PropertyPrefix(this.environment, SHARDER).warnIfNotEnabled();
		}
		new PropertyPrefix(this.environment, QOS).warnIfNotEnabled();
		// Of another module; named as Spring Boot names properties, and only there if
		// they are used.
		Arrays.stream(factory.getBeanDefinitionNames())
			.filter((name) -> name.startsWith(QOS + "-"))
			.map((name) -> factory.getType(name, false))
			.filter(Objects::nonNull)
			.forEach((type) -> UnknownProperties.warn(this.environment, QOS, type));
	}

	/* Who stands by for a slot looks at the Lease of a sharder that runs elsewhere. */
	private boolean asksOtherSharder() {
		return !ElectionLease.of(this.environment).equals(ElectionLease.DEFAULT)
				&& (this.environment.containsProperty("sharding.slots")
						|| names().stream().anyMatch((name) -> name.endsWith(".slots")));
	}

	private Set<String> names() {
		Set<String> names = new TreeSet<>();
		if (this.environment instanceof ConfigurableEnvironment configurable) {
			for (PropertySource<?> source : configurable.getPropertySources()) {
				if (source instanceof EnumerablePropertySource<?> enumerable) {
					Arrays.stream(enumerable.getPropertyNames())
						.filter((name) -> name.startsWith("sharding."))
						.forEach(names::add);
				}
			}
		}
		return names;
	}

	private static void requireWholeLabel(String name) {
		Matcher selector = SELECTOR.matcher(name);
		if (selector.matches() && !WHOLE.matcher(selector.group(2)).matches()) {
			throw new ShardingStartupException(
					"The label of the property '%s' would lose its special characters".formatted(name),
					"Write the label in brackets: '%s[%s]', in YAML as the key \"[%s]\".".formatted(selector.group(1),
							selector.group(2), selector.group(2)),
					null);
		}
	}

}

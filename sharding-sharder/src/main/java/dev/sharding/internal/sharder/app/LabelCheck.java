package dev.sharding.internal.sharder.app;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Refuses labels and annotations that are not what was written: without brackets, binding
 * takes slashes out of the keys of maps.
 */
final class LabelCheck implements BeanFactoryPostProcessor {

	/* A key that stands in brackets does not match. */
	private static final Pattern KEY = Pattern
		.compile("(?i)(sharding\\.sharder\\.webhook\\.(?:annotations|namespace-?selector\\.match-?labels))"
				+ "\\.([^\\[].*)");

	private static final Pattern WHOLE = Pattern.compile("[A-Za-z0-9.-]+");

	private final ConfigurableEnvironment environment;

	LabelCheck(ConfigurableEnvironment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
		for (PropertySource<?> source : this.environment.getPropertySources()) {
			if (source instanceof EnumerablePropertySource<?> enumerable) {
				Arrays.stream(enumerable.getPropertyNames()).forEach(LabelCheck::requireWhole);
			}
		}
	}

	private static void requireWhole(String property) {
		Matcher matcher = KEY.matcher(property);
		if (matcher.matches() && !WHOLE.matcher(matcher.group(2)).matches()) {
			throw new IllegalArgumentException(
					"The key in '%s' would lose its special characters: write it in brackets, '%s[%s]', in YAML as the key \"[%s]\""
						.formatted(property, matcher.group(1), matcher.group(2), matcher.group(2)));
		}
	}

}

package dev.sharding.internal.autoconfigure.settings;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;

/**
 * Properties of one prefix, as far as the application sets them: not those in the
 * system's environment, where Kubernetes tells of Services.
 *
 * @param environment where they are
 * @param name the prefix
 */
record PropertyPrefix(Environment environment, String name) {

	private static final Logger logger = LoggerFactory.getLogger(PropertyPrefix.class);

	/** Whether any of them is set. */
	boolean isSet() {
		ConfigurationPropertyName prefix = ConfigurationPropertyName.of(this.name);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (UnknownProperties.isOwn(source)
					&& source.containsDescendantOf(prefix) == ConfigurationPropertyState.PRESENT) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Says that nobody reads the properties of a feature that is off. Nobody else does:
	 * their names are only known where it is on, and so is a misspelt switch.
	 */
	void warnIfNotEnabled() {
		String enabled = Binder.get(this.environment).bind(this.name + ".enabled", String.class).orElse("");
		boolean clear = enabled.equalsIgnoreCase("true") || enabled.equalsIgnoreCase("false");
		if (!clear && (!enabled.isBlank() || isSet())) {
			logger.warn("'{}.*' is set, but '{}.enabled' is not true, so that it does nothing. Set it to true, or to"
					+ " false if that is meant", this.name, this.name);
		}
	}

}

package dev.sharding.internal.sharder.app.management;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Configuration of the listeners for health, metrics and other endpoints.
 *
 * @param secure Whether the management port speaks TLS, and answers only who has a token
 * of the cluster and the right to read the path. The management port must be another than
 * the main one then, where health stays open to the kubelet.
 * @param answerTimeout How long an endpoint may take to answer; after that the request
 * gets a 503.
 * @param limits What each of these listeners bears.
 */
@ConfigurationProperties("sharding.sharder.management")
public record ManagementProperties(@DefaultValue("false") boolean secure, @DefaultValue("30s") Duration answerTimeout,
		@DefaultValue LimitProperties limits) {

	public ManagementProperties {
		if (answerTimeout.toMillis() < 1) {
			throw new InvalidConfigurationPropertyValueException("sharding.sharder.management.answer-timeout",
					answerTimeout, "It must be positive.");
		}
	}

	/**
	 * Whether the management port is guarded.
	 * @param apart whether it is another than the main one
	 */
	boolean isSecure(boolean apart) {
		if (this.secure && !apart) {
			throw new InvalidConfigurationPropertyValueException("sharding.sharder.management.secure", true,
					"Health stays open to the kubelet, so the other endpoints need a port of their own:"
							+ " set 'management.server.port' to another one than 'server.port'.");
		}
		return this.secure;
	}

}

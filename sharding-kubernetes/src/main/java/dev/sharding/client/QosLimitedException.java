package dev.sharding.client;

import java.time.Duration;

import dev.sharding.internal.core.Internal;

/**
 * A request that was not sent because a rule limits it and it may not wait that long.
 */
public final class QosLimitedException extends NotSentException implements RetryAfter {

	private static final long serialVersionUID = 1L;

	private final String rule;

	private final Duration retryAfter;

	@Internal
	public QosLimitedException(String request, String rule, Duration retryAfter) {
		super("Failed to %s: limited by QoS rule '%s', try again in %d ms".formatted(request, rule,
				retryAfter.toMillis()));
		this.rule = rule;
		this.retryAfter = retryAfter;
	}

	/**
	 * Returns the rule that limits the request.
	 * @return its name
	 */
	public String rule() {
		return this.rule;
	}

	/**
	 * Returns when it is worth trying again.
	 * @return a positive duration, an estimate
	 */
	@Override
	public Duration retryAfter() {
		return this.retryAfter;
	}

}

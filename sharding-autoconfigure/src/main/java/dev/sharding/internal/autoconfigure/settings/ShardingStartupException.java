package dev.sharding.internal.autoconfigure.settings;

import org.jspecify.annotations.Nullable;

/**
 * A mistake in the configuration that keeps the application from starting.
 */
public final class ShardingStartupException extends RuntimeException {

	private final String action;

	/**
	 * Creates the failure.
	 * @param description what is wrong
	 * @param action what to do about it
	 * @param cause what noticed it
	 */
	public ShardingStartupException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	public String description() {
		return String.valueOf(getMessage());
	}

	public String action() {
		return this.action;
	}

}

package dev.sharding.internal.kubernetes.lease;

import org.jspecify.annotations.Nullable;

/**
 * Another living process holds the Lease under the same name.
 */
public final class DuplicateShardNameException extends RuntimeException {

	private final String namespace;

	private final String name;

	private final @Nullable String otherInstanceId;

	/**
	 * Creates the failure.
	 * @param namespace the namespace of the Lease
	 * @param name the name that two processes use
	 * @param otherInstanceId the instance id of the other process, {@code null} if it
	 * writes none
	 */
	public DuplicateShardNameException(String namespace, String name, @Nullable String otherInstanceId) {
		super("Failed to acquire Lease %s/%s: another process renews it under the same name (instance id %s)"
			.formatted(namespace, name, (otherInstanceId != null) ? otherInstanceId : "unknown"));
		this.namespace = namespace;
		this.name = name;
		this.otherInstanceId = otherInstanceId;
	}

	/**
	 * Returns the namespace of the Lease.
	 * @return the namespace
	 */
	public String namespace() {
		return this.namespace;
	}

	/**
	 * Returns the name that two processes use.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns the instance id of the other process.
	 * @return its id, {@code null} if it writes none
	 */
	public @Nullable String otherInstanceId() {
		return this.otherInstanceId;
	}

}

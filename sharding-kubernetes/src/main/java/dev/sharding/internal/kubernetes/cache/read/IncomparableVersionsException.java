package dev.sharding.internal.kubernetes.cache.read;

import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.resource.ResourceType;

/**
 * Somebody decided that memory answers the consistent reads of a resource whose versions
 * have no order, so that memory cannot tell how far it is.
 */
public final class IncomparableVersionsException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String resource;

	public IncomparableVersionsException(ResourceType<?> type, String version) {
		super("Consistent reads of %s cannot come from the cache: its resource versions have no order (one is \"%s\")"
			.formatted(type, version));
		this.resource = type.groupResource().toString();
	}

	/**
	 * The resource.
	 * @return plural and group, as in {@link ReadOptions#strategies()}
	 */
	public String resource() {
		return this.resource;
	}

}

package dev.sharding.internal.kubernetes.cache.read;

import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.resource.ResourceType;

/**
 * Barriers were wanted for the main resource of a controller.
 */
public final class BarrierNotPossibleException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String resource;

	BarrierNotPossibleException(ResourceType<?> main) {
		super("Strategy of consistent reads must not be barrier for %s, the main resource of a controller, which would reconcile the marker; use validated or live"
			.formatted(main));
		this.resource = main.groupResource().toString();
	}

	/**
	 * The resource.
	 * @return plural and group, as in {@link ReadOptions#strategies()}
	 */
	public String resource() {
		return this.resource;
	}

}

package dev.sharding.internal.kubernetes.lease;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The three calls that holding a Lease takes. All of them block, and fail with
 * {@link LeaseApiException}.
 */
interface LeaseApi {

	/**
	 * Reads the Lease.
	 * @return the Lease, or {@code null} if there is none
	 */
	@Nullable Lease get();

	/**
	 * Creates the Lease; a conflict if there is one already.
	 * @param lease what to create
	 * @return the Lease as created
	 */
	Lease create(Lease lease);

	/**
	 * Replaces the Lease if its resource version is still that of {@code lease}.
	 * @param lease what to write
	 * @return the Lease as written
	 */
	Lease update(Lease lease);

}

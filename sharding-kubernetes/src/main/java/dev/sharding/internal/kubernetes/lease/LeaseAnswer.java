package dev.sharding.internal.kubernetes.lease;

import java.net.HttpURLConnection;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.lease.Moment;

/**
 * What came of one call.
 *
 * @param sent just before the call was sent
 * @param lease the Lease that the API server returned; {@code null} if there is none or
 * the call failed
 * @param failure why the call failed, {@code null} if it did not
 */
record LeaseAnswer(Moment sent, @Nullable Lease lease, @Nullable LeaseApiException failure) {

	boolean isConflict() {
		return this.failure != null && this.failure.isConflict();
	}

	/** Tells whether a write that brought no Lease may have taken effect. */
	boolean mayHaveGotThrough() {
		return this.failure == null || this.failure.status() == 0
				|| this.failure.status() >= HttpURLConnection.HTTP_INTERNAL_ERROR;
	}

	boolean isNotFound() {
		return this.failure != null && this.failure.isNotFound();
	}

}

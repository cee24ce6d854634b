package dev.sharding.internal.sharder.tls;

import java.time.Duration;

/**
 * How long certificates last. Each is replaced when a third of its time is left, so that
 * there is plenty of time to notice that it was not.
 *
 * @param authority how long an authority is valid
 * @param serving how long a serving certificate is valid, at most as long as the
 * authority
 * @param overlap how long a new authority is trusted before it is used, and an old one
 * after; as long as all replicas and API servers may need to learn of it
 */
public record CertificateTerms(Duration authority, Duration serving, Duration overlap) {

	/** Five years, ninety days, ten minutes. */
	public static final CertificateTerms DEFAULT = new CertificateTerms(Duration.ofDays(5 * 365), Duration.ofDays(90),
			Duration.ofMinutes(10));

	public CertificateTerms {
		if (serving.isNegative() || serving.isZero() || authority.compareTo(serving) < 0) {
			throw new IllegalArgumentException(
					"'authority' must not be shorter than 'serving', and both must be positive (are %s and %s)"
						.formatted(authority, serving));
		}
		if (overlap.isNegative() || overlap.multipliedBy(6).compareTo(serving) > 0) {
			throw new IllegalArgumentException(
					"'overlap' must be at most a sixth of 'serving' (is %s of %s)".formatted(overlap, serving));
		}
	}

}

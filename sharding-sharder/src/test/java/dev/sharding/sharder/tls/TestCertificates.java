package dev.sharding.sharder.tls;

import java.time.Instant;
import java.util.Set;

/**
 * Serving certificates for tests of what serves with them.
 */
public final class TestCertificates {

	private TestCertificates() {
	}

	public static ServingCertificate create(Set<String> hosts, CertificateTerms terms, Instant now) {
		CertificateRotation rotation = new CertificateRotation(terms, hosts);
		return rotation.perform(rotation.next(null, now), null, now).serving();
	}

}

package dev.sharding.internal.sharder.diagnosis;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Tells whether the API server can trust the webhook: by the authorities in the
 * configuration of a ring, and by the certificate that it serves with.
 */
public final class CertificateLaw {

	private static final String CHECK = "webhook";

	private static final String REMEDY = "Look at the log of the sharder, or of who issues its certificate";

	private CertificateLaw() {
	}

	/**
	 * Looks at the certificates.
	 * @param configuration the name of the configuration
	 * @param caBundle its authorities, base64 of PEM; {@code null} if there are none
	 * @param secret the name of the Secret that the webhook serves with
	 * @param certificate its certificate chain, base64 of PEM; {@code null} if it could
	 * not be read
	 * @param now the time
	 * @return what was found
	 */
	public static List<Finding> of(String configuration, @Nullable String caBundle, String secret,
			@Nullable String certificate, Instant now) {
		List<Finding> findings = new ArrayList<>();
		String subject = "MutatingWebhookConfiguration " + configuration;
		List<X509Certificate> authorities = read(caBundle);
		if (authorities == null || authorities.isEmpty()) {
			findings.add(Finding.problem(CHECK, subject,
					"its caBundle holds no certificate, so the API server trusts the webhook only by its own roots",
					REMEDY));
		}
		else if (authorities.stream().noneMatch((authority) -> authority.getNotAfter().toInstant().isAfter(now))) {
			findings.add(Finding.problem(CHECK, subject,
					"its caBundle expired at " + authorities.get(0).getNotAfter().toInstant(), REMEDY));
		}
		List<X509Certificate> chain = read(certificate);
		if (certificate == null) {
			findings.add(Finding.note(CHECK, "Secret " + secret,
					"could not be read, so the certificate of the webhook was not checked"));
		}
		else if (chain == null || chain.isEmpty()) {
			findings.add(Finding.problem(CHECK, "Secret " + secret, "holds no certificate", REMEDY));
		}
		else {
			serving(findings, "Secret " + secret, chain, authorities, now);
		}
		return findings;
	}

	private static void serving(List<Finding> findings, String subject, List<X509Certificate> chain,
			@Nullable List<X509Certificate> authorities, Instant now) {
		X509Certificate leaf = chain.get(0);
		Instant begins = leaf.getNotBefore().toInstant();
		Instant ends = leaf.getNotAfter().toInstant();
		if (!ends.isAfter(now)) {
			findings.add(Finding.problem(CHECK, subject, "its certificate expired at " + ends, REMEDY));
		}
		else if (Duration.between(now, ends).compareTo(Duration.between(begins, ends).dividedBy(10)) < 0) {
			findings.add(Finding.warning(CHECK, subject, "its certificate expires soon, at " + ends, REMEDY));
		}
		if (authorities != null && !authorities.isEmpty()
				&& chain.stream()
					.noneMatch((link) -> authorities.stream()
						.anyMatch((authority) -> link.equals(authority) || issued(link, authority)))) {
			findings.add(Finding.problem(CHECK, subject,
					"its certificate was not issued by an authority of the caBundle", REMEDY));
		}
	}

	private static boolean issued(X509Certificate certificate, X509Certificate authority) {
		try {
			certificate.verify(authority.getPublicKey());
			return true;
		}
		catch (GeneralSecurityException otherKey) {
			return false;
		}
	}

	private static @Nullable List<X509Certificate> read(@Nullable String encoded) {
		if (encoded == null || encoded.isEmpty()) {
			return null;
		}
		try {
			return CertificateFactory.getInstance("X.509")
				.generateCertificates(new ByteArrayInputStream(Base64.getDecoder().decode(encoded)))
				.stream()
				.map(X509Certificate.class::cast)
				.toList();
		}
		catch (GeneralSecurityException | IllegalArgumentException unreadable) {
			return null;
		}
	}

}

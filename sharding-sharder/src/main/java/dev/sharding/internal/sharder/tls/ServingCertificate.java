package dev.sharding.internal.sharder.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What a TLS server needs.
 *
 * @param certificate the certificate chain, PEM
 * @param key the private key, PEM; never to be logged
 * @param authorities the certificates by which clients may trust it, PEM, or {@code null}
 * if that is not ours to say
 */
public record ServingCertificate(String certificate, String key, @Nullable String authorities) {

	/**
	 * A certificate that somebody else issued.
	 * @param chain the certificate chain
	 * @param key the private key
	 * @return the certificate
	 * @throws IllegalStateException if the key cannot leave where it is kept
	 */
	public static ServingCertificate of(List<X509Certificate> chain, PrivateKey key) {
		if (key.getEncoded() == null) {
			throw new IllegalStateException("the private key cannot be read");
		}
		return new ServingCertificate(Pem.certificates(chain), Pem.key(key), null);
	}

	/**
	 * Makes a certificate of an authority that is forgotten at once.
	 * @param hosts the DNS names and IP addresses of the server
	 * @param now the time
	 * @param validity how long it lasts
	 * @return the certificate
	 */
	public static ServingCertificate selfSigned(Set<String> hosts, Instant now, Duration validity) {
		Authority authority = Authority.create(now, validity);
		Authority.Issued issued = authority.issue(hosts, now, validity);
		return new ServingCertificate(Pem.certificates(List.of(issued.certificate())), Pem.key(issued.key()),
				Pem.certificates(List.of(authority.certificate())));
	}

	/**
	 * Returns when clients stop trusting it.
	 * @return the moment
	 * @throws IllegalStateException if the certificate cannot be read
	 */
	public Instant notAfter() {
		try {
			return Pem.readCertificates(this.certificate).get(0).getNotAfter().toInstant();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("the certificate cannot be read", ex);
		}
	}

	@Override
	public String toString() {
		return "ServingCertificate[hidden]";
	}

}

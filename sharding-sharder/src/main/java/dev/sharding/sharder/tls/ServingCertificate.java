package dev.sharding.sharder.tls;

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

	@Override
	public String toString() {
		return "ServingCertificate[hidden]";
	}

}

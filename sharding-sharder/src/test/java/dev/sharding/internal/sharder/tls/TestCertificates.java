package dev.sharding.internal.sharder.tls;

import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Set;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

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

	/** Trusts what issued a certificate. */
	public static SSLContext trusting(ServingCertificate trusted) throws Exception {
		KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
		store.load(null, null);
		int i = 0;
		for (Certificate authority : CertificateFactory.getInstance("X.509")
			.generateCertificates(new ByteArrayInputStream(trusted.authorities().getBytes(StandardCharsets.UTF_8)))) {
			store.setCertificateEntry("ca-" + i++, authority);
		}
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(store);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trust.getTrustManagers(), null);
		return context;
	}

	/** Trusts everybody, as Prometheus does with insecureSkipVerify. */
	public static SSLContext trustingAll() {
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, new TrustManager[] { new X509ExtendedTrustManager() {

				@Override
				public void checkClientTrusted(X509Certificate[] chain, String type) {
				}

				@Override
				public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
				}

				@Override
				public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
				}

				@Override
				public void checkServerTrusted(X509Certificate[] chain, String type) {
				}

				@Override
				public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
				}

				@Override
				public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
				}

				@Override
				public X509Certificate[] getAcceptedIssuers() {
					return new X509Certificate[0];
				}

			} }, null);
			return context;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

}

package dev.sharding.internal.sharder.app;

import java.time.Duration;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.internal.sharder.tls.TestCertificates;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemContent;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

import static org.assertj.core.api.Assertions.assertThat;

class BundleCertificatesTests {

	private final ServingCertificate first = TestCertificates.create(Set.of("localhost"), CertificateTerms.DEFAULT,
			Instant.now());

	private final DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("webhook", bundle(this.first, null));

	private final List<ServingCertificate> told = new CopyOnWriteArrayList<>();

	private final AtomicInteger failures = new AtomicInteger();

	private BundleCertificates source;

	@BeforeEach
	void create() {
		this.source = new BundleCertificates("webhook", this.bundles.getBundle("webhook"),
				(changed) -> this.bundles.addBundleUpdateHandler("webhook", changed), this::serve,
				Duration.ofMillis(50));
		this.source.start();
	}

	@AfterEach
	void close() {
		this.source.close();
	}

	@Test
	void tellsTheCertificateOfTheBundleAndEachThatItIsReloadedWith() {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.told.size() == 1);
		assertSame(this.told.get(0), this.first);
		ServingCertificate next = TestCertificates.create(Set.of("localhost"), CertificateTerms.DEFAULT, Instant.now());
		this.bundles.updateBundle("webhook", bundle(next, "pass" + "word"));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.told.size() == 2);
		assertSame(this.told.get(1), next);
		assertThat(this.source.problem()).isNull();
	}

	private void serve(ServingCertificate certificate) {
		if (this.failures.getAndDecrement() > 0) {
			throw new IllegalStateException("port in use");
		}
		this.told.add(certificate);
	}

	@Test
	void triesAgainWhereACertificateCouldNotBeServedWith() {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.told.size() == 1);
		this.failures.set(3);
		ServingCertificate next = TestCertificates.create(Set.of("localhost"), CertificateTerms.DEFAULT, Instant.now());
		this.bundles.updateBundle("webhook", bundle(next, null));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.told.size() == 2);
		assertSame(this.told.get(1), next);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.source.problem() == null);
	}

	@Test
	void saysThatABundleHoldsNoKey() {
		this.bundles.updateBundle("webhook", SslBundle.of(SslStoreBundle.NONE));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.source.problem() != null);
		assertThat(this.source.problem())
			.isEqualTo("Failed to serve with the SSL bundle 'webhook': it holds no certificate with a private key");
	}

	private static void assertSame(ServingCertificate told, ServingCertificate expected) {
		assertThat(certificates(told)).isEqualTo(certificates(expected));
		assertThat(key(told)).isEqualTo(key(expected));
		assertThat(told.authorities()).isNull();
	}

	private static List<X509Certificate> certificates(ServingCertificate of) {
		return PemContent.of(of.certificate()).getCertificates();
	}

	private static PrivateKey key(ServingCertificate of) {
		return PemContent.of(of.key()).getPrivateKey();
	}

	private static SslBundle bundle(ServingCertificate certificate, String password) {
		PemSslStoreDetails details = PemSslStoreDetails.forCertificate(certificate.certificate())
			.withPrivateKey(certificate.key())
			.withPassword(password);
		return SslBundle.of(new PemSslStoreBundle(details, null), SslBundleKey.of(password));
	}

}

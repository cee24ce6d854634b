package dev.sharding.internal.sharder.http;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.security.auth.x500.X500Principal;

import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CurrentKeyTests {

	@ParameterizedTest
	@ValueSource(strings = { "RSA", "RSASSA-PSS", "Ed25519", "EC" })
	void knowsTheKeyOfACertificate(String kind) throws Exception {
		KeyPair pair = KeyPairGenerator.getInstance(kind).generateKeyPair();
		KeyPair other = KeyPairGenerator.getInstance(kind).generateKeyPair();
		PrivateKey authority = KeyPairGenerator.getInstance("RSA").generateKeyPair().getPrivate();
		X500Principal name = new X500Principal("CN=localhost");
		X509Certificate made = new JcaX509CertificateConverter().getCertificate(new JcaX509v3CertificateBuilder(name,
				BigInteger.ONE, new Date(), Date.from(Instant.now().plusSeconds(600)), name, pair.getPublic())
			.build(new JcaContentSignerBuilder("SHA256withRSA").build(authority)));
		CurrentKey key = new CurrentKey();
		key.use(managers(made, pair.getPrivate()));
		assertThatExceptionOfType(CurrentKey.MismatchException.class)
			.isThrownBy(() -> key.use(managers(made, other.getPrivate())));
	}

	private static KeyManager[] managers(X509Certificate certificate, PrivateKey key) throws Exception {
		KeyStore store = KeyStore.getInstance("PKCS12");
		store.load(null, null);
		store.setKeyEntry("k", key, new char[0], new Certificate[] { certificate });
		KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		factory.init(store, new char[0]);
		return factory.getKeyManagers();
	}

}

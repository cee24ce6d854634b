package dev.sharding.internal.sharder.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;

import javax.security.auth.x500.X500Principal;

import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * An authority that issues serving certificates: its certificate and its private key.
 */
record Authority(X509Certificate certificate, PrivateKey key) {

	/* A clock that is behind must not refuse what was just made. */
	static final Duration BACKDATED = Duration.ofMinutes(5);

	private static final SecureRandom RANDOM = new SecureRandom();

	private static final Pattern IP = Pattern.compile("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

	static Authority create(Instant now, Duration validity) {
		KeyPair pair = keyPair();
		byte[] suffix = new byte[4];
		RANDOM.nextBytes(suffix);
		X500Principal name = new X500Principal("CN=sharder-webhook-ca-" + HexFormat.of().formatHex(suffix));
		try {
			X509v3CertificateBuilder builder = builder(name, name, pair, now, validity);
			builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
			builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
			builder.addExtension(Extension.subjectKeyIdentifier, false,
					new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
			return new Authority(sign(builder, pair.getPrivate()), pair.getPrivate());
		}
		catch (GeneralSecurityException | IOException | OperatorCreationException ex) {
			throw new IllegalStateException("Failed to make a certificate authority", ex);
		}
	}

	/** Issues a certificate for a server of those DNS names and IP addresses. */
	Issued issue(Set<String> hosts, Instant now, Duration validity) {
		KeyPair pair = keyPair();
		GeneralName[] names = hosts.stream()
			.map((host) -> new GeneralName(isIp(host) ? GeneralName.iPAddress : GeneralName.dNSName, host))
			.toArray(GeneralName[]::new);
		try {
			JcaX509ExtensionUtils utils = new JcaX509ExtensionUtils();
			X509v3CertificateBuilder builder = builder(this.certificate.getSubjectX500Principal(),
					new X500Principal("CN=sharder-webhook"), pair, now, validity);
			builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
			builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
			builder.addExtension(Extension.extendedKeyUsage, false,
					new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
			builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
			builder.addExtension(Extension.authorityKeyIdentifier, false,
					utils.createAuthorityKeyIdentifier(this.certificate));
			return new Issued(sign(builder, this.key), pair.getPrivate());
		}
		catch (GeneralSecurityException | IOException | OperatorCreationException ex) {
			throw new IllegalStateException("Failed to issue a certificate for " + hosts, ex);
		}
	}

	static boolean isIp(String host) {
		return IP.matcher(host).matches();
	}

	private static X509v3CertificateBuilder builder(X500Principal issuer, X500Principal subject, KeyPair pair,
			Instant now, Duration validity) {
		return new JcaX509v3CertificateBuilder(issuer, new BigInteger(127, RANDOM), Date.from(now.minus(BACKDATED)),
				Date.from(now.plus(validity)), subject, pair.getPublic());
	}

	private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey key)
			throws GeneralSecurityException, OperatorCreationException {
		return new JcaX509CertificateConverter()
			.getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
	}

	private static KeyPair keyPair() {
		try {
			KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
			generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
			return generator.generateKeyPair();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Failed to make a key pair", ex);
		}
	}

	@Override
	public String toString() {
		return "Authority[" + this.certificate.getSubjectX500Principal() + "]";
	}

	/**
	 * A serving certificate and its private key.
	 */
	record Issued(X509Certificate certificate, PrivateKey key) {

		@Override
		public String toString() {
			return "Issued[" + this.certificate.getSerialNumber() + "]";
		}

	}

}

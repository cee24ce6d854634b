package dev.sharding.internal.sharder.tls;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A Secret or a file may hold anything: it is read, or refused by a
 * {@link GeneralSecurityException}, which quotes no key.
 */
class PemFuzzTests {

	private static final Authority AUTHORITY = Authority.create(Instant.parse("2026-01-02T03:04:05Z"),
			Duration.ofDays(365));

	private static final String[] TOKENS = { "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----",
			"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----", "\n", "=", "A", "MIIB", "%", "é",
			"-----BEGIN PKCS7-----", "MIIBCgKCAQEA" };

	@Test
	void aKeyWhoseMarksOverlapIsNone() {
		assertThatExceptionOfType(GeneralSecurityException.class)
			.isThrownBy(() -> Pem.readKey("-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----"));
	}

	@Property(tries = 1_500, shrinking = ShrinkingMode.OFF)
	void readsOrRefusesWhateverAKeySays(@ForAll long seed) throws GeneralSecurityException {
		String valid = Pem.key(AUTHORITY.key());
		assertThat(Pem.readKey(valid)).isEqualTo(AUTHORITY.key());
		try {
			assertThat(Pem.readKey(spoil(valid, new Random(seed)))).isNotNull();
		}
		catch (GeneralSecurityException expected) {
			assertThat(String.valueOf(expected.getMessage())).doesNotContain(valid.substring(40, 60));
		}
	}

	@Property(tries = 1_500, shrinking = ShrinkingMode.OFF)
	void readsOrRefusesWhateverACertificateSays(@ForAll long seed) throws GeneralSecurityException {
		String valid = Pem.certificate(AUTHORITY.certificate());
		assertThat(Pem.readCertificates(valid + valid)).containsExactly(AUTHORITY.certificate(),
				AUTHORITY.certificate());
		try {
			assertThat(Pem.readCertificates(spoil(valid, new Random(seed)))).doesNotContainNull();
		}
		catch (GeneralSecurityException expected) {
			// Any other one fails.
		}
	}

	private static String spoil(String valid, Random random) {
		StringBuilder text = new StringBuilder(valid);
		for (int i = 1 + random.nextInt(3); i > 0; i--) {
			int at = random.nextInt(text.length() + 1);
			int to = Math.min(text.length(), at + random.nextInt(8));
			byte[] bytes = new byte[random.nextInt(5)];
			random.nextBytes(bytes);
			text.replace(at, to, random.nextBoolean() ? TOKENS[random.nextInt(TOKENS.length)]
					: new String(bytes, StandardCharsets.ISO_8859_1));
		}
		return text.substring(0, random.nextInt(4) > 0 ? text.length() : random.nextInt(text.length() + 1));
	}

}

package dev.sharding.sharder.tls;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.sharder.tls.RotationLaw.Action;
import dev.sharding.sharder.tls.RotationLaw.Step;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CertificateRotationTests {

	private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

	private static final Set<String> HOSTS = Set.of("sharder.sharding-system.svc", "127.0.0.1");

	private static final CertificateTerms TERMS = new CertificateTerms(Duration.ofDays(300), Duration.ofDays(90),
			Duration.ofHours(1));

	private final CertificateRotation rotation = new CertificateRotation(TERMS, HOSTS);

	@Test
	void whoeverTrustsThePublishedAuthoritiesTrustsEveryCertificateOverTwoYears() throws Exception {
		CertificateSet set = null;
		CertificateSet before = null;
		Set<Action> seen = new java.util.HashSet<>();
		for (Instant now = NOW; now.isBefore(NOW.plus(Duration.ofDays(730)));) {
			Step step = this.rotation.next(set, now);
			if (step.action() == Action.WAIT) {
				now = step.due();
				continue;
			}
			seen.add(step.action());
			before = set;
			set = this.rotation.perform(step, set, now);
			verify(set.authorities(), set.certificate(), now);
			if (before != null) {
				// A replica or an API server that is one step behind.
				verify(set.authorities(), before.certificate(), now);
				verify(before.authorities(), set.certificate(), now);
			}
		}
		assertThat(seen).containsExactlyInAnyOrder(Action.BEGIN_ANEW, Action.NEW_SERVING, Action.NEW_AUTHORITY,
				Action.DROP_OLD_AUTHORITIES);
	}

	@Test
	void issuesForAllNames() throws Exception {
		CertificateSet set = this.rotation.perform(this.rotation.next(null, NOW), null, NOW);
		X509Certificate serving = Pem.readCertificates(set.certificate()).get(0);
		assertThat(serving.getSubjectAlternativeNames()).extracting((name) -> name.get(0) + ":" + name.get(1))
			.containsExactlyInAnyOrder("2:sharder.sharding-system.svc", "7:127.0.0.1");
		assertThat(serving.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
		assertThat(this.rotation.next(set, NOW).action()).isEqualTo(Action.WAIT);
		assertThat(new CertificateRotation(TERMS, Set.of("other")).next(set, NOW).action())
			.isEqualTo(Action.NEW_SERVING);
	}

	@Test
	void beginsAnewWithADamagedSecret() {
		CertificateSet set = this.rotation.perform(this.rotation.next(null, NOW), null, NOW);
		assertThat(CertificateSet.of(set.data())).isEqualTo(set);
		assertThat(CertificateSet.of(Map.of("tls.crt", "Zm9v"))).isNull();
		CertificateSet damaged = new CertificateSet("x", set.authorityKey(), set.certificate(), set.key());
		assertThat(this.rotation.next(damaged, NOW).action()).isEqualTo(Action.BEGIN_ANEW);
		assertThat(this.rotation.next(new CertificateSet(set.authorities(), "x", set.certificate(), set.key()), NOW)
			.action()).isEqualTo(Action.BEGIN_ANEW);
	}

	@Test
	void showsNoKey() {
		CertificateSet set = this.rotation.perform(this.rotation.next(null, NOW), null, NOW);
		assertThat(List.of(set.toString(), set.serving().toString()))
			.allSatisfy((text) -> assertThat(text).doesNotContain("PRIVATE"));
	}

	private static void verify(String authorities, String certificate, Instant now) throws Exception {
		X509Certificate serving = Pem.readCertificates(certificate).get(0);
		serving.checkValidity(java.util.Date.from(now));
		X509Certificate issuer = Pem.readCertificates(authorities)
			.stream()
			.filter((authority) -> authority.getSubjectX500Principal().equals(serving.getIssuerX500Principal()))
			.findFirst()
			.orElseThrow();
		serving.verify(issuer.getPublicKey());
	}

}

package dev.sharding.internal.sharder.tls;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.sharder.tls.RotationLaw.Action;
import dev.sharding.internal.sharder.tls.RotationLaw.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
			.isEqualTo(Action.MORE_NAMES);
	}

	@Test
	void aSetWhoseKeysAreOthersIsMadeAnew() {
		CertificateSet set = this.rotation.perform(this.rotation.next(null, NOW), null, NOW);
		CertificateSet other = this.rotation.perform(this.rotation.next(null, NOW), null, NOW);
		assertThat(this.rotation.next(set, NOW).action()).isEqualTo(Action.WAIT);
		assertThat(this.rotation
			.next(new CertificateSet(set.authorities(), set.authorityKey(), set.certificate(), other.key()), NOW)
			.action()).isEqualTo(Action.BEGIN_ANEW);
		assertThat(this.rotation
			.next(new CertificateSet(set.authorities(), other.authorityKey(), set.certificate(), set.key()), NOW)
			.action()).isEqualTo(Action.BEGIN_ANEW);
	}

	@ParameterizedTest
	@CsvSource({ "a, a", "a, b", "a, a b", "a b, b c", "127.0.0.1, 127.0.0.2" })
	void replicasWithOtherNamesComeToRest(String ofFirst, String ofSecond) throws Exception {
		Set<String> all = new HashSet<>(Set.of(ofFirst.split(" ")));
		all.addAll(Set.of(ofSecond.split(" ")));
		CertificateRotation first = new CertificateRotation(TERMS, Set.of(ofFirst.split(" ")));
		CertificateRotation second = new CertificateRotation(TERMS, Set.of(ofSecond.split(" ")));
		CertificateSet set = rest(first, second, null, NOW);
		assertThat(CertificateRotation.names(Pem.readCertificates(set.certificate()).get(0))).isEqualTo(all);
		// The first one is gone, and with it its names, but not before the renewal.
		assertThat(rest(second, second, set, NOW.plus(Duration.ofDays(59)))).isEqualTo(set);
		set = rest(second, second, set, NOW.plus(Duration.ofDays(61)));
		assertThat(CertificateRotation.names(Pem.readCertificates(set.certificate()).get(0)))
			.isEqualTo(Set.of(ofSecond.split(" ")));
	}

	/* Both look in turn, until neither has anything to do. */
	private static CertificateSet rest(CertificateRotation first, CertificateRotation second, CertificateSet set,
			Instant now) {
		CertificateSet current = set;
		for (int i = 0; i < 10; i++) {
			CertificateSet before = current;
			current = first.perform(first.next(current, now), current, now);
			current = second.perform(second.next(current, now), current, now);
			if (current.equals(before)) {
				return current;
			}
		}
		throw new AssertionError("the replicas do not come to rest");
	}

	@Test
	void knowsAnIpv6AddressAgain() {
		CertificateRotation short6 = new CertificateRotation(TERMS, Set.of("::1", "2001:db8::0a"));
		CertificateSet set = short6.perform(short6.next(null, NOW), null, NOW);
		assertThat(short6.next(set, NOW).action()).isEqualTo(Action.WAIT);
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

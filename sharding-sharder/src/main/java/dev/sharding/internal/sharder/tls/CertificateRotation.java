package dev.sharding.internal.sharder.tls;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.sharding.internal.sharder.tls.RotationLaw.Span;
import dev.sharding.internal.sharder.tls.RotationLaw.State;
import dev.sharding.internal.sharder.tls.RotationLaw.Step;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what {@link RotationLaw} says on a set of certificates.
 */
final class CertificateRotation {

	private final CertificateTerms terms;

	private final Set<String> hosts;

	CertificateRotation(CertificateTerms terms, Set<String> hosts) {
		this.terms = terms;
		this.hosts = hosts.stream().map(CertificateRotation::asInCertificates).collect(Collectors.toUnmodifiableSet());
	}

	/*
	 * An IPv6 address has many notations, and one that is not found would be missing for
	 * ever.
	 */
	private static String asInCertificates(String host) {
		try {
			return Authority.isIp(host) ? InetAddress.getByName(host).getHostAddress() : host;
		}
		catch (UnknownHostException noAddress) {
			return host;
		}
	}

	Step next(@Nullable CertificateSet set, Instant now) {
		return RotationLaw.next((set != null) ? state(set) : null, this.terms, now);
	}

	CertificateSet perform(Step step, @Nullable CertificateSet set, Instant now) {
		try {
			if (set != null) {
				switch (step.action()) {
					case WAIT:
						return set;
					case NEW_AUTHORITY:
						return newAuthority(set, now);
					case NEW_SERVING:
						return newServing(set, this.hosts, now);
					case MORE_NAMES:
						Set<String> all = new HashSet<>(this.hosts);
						all.addAll(names(Pem.readCertificates(set.certificate()).get(0)));
						return newServing(set, all, now);
					case DROP_OLD_AUTHORITIES:
						return new CertificateSet(Pem.certificate(authorities(set).get(0)), set.authorityKey(),
								set.certificate(), set.key());
					case BEGIN_ANEW:
						break;
				}
			}
		}
		catch (GeneralSecurityException damaged) {
			// Cannot be read, so the law said to begin anew, or will.
		}
		return create(now);
	}

	private CertificateSet create(Instant now) {
		Authority authority = Authority.create(now, this.terms.authority());
		Authority.Issued issued = authority.issue(this.hosts, now, this.terms.serving());
		return new CertificateSet(Pem.certificate(authority.certificate()), Pem.key(authority.key()),
				Pem.certificate(issued.certificate()), Pem.key(issued.key()));
	}

	private CertificateSet newAuthority(CertificateSet set, Instant now) throws GeneralSecurityException {
		Authority authority = Authority.create(now, this.terms.authority());
		List<X509Certificate> trusted = new ArrayList<>(List.of(authority.certificate()));
		trusted.addAll(authorities(set));
		return new CertificateSet(Pem.certificates(trusted), Pem.key(authority.key()), set.certificate(), set.key());
	}

	private CertificateSet newServing(CertificateSet set, Set<String> names, Instant now)
			throws GeneralSecurityException {
		Authority newest = new Authority(authorities(set).get(0), Pem.readKey(set.authorityKey()));
		Duration left = Duration.between(now, newest.certificate().getNotAfter().toInstant());
		Authority.Issued issued = newest.issue(names, now,
				(left.compareTo(this.terms.serving()) < 0) ? left : this.terms.serving());
		return new CertificateSet(set.authorities(), set.authorityKey(), Pem.certificate(issued.certificate()),
				Pem.key(issued.key()));
	}

	/* A set that cannot be read, or served with, counts as none. */
	private @Nullable State state(CertificateSet set) {
		try {
			List<X509Certificate> authorities = authorities(set);
			X509Certificate serving = Pem.readCertificates(set.certificate()).get(0);
			X509Certificate newest = authorities.get(0);
			if (!KeyMatch.matches(Pem.readKey(set.authorityKey()), newest)
					|| !KeyMatch.matches(Pem.readKey(set.key()), serving)) {
				return null;
			}
			return new State(authorities.stream().map(CertificateRotation::span).toList(), span(serving),
					serving.getIssuerX500Principal().equals(newest.getSubjectX500Principal()),
					names(serving).containsAll(this.hosts));
		}
		catch (GeneralSecurityException | RuntimeException unreadable) {
			return null;
		}
	}

	private static List<X509Certificate> authorities(CertificateSet set) throws GeneralSecurityException {
		return Pem.readCertificates(set.authorities());
	}

	private static Span span(X509Certificate certificate) {
		return new Span(certificate.getNotBefore().toInstant().plus(Authority.BACKDATED),
				certificate.getNotAfter().toInstant());
	}

	static Set<String> names(X509Certificate certificate) throws GeneralSecurityException {
		Set<String> names = new HashSet<>();
		Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
		if (alternatives != null) {
			alternatives.forEach((name) -> names.add(String.valueOf(name.get(1))));
		}
		return names;
	}

}

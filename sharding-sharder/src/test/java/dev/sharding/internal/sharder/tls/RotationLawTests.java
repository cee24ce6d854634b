package dev.sharding.internal.sharder.tls;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.sharding.internal.sharder.tls.RotationLaw.Action;
import dev.sharding.internal.sharder.tls.RotationLaw.Span;
import dev.sharding.internal.sharder.tls.RotationLaw.State;
import dev.sharding.internal.sharder.tls.RotationLaw.Step;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RotationLawTests {

	private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

	private static final CertificateTerms TERMS = new CertificateTerms(Duration.ofDays(300), Duration.ofDays(90),
			Duration.ofHours(1));

	private static final Span AUTHORITY = span(0, 300);

	private static final Span SERVING = span(0, 90);

	@Test
	void beginsWithNothing() {
		assertThat(next(null, NOW).action()).isEqualTo(Action.BEGIN_ANEW);
	}

	@Test
	void beginsAnewWithAnExpiredCertificate() {
		State state = new State(List.of(AUTHORITY), SERVING, true, true);
		assertThat(next(state, day(90)).action()).isEqualTo(Action.BEGIN_ANEW);
	}

	@Test
	void renewsTheServingCertificateWhenAThirdIsLeft() {
		State state = new State(List.of(AUTHORITY), SERVING, true, true);
		assertThat(next(state, day(1))).isEqualTo(new Step(Action.WAIT, day(60)));
		assertThat(next(state, day(60)).action()).isEqualTo(Action.NEW_SERVING);
	}

	@Test
	void renewsTheServingCertificateAtOnceForOtherNames() {
		assertThat(next(new State(List.of(AUTHORITY), SERVING, true, false), day(1)).action())
			.isEqualTo(Action.MORE_NAMES);
		assertThat(next(new State(List.of(AUTHORITY, AUTHORITY), SERVING, true, false), day(0)).action())
			.isEqualTo(Action.MORE_NAMES);
	}

	@Test
	void publishesANewAuthorityBeforeItIsUsed() {
		assertThat(next(new State(List.of(AUTHORITY), span(180, 270), true, true), day(200)).action())
			.isEqualTo(Action.NEW_AUTHORITY);
		State published = new State(List.of(span(200, 500), AUTHORITY), span(180, 270), false, true);
		Instant usable = day(200).plus(Duration.ofHours(1));
		assertThat(next(published, day(200))).isEqualTo(new Step(Action.WAIT, usable));
		assertThat(next(published, usable).action()).isEqualTo(Action.NEW_SERVING);
	}

	@Test
	void dropsTheOldAuthorityWhenItIsNotUsedAnyMore() {
		State used = new State(List.of(span(200, 500), AUTHORITY), span(201, 291), true, true);
		Instant unused = day(201).plus(Duration.ofHours(1));
		assertThat(next(used, day(201))).isEqualTo(new Step(Action.WAIT, unused));
		assertThat(next(used, unused).action()).isEqualTo(Action.DROP_OLD_AUTHORITIES);
	}

	@Test
	void doesNotWaitForWhatAClockAheadMade() {
		State serving = new State(List.of(AUTHORITY), span(2, 92), true, true);
		assertThat(next(serving, day(1)).action()).isEqualTo(Action.NEW_SERVING);
		assertThat(next(serving, day(2).minus(Authority.BACKDATED)).action()).isEqualTo(Action.WAIT);
		State authority = new State(List.of(span(2, 302), AUTHORITY), SERVING, false, true);
		assertThat(next(authority, day(1)).action()).isEqualTo(Action.BEGIN_ANEW);
		assertThat(next(authority, day(2).minus(Authority.BACKDATED)).action()).isEqualTo(Action.WAIT);
	}

	private static Step next(State state, Instant now) {
		return RotationLaw.next(state, TERMS, now);
	}

	private static Span span(int from, int to) {
		return new Span(day(from), day(to));
	}

	private static Instant day(int day) {
		return NOW.plus(Duration.ofDays(day));
	}

}

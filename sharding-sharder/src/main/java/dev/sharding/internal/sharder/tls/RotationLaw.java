package dev.sharding.internal.sharder.tls;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Says when to replace what, so that at no moment somebody who trusts the published
 * authorities meets a certificate of another one: a new authority is published first and
 * used after the overlap, an old one is taken out when it was not used for the overlap.
 */
final class RotationLaw {

	private RotationLaw() {
	}

	static Step next(@Nullable State state, CertificateTerms terms, Instant now) {
		if (state == null || !now.isBefore(state.serving().end()) || state.authorities().isEmpty()) {
			return new Step(Action.BEGIN_ANEW, now);
		}
		Span newest = state.authorities().get(0);
		if (isAhead(newest, now)) {
			return new Step(Action.BEGIN_ANEW, now);
		}
		if (isAhead(state.serving(), now)) {
			return new Step(Action.NEW_SERVING, now);
		}
		Instant usable = newest.start().plus(terms.overlap());
		if (!state.servingIsOfNewest()) {
			return at(Action.NEW_SERVING, usable, now);
		}
		if (!state.servesNames()) {
			return new Step(Action.MORE_NAMES, now);
		}
		if (state.authorities().size() > 1) {
			return at(Action.DROP_OLD_AUTHORITIES, state.serving().start().plus(terms.overlap()), now);
		}
		Instant newAuthority = newest.end().minus(third(newest));
		Instant newServing = state.serving().end().minus(third(state.serving()));
		return newAuthority.isAfter(newServing) ? at(Action.NEW_SERVING, newServing, now)
				: at(Action.NEW_AUTHORITY, newAuthority, now);
	}

	private static Step at(Action action, Instant due, Instant now) {
		return now.isBefore(due) ? new Step(Action.WAIT, due) : new Step(action, now);
	}

	/*
	 * Made by a clock so far ahead that it is not valid yet, and would not be replaced
	 * for as long as the clock was ahead.
	 */
	private static boolean isAhead(Span span, Instant now) {
		return now.isBefore(span.start().minus(Authority.BACKDATED));
	}

	private static Duration third(Span span) {
		return Duration.between(span.start(), span.end()).dividedBy(3);
	}

	/**
	 * What to do.
	 */
	enum Action {

		/** Nothing before {@link Step#due()}. */
		WAIT,

		/** There is nothing usable: make an authority and a serving certificate. */
		BEGIN_ANEW,

		/** Make an authority and trust it beside the old one. */
		NEW_AUTHORITY,

		/** Make a serving certificate of the newest authority, for our names only. */
		NEW_SERVING,

		/**
		 * Make a serving certificate of the newest authority, for our names and those of
		 * the present one: another replica may need them, and would take ours away in
		 * turn.
		 */
		MORE_NAMES,

		/** Trust the newest authority only. */
		DROP_OLD_AUTHORITIES

	}

	/**
	 * What to do, and when it is due.
	 */
	record Step(Action action, Instant due) {
	}

	/**
	 * When a certificate was made and until when it is valid.
	 */
	record Span(Instant start, Instant end) {
	}

	/**
	 * What there is.
	 *
	 * @param authorities the trusted authorities, the newest first
	 * @param serving the serving certificate
	 * @param servingIsOfNewest whether the newest authority issued it
	 * @param servesNames whether it is for the names that are asked for
	 */
	record State(List<Span> authorities, Span serving, boolean servingIsOfNewest, boolean servesNames) {
	}

}

package dev.sharding.internal.sharder.webhook;

import java.util.Locale;
import java.util.function.Function;

import dev.sharding.internal.core.assignment.AdmissionDecision;
import dev.sharding.internal.core.assignment.AdmissionDecision.Assign;
import dev.sharding.internal.core.assignment.AdmissionDecision.Leave;
import dev.sharding.internal.core.assignment.AdmissionFacts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers AdmissionReviews: the body of a request to the body of the answer. Safe for use
 * by many threads, does no I/O.
 */
final class AdmissionHandler {

	private static final Logger log = LoggerFactory.getLogger(AdmissionHandler.class);

	private final AdmissionReviews reviews;

	private final Function<String, @Nullable RingView> rings;

	private final boolean watching;

	private final WebhookMetrics metrics;

	/**
	 * Creates a handler.
	 * @param rings name of a ring to what is known of it
	 * @param watching whether a watch assigns what stays unassigned
	 */
	AdmissionHandler(AdmissionReviews reviews, Function<String, @Nullable RingView> rings, boolean watching,
			WebhookMetrics metrics) {
		this.reviews = reviews;
		this.rings = rings;
		this.watching = watching;
		this.metrics = metrics;
	}

	Answer handle(String ring, byte[] body) throws MalformedReviewException {
		AdmissionRequest request = this.reviews.read(body);
		AdmissionDecision decision = decide(ring, request);
		if (decision instanceof Assign && !request.dryRun()) {
			this.metrics.assigned(ring, request.resource());
		}
		if (log.isDebugEnabled()) {
			log.debug("Answered ring={} resource={} object={}/{} dryRun={} decision={}", ring, request.resource(),
					request.object().namespace(), request.object().name(), request.dryRun(), decision);
		}
		return new Answer(this.reviews.write(request, decision), outcome(decision));
	}

	AdmissionDecision decide(String ring, AdmissionRequest request) {
		RingView view = this.rings.apply(ring);
		RingView.Listed listed = (view != null) ? view.listed(request.resource()) : null;
		return AdmissionDecision
			.of(new AdmissionFacts(ring, (view != null) ? view.shards() : null, view != null && view.isOfThePresent(),
					(listed != null) ? listed.role() : null, listed != null && listed.hasControlled(), request.object(),
					request.labels(), this.watching, request.creating()));
	}

	private static String outcome(AdmissionDecision decision) {
		return (decision instanceof Leave leave) ? leave.reason().name().toLowerCase(Locale.ROOT) : "assigned";
	}

	/**
	 * The answer to a request.
	 *
	 * @param body the AdmissionReview to send
	 * @param outcome what it says, for metrics
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Answer(byte[] body, String outcome) {
	}

}

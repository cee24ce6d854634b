package dev.sharding.internal.kubernetes.qos;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import dev.sharding.client.NotSentException;
import dev.sharding.client.QosLimitedException;
import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.core.qos.ActualCost;
import dev.sharding.internal.core.qos.Prediction;
import dev.sharding.internal.core.qos.RequestShape;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Limiter;
import dev.sharding.qos.spi.QosRequest;
import org.jspecify.annotations.Nullable;

/**
 * One request that a rule is about, from the moment it asks to its end.
 */
final class QosPassage implements Passage {

	private final Qos qos;

	private final ApiRequest request;

	private final QosRequest asked;

	private final double requestBytes;

	private final RequestShape shape;

	private final @Nullable Prediction prediction;

	private final KnownMeasures measures;

	private final long askedAt;

	private CompletableFuture<Void> admitted = CompletableFuture.completedFuture(null);

	private @Nullable String rule;

	private Limiter.@Nullable Turn turn;

	private @Nullable Group group;

	private volatile @Nullable Answer answer;

	private volatile boolean waited;

	private volatile long sentAt;

	QosPassage(Qos qos, ApiRequest request, QosRequest asked, double requestBytes, RequestShape shape,
			@Nullable Prediction prediction, KnownMeasures measures) {
		this.measures = measures;
		this.qos = qos;
		this.request = request;
		this.asked = asked;
		this.requestBytes = requestBytes;
		this.shape = shape;
		this.prediction = prediction;
		this.askedAt = qos.now();
		this.sentAt = this.askedAt;
	}

	QosPassage limited(String name, QosMetrics.RuleMeters meters, Group limit, Limiter.Turn given) {
		this.rule = name;
		this.group = limit;
		this.turn = given;
		this.waited = !given.ready().isDone();
		this.admitted = given.ready().handle((ready, refusal) -> {
			this.sentAt = this.qos.now();
			if (this.waited) {
				meters.waited(this.sentAt - this.askedAt);
			}
			if (this.waited || refusal != null) {
				meters.limited();
			}
			if (refusal instanceof Limiter.Refused refused) {
				meters.rejected();
				throw new QosLimitedException(this.request.description(), name,
						Duration.ofNanos(Math.max(1, refused.retryAfterNanos())));
			}
			return null;
		});
		return this;
	}

	@Override
	public CompletableFuture<Void> admitted() {
		return this.admitted;
	}

	@Override
	public void received(ByteBuffer chunk) {
		Answer begun = this.answer;
		if (begun == null) {
			begun = new Answer(this.request, this.asked.operation());
			this.answer = begun;
		}
		begun.read(chunk);
	}

	@Override
	public void ended(@Nullable Throwable failure) {
		// Before the turn is given up, as that completes it.
		boolean wasAdmitted = this.admitted.isDone();
		// Others refuse requests too: what they say is not the rule's doing.
		boolean rejected = failure instanceof QosLimitedException;
		double millis = (this.qos.now() - this.sentAt) / 1e6;
		Answer received = this.answer;
		ActualCost cost = new ActualCost(Answer.items(received), Answer.bytes(received), millis, failure != null);
		try {
			if (wasAdmitted && !(failure instanceof NotSentException)) {
				learn(cost, failure);
			}
		}
		finally {
			// After a pause that the server asked for began: the next in line waits for
			// it.
			if (this.turn != null) {
				this.turn.leave();
			}
		}
		see(cost, rejected);
	}

	private void learn(ActualCost cost, @Nullable Throwable failure) {
		Duration pause = this.qos.server().answered(this.request, failure);
		if (pause != null && this.group != null) {
			this.group.holdFor(pause.toNanos());
		}
		this.qos.metrics().cost(this.prediction, this.measures.answered(), cost);
		this.qos.memory()
			.learn(this.shape, cost, this.qos.now(),
					(first) -> this.qos.meetsARule(this.request, this.asked, this.requestBytes, first));
	}

	private void see(ActualCost cost, boolean rejected) {
		double traffic = this.requestBytes + cost.responseBytes();
		boolean limited = this.rule != null && (rejected || this.waited);
		boolean expensive = QosMonitor.isWorthALook(cost.items(), traffic, cost.latencyMillis());
		if (expensive) {
			this.qos.metrics().expensive();
		}
		if (limited || expensive) {
			this.qos.monitor()
				.add((sequence) -> new SeenRequest(sequence, this.qos.clock().instant(), this.request.description(),
						this.asked.caller().controller(), limited ? this.rule : null,
						(this.sentAt - this.askedAt) / 1e6, rejected, SeenRequest.counted(cost.items()), traffic,
						cost.latencyMillis()));
		}
	}

}

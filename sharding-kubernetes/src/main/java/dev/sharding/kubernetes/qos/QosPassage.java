package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import dev.sharding.core.qos.ActualCost;
import dev.sharding.core.qos.Operation;
import dev.sharding.core.qos.Prediction;
import dev.sharding.core.qos.QosRequest;
import dev.sharding.core.qos.RequestShape;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiResponse;
import dev.sharding.kubernetes.rest.NotSentException;
import dev.sharding.kubernetes.rest.RequestThrottle.Passage;
import org.jspecify.annotations.Nullable;

/**
 * One request, from the moment it asks to its end.
 */
final class QosPassage implements Passage {

	/* From here on a request is worth a look in the monitor. */
	private static final double MANY_ITEMS = 500;

	private static final double MANY_BYTES = 1 << 20;

	private static final double LONG_MILLIS = 1_000;

	private final Qos qos;

	private final ApiRequest request;

	private final QosRequest asked;

	private final double requestBytes;

	/* None for a request that no rule is about: nothing is remembered of it. */
	private final @Nullable RequestShape shape;

	private final @Nullable Prediction prediction;

	private final long askedAt;

	private CompletableFuture<Void> admitted = CompletableFuture.completedFuture(null);

	private @Nullable String rule;

	private Limiter.@Nullable Turn turn;

	private @Nullable Limiter limiter;

	private volatile boolean waited;

	private volatile long sentAt;

	QosPassage(Qos qos, ApiRequest request, QosRequest asked, double requestBytes, @Nullable RequestShape shape,
			@Nullable Prediction prediction) {
		this.qos = qos;
		this.request = request;
		this.asked = asked;
		this.requestBytes = requestBytes;
		this.shape = shape;
		this.prediction = prediction;
		this.askedAt = qos.now();
		this.sentAt = this.askedAt;
	}

	QosPassage limited(String name, QosMetrics.RuleMeters meters, Limiter limit, long cost) {
		meters.matched();
		this.rule = name;
		this.limiter = limit;
		Limiter.Turn given = limit.ask(cost);
		this.turn = given;
		this.waited = !given.ready().isDone();
		this.admitted = given.ready().handle((ready, refusal) -> {
			this.sentAt = this.qos.now();
			if (this.waited) {
				meters.waited(this.sentAt - this.askedAt);
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
	public void ended(@Nullable ApiResponse answer, @Nullable Throwable failure) {
		if (this.turn != null) {
			this.turn.leave();
		}
		boolean rejected = failure instanceof NotSentException;
		ApiException refusal = (failure != null && !rejected) ? ApiException.of(failure) : null;
		double millis = (this.qos.now() - this.sentAt) / 1e6;
		ActualCost cost = new ActualCost(items(answer), (answer != null) ? answer.bytes().length : 0, millis,
				failure != null);
		if (!rejected && this.admitted.isDone()) {
			learn(cost, refusal);
		}
		see(cost, rejected);
	}

	private void learn(ActualCost cost, @Nullable ApiException refusal) {
		boolean pressed = refusal != null && (refusal.status() == 429 || refusal.status() == 503);
		this.qos.server().answered(pressed);
		Duration pause = (refusal != null) ? refusal.retryAfter() : null;
		if (pressed && pause != null && this.limiter != null) {
			this.limiter.holdFor(pause.toNanos());
		}
		if (this.shape != null) {
			this.qos.metrics().cost(this.prediction, cost);
			this.qos.memory().learn(this.shape, cost, this.qos.now());
		}
	}

	private double items(@Nullable ApiResponse answer) {
		if (this.asked.operation() == Operation.GET) {
			return 1;
		}
		return (this.shape != null && this.asked.operation() == Operation.LIST && answer != null)
				? ItemCounter.count(answer.bytes()) : Double.NaN;
	}

	private void see(ActualCost cost, boolean rejected) {
		double traffic = this.requestBytes + cost.responseBytes();
		boolean limited = this.rule != null && (rejected || this.waited);
		if (limited || cost.items() >= MANY_ITEMS || traffic >= MANY_BYTES || cost.latencyMillis() >= LONG_MILLIS) {
			this.qos.monitor()
				.add((sequence) -> new SeenRequest(sequence, this.qos.clock().instant(), this.request.description(),
						this.asked.caller().controller(), limited ? this.rule : null,
						(this.sentAt - this.askedAt) / 1e6, rejected, cost.items(), traffic, cost.latencyMillis()));
		}
	}

}

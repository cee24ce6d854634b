package dev.sharding.internal.kubernetes.reconcile;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.reconcile.queue.Priority;
import dev.sharding.internal.kubernetes.reconcile.queue.QueueMetrics;
import dev.sharding.internal.kubernetes.reconcile.queue.QueueState;
import dev.sharding.internal.kubernetes.reconcile.queue.WorkQueue;
import dev.sharding.internal.kubernetes.usercode.UserCode;

/**
 * The meters of one controller, under the names of controller-runtime where they mean the
 * same, so that existing dashboards work.
 */
final class ControllerMetrics implements QueueMetrics {

	private final Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);

	private final Timer reconcileTime;

	private final Counter errors;

	private final Counter adds;

	private final Counter retries;

	private final Timer queueTime;

	private final Timer workTime;

	ControllerMetrics(MeterRegistry meters, String controller) {
		Tags tags = Tags.of("controller", controller);
		Tags queueTags = tags.and("name", controller);
		for (Outcome outcome : Outcome.values()) {
			this.outcomes.put(outcome,
					Counter.builder("controller.runtime.reconcile")
						.description("Reconciles by what they asked for")
						.tags(tags.and("result", outcome.text))
						.register(meters));
		}
		this.errors = Counter.builder("controller.runtime.reconcile.errors")
			.description("Reconciles that failed, aside from writes that were refused or had to wait")
			.tags(tags)
			.register(meters);
		this.reconcileTime = Timer.builder("controller.runtime.reconcile.time")
			.description("How long a reconcile took")
			.tags(tags)
			.register(meters);
		this.adds = Counter.builder("workqueue.adds")
			.description("Additions to the queue, repeated ones included")
			.tags(queueTags)
			.register(meters);
		this.retries = Counter.builder("workqueue.retries")
			.description("Objects that come back after a failure")
			.tags(queueTags)
			.register(meters);
		this.queueTime = Timer.builder("workqueue.queue.duration")
			.description("How long an object waited for a worker")
			.tags(queueTags)
			.register(meters);
		this.workTime = Timer.builder("workqueue.work.duration")
			.description("How long the work on an object took, drains and looks included")
			.tags(queueTags)
			.register(meters);
	}

	static void registerGauges(MeterRegistry meters, ControllerSpec<?> spec, WorkQueue<?> queue) {
		Tags tags = Tags.of("controller", spec.name());
		Tags queueTags = tags.and("name", spec.name());
		Gauge.builder("controller.runtime.max.concurrent.reconciles", spec::concurrency)
			.description("How many objects the controller reconciles at a time")
			.tags(tags)
			.register(meters);
		Gauge.builder("controller.runtime.active.workers", () -> queue.read(QueueState::busy))
			.description("Objects that are worked on, without drains that only wait for an answer")
			.tags(tags)
			.register(meters);
		for (Priority priority : Priority.values()) {
			Gauge.builder("workqueue.depth", () -> queue.read((state) -> state.waiting(priority)))
				.description("Objects that wait for a worker")
				.tags(queueTags.and("priority", priority.name().toLowerCase(Locale.ROOT)))
				.register(meters);
		}
		TimeGauge
			.builder("workqueue.unfinished.work", () -> queue.read((state) -> state.running(queue.now())[0]),
					TimeUnit.NANOSECONDS)
			.description(
					"Sum of the time that running work has taken so far, without drains that only wait for an answer")
			.tags(queueTags)
			.register(meters);
		TimeGauge
			.builder("workqueue.longest.running.processor", () -> queue.read((state) -> state.running(queue.now())[1]),
					TimeUnit.NANOSECONDS)
			.description(
					"Time that the longest of the running work has taken so far, without drains that only wait for an answer")
			.tags(queueTags)
			.register(meters);
	}

	/** How a result is called in meters and observations. */
	static String text(Result result) {
		return outcome(result).text;
	}

	/** How a failure is called in meters and observations. */
	static String text(Throwable failure) {
		return outcome(Failure.of(failure).kind()).text;
	}

	private static Outcome outcome(Result result) {
		return result.isDone() ? Outcome.SUCCESS
				: result.equals(Result.requeue()) ? Outcome.REQUEUE : Outcome.REQUEUE_AFTER;
	}

	private static Outcome outcome(Failure.Kind kind) {
		return switch (kind) {
			case FENCED -> Outcome.FENCED;
			case LIMITED -> Outcome.LIMITED;
			case CONFLICT, ERROR -> Outcome.ERROR;
		};
	}

	void reconciled(Result result, long nanos) {
		count(outcome(result));
		record(this.reconcileTime, nanos);
	}

	private static void record(Timer timer, long nanos) {
		UserCode.aside(() -> timer.record(nanos, TimeUnit.NANOSECONDS));
	}

	/**
	 * A write that was refused is no error, as the object is somebody else's business;
	 * nor is one that has to wait.
	 */
	void failed(Throwable failure, long nanos) {
		Outcome outcome = outcome(Failure.of(failure).kind());
		count(outcome);
		if (outcome == Outcome.ERROR) {
			UserCode.aside(this.errors::increment);
		}
		record(this.reconcileTime, nanos);
	}

	private void count(Outcome outcome) {
		Counter counter = this.outcomes.get(outcome);
		if (counter != null) {
			UserCode.aside(counter::increment);
		}
	}

	@Override
	public void added() {
		UserCode.aside(this.adds::increment);
	}

	@Override
	public void taken(long waitedNanos) {
		record(this.queueTime, waitedNanos);
	}

	@Override
	public void worked(long workedNanos) {
		record(this.workTime, workedNanos);
	}

	@Override
	public void retried() {
		UserCode.aside(this.retries::increment);
	}

	private enum Outcome {

		SUCCESS("success"), ERROR("error"), REQUEUE("requeue"), REQUEUE_AFTER("requeue_after"),

		FENCED("fenced"), LIMITED("limited");

		private final String text;

		Outcome(String text) {
			this.text = text;
		}

	}

}

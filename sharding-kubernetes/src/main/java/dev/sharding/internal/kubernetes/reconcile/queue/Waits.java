package dev.sharding.internal.kubernetes.reconcile.queue;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import dev.sharding.controller.Backoff;
import dev.sharding.internal.kubernetes.handover.DrainPauses;

/**
 * How long an object waits until it is worked on again, in nanoseconds. What is waited
 * for at least is stretched by the jitter of the back-off, so that objects that were told
 * the same moment do not all come in it.
 *
 * @param backoff how long it waits after a failure
 */
public record Waits(Backoff backoff) {

	/** After so many refused writes in a row, it is no accident. */
	public static final int REFUSALS_TO_WARN = 3;

	/*
	 * If the object is still ours, or is ours again, it is looked at afresh; without a
	 * Lease the queue is emptied before. It grows for what is refused for ever.
	 */
	private static final Backoff REFUSED = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5), 0.2);

	long afterFailure(Priority of, int failures, Duration atLeast) {
		Backoff law = (of == Priority.HIGH) ? DrainPauses.BACKOFF : this.backoff;
		return Math.max(Backoff.nanos(atLeast), law.delayNanos(failures, random()));
	}

	long asTold(Duration wait) {
		long asked = Backoff.nanos(wait);
		return asked + (long) (asked * this.backoff.jitter() * random());
	}

	long afterRefusal(Priority of, int refusals) {
		return ((of == Priority.HIGH) ? DrainPauses.BACKOFF : REFUSED).delayNanos(refusals + 1 - REFUSALS_TO_WARN,
				random());
	}

	private static double random() {
		return ThreadLocalRandom.current().nextDouble();
	}

}

package dev.sharding.internal.sharder;

import java.time.Duration;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingStatus;
import dev.sharding.internal.sharder.ring.RingReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the status of one ring to the latest report: one write at a time, a short wait
 * before each so that a burst of changes costs one, and another try after a failure.
 * Lives on the sharder's thread.
 */
final class RingStatusLoop {

	private static final Logger log = LoggerFactory.getLogger(RingStatusLoop.class);

	private static final Duration GATHER = Duration.ofMillis(100);

	private static final Duration AGAIN = Duration.ofSeconds(2);

	private static final int MOST_DOUBLINGS = 5;

	private final SharderParts parts;

	private @Nullable ControllerRing ring;

	private @Nullable RingReport report;

	/* What was written last, as long as the ring was not seen since. */
	private @Nullable ControllerRingStatus written;

	private int failures;

	private boolean scheduled;

	private boolean writing;

	private boolean closed;

	RingStatusLoop(SharderParts parts) {
		this.parts = parts;
	}

	void seen() {
		if (!this.writing) {
			this.written = null;
		}
	}

	void report(ControllerRing latest, RingReport facts) {
		this.ring = latest;
		this.report = facts;
		schedule(GATHER);
	}

	void close() {
		this.closed = true;
	}

	private void schedule(Duration delay) {
		if (!this.scheduled && !this.writing && !this.closed) {
			this.scheduled = true;
			this.parts.loop().schedule(this::write, delay);
		}
	}

	private void write() {
		this.scheduled = false;
		ControllerRing current = this.ring;
		RingReport facts = this.report;
		if (this.closed || this.writing || current == null || facts == null) {
			return;
		}
		this.writing = true;
		this.parts.statusWriter().write(current, this.written, facts).whenComplete((status, failure) -> {
			this.parts.loop().execute(() -> {
				this.writing = false;
				if (failure != null) {
					log.warn("{} ring={}", ApiException.of(failure).getMessage(), current.getMetadata().getName());
					schedule(AGAIN.multipliedBy(1L << Math.min(this.failures++, MOST_DOUBLINGS)));
				}
				else {
					this.failures = 0;
					this.written = status;
					if (this.report != facts || this.ring != current) {
						schedule(GATHER);
					}
				}
			});
		});
	}

}

package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.function.LongSupplier;

import dev.sharding.client.ApiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one reflector fares. Written by its thread, read by any.
 */
public final class ReflectorStatus {

	private static final Logger logger = LoggerFactory.getLogger(Informer.class);

	private static final Set<Integer> REFUSALS = Set.of(403, 404);

	private final String name;

	private final InstantSource clock;

	private final LongSupplier nanos;

	private final Runnable changed;

	private volatile boolean watching;

	private volatile @Nullable Failing failing;

	private volatile @Nullable String lastError;

	ReflectorStatus(String name, InstantSource clock, LongSupplier nanos, Runnable changed) {
		this.name = name;
		this.clock = clock;
		this.nanos = nanos;
		this.changed = changed;
	}

	boolean isWatching() {
		return this.watching;
	}

	@Nullable Instant failingSince() {
		Failing present = this.failing;
		return (present != null) ? present.since() : null;
	}

	/**
	 * How long it has been failing, zero if it is not. A jump of the clock is no time.
	 */
	Duration failingFor() {
		Failing present = this.failing;
		return (present != null) ? Duration.ofNanos(this.nanos.getAsLong() - present.nanos()) : Duration.ZERO;
	}

	/**
	 * Whether it is failing because the API server answered that there is no such
	 * resource, or that nobody may read it: to ask again will not help soon.
	 */
	boolean isRefused() {
		Failing present = this.failing;
		return present != null && present.refused();
	}

	/**
	 * Whether it is failing because no answer of the API server came the last time.
	 */
	boolean isUnanswered() {
		Failing present = this.failing;
		return present != null && present.unanswered();
	}

	@Nullable String lastError() {
		return this.lastError;
	}

	public void listed(int objects) {
		logger.info("Informer listed its scope: informer={} objects={}", this.name, objects);
		this.changed.run();
	}

	/** A watch is open and its scope was listed: nothing is missing. */
	public void opened() {
		Failing past = this.failing;
		if (past != null) {
			logger.info("Informer recovered: informer={} failingSince={}", this.name, past.since());
		}
		this.failing = null;
		this.watching = true;
		this.changed.run();
	}

	public void closed() {
		if (this.watching) {
			this.watching = false;
			this.changed.run();
		}
	}

	/** A list or a watch failed, or something on the way that never should. */
	public void failed(Throwable cause) {
		String error = (cause instanceof ApiException) ? String.valueOf(cause.getMessage()) : cause.toString();
		boolean refused = cause instanceof ApiException answer && REFUSALS.contains(answer.status());
		boolean unanswered = !(cause instanceof ApiException answer && answer.isAnswered());
		this.lastError = error;
		Failing before = this.failing;
		this.failing = (before != null) ? new Failing(before.since(), before.nanos(), refused, unanswered)
				: new Failing(this.clock.instant(), this.nanos.getAsLong(), refused, unanswered);
		if (before == null) {
			logger.warn("Informer is failing and keeps trying: informer={} error=\"{}\"", this.name, error);
		}
		else {
			logger.debug("Informer is still failing: informer={} error=\"{}\"", this.name, error);
		}
		this.changed.run();
	}

	private record Failing(Instant since, long nanos, boolean refused, boolean unanswered) {
	}

}

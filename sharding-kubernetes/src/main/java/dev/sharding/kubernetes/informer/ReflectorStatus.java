package dev.sharding.kubernetes.informer;

import java.time.Instant;
import java.time.InstantSource;

import dev.sharding.kubernetes.rest.ApiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one reflector fares. Written by its thread, read by any.
 */
final class ReflectorStatus {

	private static final Logger logger = LoggerFactory.getLogger(Informer.class);

	private final String name;

	private final InstantSource clock;

	private final Runnable changed;

	private volatile boolean watching;

	private volatile @Nullable Instant failingSince;

	private volatile @Nullable String lastError;

	ReflectorStatus(String name, InstantSource clock, Runnable changed) {
		this.name = name;
		this.clock = clock;
		this.changed = changed;
	}

	boolean isWatching() {
		return this.watching;
	}

	@Nullable Instant failingSince() {
		return this.failingSince;
	}

	@Nullable String lastError() {
		return this.lastError;
	}

	void listed(int objects) {
		logger.info("Informer listed its scope: informer={} objects={}", this.name, objects);
		this.changed.run();
	}

	/** A watch is open and its scope was listed: nothing is missing. */
	void opened() {
		Instant since = this.failingSince;
		if (since != null) {
			logger.info("Informer recovered: informer={} failingSince={}", this.name, since);
		}
		this.failingSince = null;
		this.watching = true;
		this.changed.run();
	}

	void closed() {
		if (this.watching) {
			this.watching = false;
			this.changed.run();
		}
	}

	void failed(ApiException cause) {
		this.lastError = cause.getMessage();
		if (this.failingSince == null) {
			this.failingSince = this.clock.instant();
			logger.warn("Informer is failing and keeps trying: informer={} error=\"{}\"", this.name,
					cause.getMessage());
		}
		else {
			logger.debug("Informer is still failing: informer={} error=\"{}\"", this.name, cause.getMessage());
		}
		this.changed.run();
	}

}

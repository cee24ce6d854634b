package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.lease.LeaseStatus.Phase;

/**
 * Tells the rest of the process how the Lease stands: status, listeners, future, meters,
 * log. Written on the loop, read from everywhere.
 */
final class LeaseReports {

	private static final Logger logger = LoggerFactory.getLogger(LeaseHolder.class);

	private final String lease;

	private final LeaseMetrics metrics;

	private final List<LeaseListener> listeners = new CopyOnWriteArrayList<>();

	private volatile LeaseStatus status = new LeaseStatus(Phase.STOPPED, null, null, null, null);

	private volatile CompletableFuture<LeaseTerm> held = new CompletableFuture<>();

	private @Nullable String waitingFor;

	private @Nullable Instant failingSince;

	private @Nullable String lastError;

	LeaseReports(LeaseHolderConfig config, MeterRegistry registry) {
		this.lease = config.path();
		this.metrics = new LeaseMetrics(registry, config.namespace(), config.leaseName(),
				() -> this.status.term() != null);
	}

	LeaseStatus status() {
		return this.status;
	}

	CompletableFuture<LeaseTerm> held() {
		return this.held;
	}

	void add(LeaseListener listener) {
		this.listeners.add(listener);
	}

	void publish(Phase phase, @Nullable LeaseTerm term) {
		this.status = new LeaseStatus(phase, term, this.waitingFor, this.failingSince, this.lastError);
	}

	@Nullable String lastError() {
		return this.lastError;
	}

	void waiting(@Nullable String holder) {
		if (holder != null && !holder.equals(this.waitingFor)) {
			logger.info("Waiting for Lease lease={} heldBy={}", this.lease, holder);
		}
		this.waitingFor = holder;
	}

	void written(Duration took) {
		this.metrics.written(took);
		answered();
	}

	void answered() {
		if (this.failingSince != null) {
			logger.info("Lease can be reached again lease={} failingSince={}", this.lease, this.failingSince);
		}
		this.failingSince = null;
		this.lastError = null;
	}

	void failing(String operation, @Nullable LeaseApiException failure, Instant now) {
		this.metrics.failed();
		this.lastError = "Failed to %s Lease %s: %s".formatted(operation, this.lease,
				(failure != null) ? failure.getMessage() : "no Lease in the answer");
		if (this.failingSince == null) {
			this.failingSince = now;
			logger.warn(this.lastError);
		}
		else {
			logger.debug(this.lastError);
		}
	}

	void acquired(LeaseTerm term) {
		logger.info("Acquired Lease lease={} term={}", this.lease, term.number());
		this.waitingFor = null;
		publish(Phase.HELD, term);
		CompletableFuture<LeaseTerm> future = this.held;
		tell((listener) -> listener.acquired(term));
		future.completeAsync(() -> term, LeaseNews.EXECUTOR);
	}

	void lost(LeaseTerm term, Phase next, String reason) {
		logger.warn("Lost Lease lease={} term={} reason={}", this.lease, term.number(), reason);
		this.metrics.lost();
		this.lastError = reason;
		this.held = new CompletableFuture<>();
		publish(next, null);
		tell((listener) -> listener.lost(term, reason));
	}

	void failed(RuntimeException failure) {
		logger.error("Gave up on Lease lease={}", this.lease, failure);
		this.lastError = failure.getMessage();
		CompletableFuture<LeaseTerm> future = this.held;
		this.held = new CompletableFuture<>();
		this.held.completeExceptionally(failure);
		publish(Phase.FAILED, null);
		tell((listener) -> listener.failed(failure));
		future.completeAsync(() -> {
			throw failure;
		}, LeaseNews.EXECUTOR);
	}

	void begun() {
		if (this.held.isDone()) {
			this.held = new CompletableFuture<>();
		}
	}

	void released(@Nullable String failure) {
		if (failure == null) {
			logger.info("Released Lease lease={}", this.lease);
		}
		else {
			logger.warn("Failed to release Lease {}: {}", this.lease, failure);
		}
		this.waitingFor = null;
	}

	void close() {
		this.metrics.close();
	}

	private void tell(Consumer<LeaseListener> event) {
		for (LeaseListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				logger.error("Listener of Lease {} failed", this.lease, ex);
			}
		}
	}

}

package dev.sharding.internal.sharder.http;

import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Counts the open connections of a listener, and what it refused and why.
 */
public final class ServerMetrics {

	private final MeterRegistry registry;

	private final String listener;

	private final AtomicInteger open = new AtomicInteger();

	/**
	 * Creates metrics.
	 * @param registry where they live
	 * @param listener the name of the listener
	 */
	public ServerMetrics(MeterRegistry registry, String listener) {
		this.registry = registry;
		this.listener = listener;
	}

	/**
	 * Counts what was refused.
	 * @param reason {@code connections}, {@code idle}, {@code handshakes},
	 * {@code malformed}, {@code pipelined}, or the HTTP status
	 */
	public void refused(String reason) {
		this.registry
			.counter("controller.sharding.server.refused", Tags.of("listener", this.listener, "reason", reason))
			.increment();
	}

	void listening() {
		Gauge.builder("controller.sharding.server.connections", this.open, AtomicInteger::get)
			.tags("listener", this.listener)
			.strongReference(true)
			.register(this.registry);
	}

	/** Counts one more connection unless there are {@code most} already. */
	boolean opened(int most) {
		return this.open.getAndUpdate((count) -> Math.min(most, count + 1)) < most;
	}

	void closed() {
		this.open.decrementAndGet();
	}

}

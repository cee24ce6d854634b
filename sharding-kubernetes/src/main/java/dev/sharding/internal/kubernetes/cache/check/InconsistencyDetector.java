package dev.sharding.internal.kubernetes.cache.check;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.informer.CheckResult;
import dev.sharding.internal.kubernetes.informer.CheckResult.Outcome;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.ServedRead;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Compares each cache with the API server every so often, and reads as they are handed
 * in.
 */
public final class InconsistencyDetector {

	private static final Logger logger = LoggerFactory.getLogger(InconsistencyDetector.class);

	private static final int SHOWN = 20;

	private final long periodNanos;

	private final MeterRegistry meters;

	private final LongSupplier nanos;

	private final Map<InformerKey, Long> checkedAt = new ConcurrentHashMap<>();

	private final Set<InformerKey> running = ConcurrentHashMap.newKeySet();

	private final List<InconsistencyListener> listeners = new CopyOnWriteArrayList<>();

	public InconsistencyDetector(ReadOptions options, MeterRegistry meters, LongSupplier nanos) {
		this.periodNanos = options.checkPeriod().toNanos();
		this.meters = meters;
		this.nanos = nanos;
	}

	public void addListener(InconsistencyListener listener) {
		this.listeners.add(listener);
	}

	public boolean isOn() {
		return this.periodNanos != 0;
	}

	/** Begins the comparisons that are due; to be called about once a second. */
	public void tick(Map<InformerKey, OverlaidStore<?>> stores) {
		if (!isOn()) {
			return;
		}
		stores.forEach((key, store) -> {
			Long last = this.checkedAt.get(key);
			long now = this.nanos.getAsLong();
			if ((last == null || now - last >= this.periodNanos) && this.running.add(key)) {
				this.checkedAt.put(key, now);
				try {
					check(key, store.informer());
				}
				catch (RuntimeException ex) {
					// A registry of the user may refuse a counter.
					this.running.remove(key);
					throw ex;
				}
			}
		});
	}

	private void check(InformerKey key, Informer<?> informer) {
		Function<Outcome, Counter> checks = counters("sharding.cache.checks",
				"Comparisons of caches with the API server", key.type());
		informer.check().whenComplete((results, failure) -> {
			this.running.remove(key);
			if (failure != null) {
				logger.warn("Failed to compare a cache with the API server resource={} reason=\"{}\"", key,
						failure.getMessage());
				return;
			}
			results.forEach((result) -> note(key.type(), result, checks));
		});
	}

	/**
	 * Compares what a read was answered with.
	 * @return completes with the verdict
	 */
	CompletableFuture<Outcome> check(Informer<?> informer, ServedRead served) {
		ResourceType<?> type = informer.spec().type();
		Function<Outcome, Counter> checks = counters("sharding.cache.read.checks",
				"Comparisons of reads that memory answered with the API server", type);
		return informer.check(served).thenApply((result) -> {
			checks.apply(result.outcome()).increment();
			if (result.outcome() == Outcome.MISMATCH) {
				logger.error(
						"Cache differs from the API server in a read that it answered, listing anew resource={} version={}"
								+ " differing={} keys={}",
						type, result.version(), result.differing().size(), shown(result));
				this.listeners.forEach((listener) -> listener.foundInRead(type, result));
			}
			return result.outcome();
		});
	}

	private void note(ResourceType<?> type, CheckResult result, Function<Outcome, Counter> checks) {
		checks.apply(result.outcome()).increment();
		if (result.outcome() == Outcome.MISMATCH) {
			logger.error("Cache differs from the API server, listing anew resource={} version={} differing={} keys={}",
					type, result.version(), result.differing().size(), shown(result));
			this.listeners.forEach((listener) -> listener.found(type, result));
		}
	}

	/* All of them from the start: what begins with one has not increased. */
	private Function<Outcome, Counter> counters(String name, String description, ResourceType<?> type) {
		Function<Outcome, Counter> counters = (outcome) -> Counter.builder(name)
			.description(description)
			.tags("resource", type.toString(), "result", ReadMeters.name(outcome))
			.register(this.meters);
		for (Outcome outcome : Outcome.values()) {
			counters.apply(outcome).increment(0);
		}
		return counters;
	}

	private static List<ObjectKey> shown(CheckResult result) {
		return result.differing().subList(0, Math.min(SHOWN, result.differing().size()));
	}

}

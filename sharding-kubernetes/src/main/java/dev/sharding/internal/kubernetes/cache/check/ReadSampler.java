package dev.sharding.internal.kubernetes.cache.check;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.informer.CheckResult.Outcome;
import dev.sharding.internal.kubernetes.informer.ServedRead;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;

/**
 * Hands a sample of what memory answers to the detector, one at a time. A reader does no
 * more than to begin the comparison.
 */
public final class ReadSampler {

	private static final Duration PAUSE = Duration.ofSeconds(10);

	private final double rate;

	private final InconsistencyDetector detector;

	private final AtomicBoolean comparing = new AtomicBoolean();

	public ReadSampler(double rate, InconsistencyDetector detector) {
		this.rate = rate;
		this.detector = detector;
	}

	/** Reads from a view, and maybe has the answer compared. */
	public <T extends HasMetadata, R extends @Nullable Object> R read(OverlaidStore<T> store, StoreView<T> view,
			Function<StoreView<T>, R> reading) {
		if (!isWanted(view)) {
			return reading.apply(view);
		}
		SampledView<T> sampled = new SampledView<>(store, view);
		boolean begun = false;
		try {
			R result = reading.apply(sampled);
			ServedRead served = sampled.served();
			if (served != null) {
				this.detector.check(store.informer(), served).whenComplete((outcome, failure) -> ended(outcome));
				begun = true;
			}
			return result;
		}
		finally {
			if (!begun) {
				this.comparing.set(false);
			}
		}
	}

	/* Until the scope is listed anew, every read would tell the same. */
	private void ended(@Nullable Outcome outcome) {
		if (outcome == Outcome.MISMATCH) {
			ProtocolThreads.later(PAUSE, () -> this.comparing.set(false));
		}
		else {
			this.comparing.set(false);
		}
	}

	private boolean isWanted(StoreView<?> view) {
		return this.rate > 0 && !(view instanceof ListedView) && ThreadLocalRandom.current().nextDouble() < this.rate
				&& this.comparing.compareAndSet(false, true);
	}

}

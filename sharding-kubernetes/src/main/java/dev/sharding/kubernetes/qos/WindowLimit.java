package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import dev.sharding.core.qos.Admission;
import dev.sharding.core.qos.QosClass.RunningWindow;
import dev.sharding.core.qos.RunningWindowState;
import org.jspecify.annotations.Nullable;

/**
 * So many units in any window.
 */
final class WindowLimit implements Limiter {

	private final RunningWindow limit;

	private final long longestWait;

	private final LongSupplier nanoTime;

	private final AtomicReference<RunningWindowState> state;

	/* Who goes on from this one's state, and so must know what holds this one back. */
	private volatile @Nullable WindowLimit successor;

	WindowLimit(RunningWindow limit, Duration longestWait, LongSupplier nanoTime, @Nullable WindowLimit before) {
		this.limit = limit;
		this.longestWait = longestWait.toNanos();
		this.nanoTime = nanoTime;
		long now = nanoTime.getAsLong();
		this.state = new AtomicReference<>((before != null) ? before.state.get().changed(before.limit, limit, now)
				: RunningWindowState.empty(now));
		if (before != null) {
			before.successor = this;
		}
	}

	@Override
	public Turn ask(long cost) {
		while (true) {
			RunningWindowState before = this.state.get();
			long now = this.nanoTime.getAsLong();
			Admission<RunningWindowState> answer = before.reserve(this.limit, cost, now, this.longestWait);
			if (answer instanceof Admission.Refused<RunningWindowState> refused) {
				return TimedTurn.refused(refused.retryAfterNanos());
			}
			Admission.Granted<RunningWindowState> granted = (Admission.Granted<RunningWindowState>) answer;
			if (this.state.compareAndSet(before, granted.next())) {
				return TimedTurn.after(granted.waitNanos(), () -> giveBack(cost, now + granted.waitNanos()));
			}
		}
	}

	/*
	 * Whoever goes on from this one's state counts in times of his own, and does without.
	 */
	private void giveBack(long cost, long due) {
		this.state.updateAndGet((before) -> before.giveBack(this.limit, cost, due));
	}

	@Override
	public boolean isIdle() {
		return this.state.get().isEmpty(this.limit, this.nanoTime.getAsLong());
	}

	@Override
	public void holdFor(long nanos) {
		this.state.updateAndGet((before) -> before.holdUntil(this.nanoTime.getAsLong() + nanos));
		WindowLimit next = this.successor;
		if (next != null) {
			next.holdFor(nanos);
		}
	}

}

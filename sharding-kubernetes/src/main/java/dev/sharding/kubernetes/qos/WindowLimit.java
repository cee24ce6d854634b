package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import dev.sharding.core.qos.Admission;
import dev.sharding.core.qos.QosClass.RunningWindow;
import dev.sharding.core.qos.RunningWindowState;

/**
 * So many units in any window. A request that gives up its wait keeps its place.
 */
final class WindowLimit implements Limiter {

	private final RunningWindow limit;

	private final long longestWait;

	private final LongSupplier nanoTime;

	private final AtomicReference<RunningWindowState> state;

	WindowLimit(RunningWindow limit, Duration longestWait, LongSupplier nanoTime) {
		this.limit = limit;
		this.longestWait = longestWait.toNanos();
		this.nanoTime = nanoTime;
		this.state = new AtomicReference<>(RunningWindowState.empty(nanoTime.getAsLong()));
	}

	@Override
	public Turn ask(long cost) {
		while (true) {
			RunningWindowState before = this.state.get();
			Admission<RunningWindowState> answer = before.reserve(this.limit, cost, this.nanoTime.getAsLong(),
					this.longestWait);
			if (answer instanceof Admission.Refused<RunningWindowState> refused) {
				return TimedTurn.refused(refused.retryAfterNanos());
			}
			Admission.Granted<RunningWindowState> granted = (Admission.Granted<RunningWindowState>) answer;
			if (this.state.compareAndSet(before, granted.next())) {
				return TimedTurn.after(granted.waitNanos(), () -> {
				});
			}
		}
	}

}

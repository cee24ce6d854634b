package dev.sharding.internal.kubernetes.qos.limit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import dev.sharding.internal.core.qos.Admission;
import dev.sharding.internal.core.qos.RunningWindowState;
import dev.sharding.qos.spi.Limiter;
import dev.sharding.qos.spi.QosClass.RunningWindow;
import org.jspecify.annotations.Nullable;

/**
 * So many units in any window.
 */
final class WindowLimit implements Limiter, Reservations {

	private final RunningWindow limit;

	private final Runnable forget;

	private final LongSupplier nanoTime;

	private final AtomicReference<RunningWindowState> state;

	private final ReservingRateLimiter published;

	/* Who goes on from this one's state, and so must know what holds this one back. */
	private volatile @Nullable WindowLimit successor;

	/**
	 * Creates a limit.
	 * @param forget takes it out of its registry
	 */
	WindowLimit(String name, RunningWindow limit, Duration longestWait, Runnable forget, LongSupplier nanoTime,
			@Nullable WindowLimit before) {
		this.limit = limit;
		this.forget = forget;
		this.nanoTime = nanoTime;
		long now = nanoTime.getAsLong();
		this.state = new AtomicReference<>((before != null) ? before.state.get().changed(before.limit, limit, now)
				: RunningWindowState.empty(now));
		this.published = new ReservingRateLimiter(name, limit.units(), limit.window(), longestWait, this);
		if (before != null) {
			before.successor = this;
		}
	}

	/** What Resilience4j's registry shows of it. */
	ReservingRateLimiter published() {
		return this.published;
	}

	@Override
	public Turn ask(long cost) {
		long now = this.nanoTime.getAsLong();
		Admission<RunningWindowState> answer = book(cost, now, this.published.longestWaitNanos());
		if (answer instanceof Admission.Refused<RunningWindowState> refused) {
			return TimedTurn.refused(refused.retryAfterNanos(), () -> this.published.announce(cost, false));
		}
		long wait = ((Admission.Granted<RunningWindowState>) answer).waitNanos();
		return TimedTurn.after(wait, () -> giveBack(cost, now + wait), () -> this.published.announce(cost, true));
	}

	@Override
	public long reserve(long units, long longestNanos) {
		Admission<RunningWindowState> answer = book(units, this.nanoTime.getAsLong(), longestNanos);
		return (answer instanceof Admission.Granted<RunningWindowState> granted) ? granted.waitNanos() : -1;
	}

	private Admission<RunningWindowState> book(long cost, long now, long longestNanos) {
		while (true) {
			RunningWindowState before = this.state.get();
			Admission<RunningWindowState> answer = before.reserve(this.limit, cost, now, longestNanos);
			if (!(answer instanceof Admission.Granted<RunningWindowState> granted)) {
				return answer;
			}
			if (this.state.compareAndSet(before, granted.next())) {
				return answer;
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
	public void withhold(long units) {
		this.state.updateAndGet((before) -> before.withhold(this.limit, units, this.nanoTime.getAsLong()));
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

	@Override
	public void retire() {
		this.forget.run();
	}

	@Override
	public void drain() {
		holdFor(this.limit.window().toNanos());
	}

	@Override
	public long available() {
		return this.limit.units() - this.state.get().used(this.limit, this.nanoTime.getAsLong());
	}

}

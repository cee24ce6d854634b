package dev.sharding.internal.kubernetes.qos.limit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import dev.sharding.internal.core.qos.Admission;
import dev.sharding.internal.core.qos.TokenBucketState;
import dev.sharding.qos.spi.Limiter;
import dev.sharding.qos.spi.QosClass.TokenBucket;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket of our own, since Resilience4j's limiter works in fixed cycles: at the
 * border of two cycles it lets twice its limit through, also with a limit of 1, so that
 * two requests of a leaky bucket could go at once.
 */
final class BucketLimit implements Limiter, Reservations {

	private final TokenBucket limit;

	private final Runnable forget;

	private final LongSupplier nanoTime;

	private final AtomicReference<TokenBucketState> state;

	private final ReservingRateLimiter published;

	/* Who goes on from this one's state, and so must know what holds this one back. */
	private volatile @Nullable BucketLimit successor;

	/**
	 * Creates a limit.
	 * @param forget takes it out of its registry
	 */
	BucketLimit(String name, TokenBucket limit, Duration longestWait, Runnable forget, LongSupplier nanoTime,
			@Nullable BucketLimit before) {
		this.limit = limit;
		this.forget = forget;
		this.nanoTime = nanoTime;
		long now = nanoTime.getAsLong();
		this.state = new AtomicReference<>(
				(before != null) ? before.state.get().changed(before.limit, limit, now) : TokenBucketState.full(now));
		this.published = new ReservingRateLimiter(name, limit.burst(),
				Duration.ofNanos((long) Math.max(1, limit.burst() * 1e9 / limit.qps())), longestWait, this);
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
		int units = units(cost);
		Booking booking = book(units, this.published.longestWaitNanos());
		return (booking.waitNanos() < 0)
				? TimedTurn.refused(retryAfter(units), () -> this.published.announce(units, false))
				: TimedTurn.after(booking.waitNanos(), () -> giveBack(units, booking),
						() -> this.published.announce(units, true));
	}

	@Override
	public long reserve(long units, long longestNanos) {
		return book(units(units), longestNanos).waitNanos();
	}

	private static int units(long cost) {
		return (int) Math.min(cost, Integer.MAX_VALUE);
	}

	private Booking book(int units, long longestNanos) {
		while (true) {
			TokenBucketState before = this.state.get();
			long now = this.nanoTime.getAsLong();
			Admission<TokenBucketState> answer = before.reserve(this.limit, units, now, longestNanos);
			if (!(answer instanceof Admission.Granted<TokenBucketState> granted)) {
				return new Booking(-1, now);
			}
			if (this.state.compareAndSet(before, granted.next())) {
				return new Booking(granted.waitNanos(), now + granted.waitNanos());
			}
		}
	}

	/* How long a request for so many units would have to wait now. */
	private long retryAfter(int units) {
		Admission<TokenBucketState> answer = this.state.get()
			.reserve(this.limit, units, this.nanoTime.getAsLong(), Long.MAX_VALUE);
		return (answer instanceof Admission.Granted<TokenBucketState> granted) ? Math.max(1, granted.waitNanos()) : 1;
	}

	/*
	 * What was booked with a wait that is not over. Whoever goes on from this one's state
	 * counts in times of his own, and does without.
	 */
	private void giveBack(int units, Booking booking) {
		update((before) -> before.giveBack(this.limit, units, booking.dueNanos()));
	}

	@Override
	public void withhold(long units) {
		update((before) -> before.withhold(this.limit, units, this.nanoTime.getAsLong()));
	}

	@Override
	public boolean isIdle() {
		return this.state.get().isFull(this.nanoTime.getAsLong());
	}

	@Override
	public void holdFor(long nanos) {
		update((before) -> before.holdUntil(this.limit, this.nanoTime.getAsLong() + nanos));
		BucketLimit next = this.successor;
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
		long now = this.nanoTime.getAsLong();
		update((before) -> before.holdUntil(this.limit, now + (long) (1e9 / this.limit.qps())));
	}

	/* What is missing until the bucket is full, at the rate. */
	@Override
	public long available() {
		long missing = this.state.get().fullAtNanos() - this.nanoTime.getAsLong();
		double tokens = this.limit.burst() - Math.max(0, missing) * this.limit.qps() / 1e9;
		return (long) Math.floor(tokens + 1e-6);
	}

	private void update(UnaryOperator<TokenBucketState> change) {
		this.state.updateAndGet(change);
	}

	/**
	 * What a request was given.
	 *
	 * @param waitNanos how long it waits, negative if it is refused
	 * @param dueNanos when it may go, on the clock of the limit
	 */
	private record Booking(long waitNanos, long dueNanos) {
	}

}

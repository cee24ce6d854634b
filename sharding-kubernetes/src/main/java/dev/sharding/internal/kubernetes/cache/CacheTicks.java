package dev.sharding.internal.kubernetes.cache;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Looks after caches once a second while there is something to look after, and sleeps
 * otherwise until somebody wakes it. Safe for use by many threads.
 */
final class CacheTicks {

	private final Consumer<Runnable> inASecond;

	private final Runnable look;

	private final BooleanSupplier rests;

	private final AtomicBoolean asleep = new AtomicBoolean();

	/**
	 * Creates it, asleep for good until {@link #start()}.
	 * @param inASecond runs something on the thread that looks
	 * @param look looks
	 * @param rests whether nothing is to be looked after
	 */
	CacheTicks(Consumer<Runnable> inASecond, Runnable look, BooleanSupplier rests) {
		this.inASecond = inASecond;
		this.look = look;
		this.rests = rests;
	}

	/** Looks in a second. To be called once. */
	void start() {
		this.inASecond.accept(this::tick);
	}

	/** There is something to look after; to be called after that can be seen. */
	void wake() {
		// Called with each event: a plain read costs less than an exchange.
		if (this.asleep.get() && this.asleep.compareAndSet(true, false)) {
			try {
				start();
			}
			catch (RuntimeException | Error ex) {
				this.asleep.set(true);
				throw ex;
			}
		}
	}

	private void tick() {
		try {
			this.look.run();
		}
		finally {
			// Also after a failure, that whoever comes next can wake it.
			this.asleep.set(true);
		}
		// Who came before found it awake.
		if (!this.rests.getAsBoolean()) {
			wake();
		}
	}

}

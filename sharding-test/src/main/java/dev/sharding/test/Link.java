package dev.sharding.test;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import dev.sharding.test.TcpProxy.Flow;

/**
 * The rules of a proxy now, and the place where connections wait for time to pass or for
 * other rules.
 */
final class Link {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private LinkRules rules = LinkRules.GOOD;

	LinkRules rules() {
		this.lock.lock();
		try {
			return this.rules;
		}
		finally {
			this.lock.unlock();
		}
	}

	void change(UnaryOperator<LinkRules> change) {
		this.lock.lock();
		try {
			this.rules = change.apply(this.rules);
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Wakes who waits, because its connection was closed. */
	void wake() {
		change(UnaryOperator.identity());
	}

	/**
	 * Waits as long as a chunk of bytes takes, by the rules of each moment: who slows a
	 * link down and heals it need not wait for what was slow.
	 */
	void awaitTransfer(int bytes, BooleanSupplier closed) throws InterruptedException {
		this.lock.lock();
		try {
			long start = System.nanoTime();
			long left = this.rules.transferNanos(bytes);
			while (left > 0 && !closed.getAsBoolean()) {
				this.changed.awaitNanos(left);
				left = this.rules.transferNanos(bytes) - (System.nanoTime() - start);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Waits while a direction is held.
	 * @return how it flows now; held if the connection was closed
	 */
	Flow awaitFlow(Function<LinkRules, Flow> direction, BooleanSupplier closed) throws InterruptedException {
		return awaitOther(Flow.HELD, direction, closed);
	}

	/**
	 * Waits until a direction neither holds nor loses anything, or the connection was
	 * closed.
	 */
	void awaitPassage(Function<LinkRules, Flow> direction, BooleanSupplier closed) throws InterruptedException {
		while (awaitFlow(direction, closed) == Flow.LOST && !closed.getAsBoolean()) {
			awaitOther(Flow.LOST, direction, closed);
		}
	}

	private Flow awaitOther(Flow unwanted, Function<LinkRules, Flow> direction, BooleanSupplier closed)
			throws InterruptedException {
		this.lock.lock();
		try {
			while (direction.apply(this.rules) == unwanted && !closed.getAsBoolean()) {
				this.changed.await();
			}
			return direction.apply(this.rules);
		}
		finally {
			this.lock.unlock();
		}
	}

}

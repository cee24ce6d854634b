package dev.sharding.test;

import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import dev.sharding.test.TcpProxy.Flow;

/**
 * The rules of a proxy now, and the place where held connections wait for other ones.
 */
final class Link {

	private LinkRules rules = LinkRules.GOOD;

	synchronized LinkRules rules() {
		return this.rules;
	}

	synchronized void change(UnaryOperator<LinkRules> change) {
		this.rules = change.apply(this.rules);
		notifyAll();
	}

	/** Wakes who waits, because its connection was closed. */
	synchronized void wake() {
		notifyAll();
	}

	/**
	 * Waits while a direction is held.
	 * @return how it flows now; held if the connection was closed
	 */
	synchronized Flow awaitFlow(Function<LinkRules, Flow> direction, BooleanSupplier closed)
			throws InterruptedException {
		while (direction.apply(this.rules) == Flow.HELD && !closed.getAsBoolean()) {
			wait();
		}
		return direction.apply(this.rules);
	}

}

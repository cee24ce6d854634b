package dev.sharding.internal.kubernetes.qos;

import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.qos.limit.Listeners;
import dev.sharding.qos.spi.Limiter;

/**
 * The limit of one accounting group, and how many requests are between asking for their
 * turn and their end. Once closed it gives no turns, so that none is lost on whoever
 * follows it. Safe for many threads.
 */
final class Group {

	private final Limiter limiter;

	/* Guarded by this: their requests may still say that the server wants a pause. */
	private @Nullable Group before;

	/* Guarded by this. */
	private int users;

	/* Guarded by this. */
	private boolean closed;

	Group(Limiter limiter, @Nullable Group before) {
		this.limiter = limiter;
		this.before = before;
	}

	/**
	 * Asks for a turn; {@code null} if the group is closed: look for the one in force.
	 */
	Limiter.@Nullable Turn ask(long cost) {
		Limiter.Turn turn = give(cost);
		if (turn != null) {
			Listeners.tell(turn::announce);
		}
		return turn;
	}

	private synchronized Limiter.@Nullable Turn give(long cost) {
		if (this.closed) {
			return null;
		}
		Limiter.Turn turn = this.limiter.ask(cost);
		this.users++;
		return new CountedTurn(this, turn);
	}

	void holdFor(long nanos) {
		this.limiter.holdFor(nanos);
	}

	/** Ends the group; those who have a turn keep it. */
	synchronized void close() {
		this.closed = true;
		Listeners.tell(this.limiter::retire);
	}

	/** Ends the group and goes on from what it gave. */
	synchronized Group follow(UnaryOperator<Limiter> next) {
		close();
		return new Group(next.apply(this.limiter), lastUsed());
	}

	/** Ends the group if a fresh one would do as well. */
	synchronized boolean closeIfIdle() {
		if (isUsed() || !this.limiter.isIdle()) {
			return false;
		}
		close();
		return true;
	}

	private boolean isUsed() {
		return lastUsed() != null;
	}

	/*
	 * This one, or the last one before it that has users. Lets go of those between, as
	 * limits may change often.
	 */
	private synchronized @Nullable Group lastUsed() {
		if (this.before != null) {
			this.before = this.before.lastUsed();
		}
		return (this.users > 0) ? this : this.before;
	}

	/** How many groups before this one are held. */
	synchronized int predecessors() {
		return (this.before != null) ? 1 + this.before.predecessors() : 0;
	}

	private synchronized void left() {
		this.users--;
	}

	/** A turn of which the group knows when it ends. */
	private static final class CountedTurn implements Limiter.Turn {

		private final Limiter.Turn turn;

		/* Guarded by this. */
		private @Nullable Group group;

		CountedTurn(Group group, Limiter.Turn turn) {
			this.group = group;
			this.turn = turn;
		}

		@Override
		public CompletableFuture<Void> ready() {
			return this.turn.ready();
		}

		@Override
		public void announce() {
			this.turn.announce();
		}

		@Override
		public void leave() {
			this.turn.leave();
			Group held = take();
			if (held != null) {
				held.left();
			}
		}

		private synchronized @Nullable Group take() {
			Group held = this.group;
			this.group = null;
			return held;
		}

	}

}

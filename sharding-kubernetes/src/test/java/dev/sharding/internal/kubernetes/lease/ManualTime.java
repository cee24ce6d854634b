package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * Both clocks and everything that waits for them, on the thread of the test.
 */
final class ManualTime {

	private Instant wall = Instant.parse("2026-01-01T00:00:00Z");

	/** Not zero, and about to wrap around, so that nobody relies on either. */
	private long nanos = Long.MAX_VALUE - Duration.ofSeconds(20).toNanos();

	private final Deque<Runnable> ready = new ArrayDeque<>();

	private final List<ManualLoop> loops = new ArrayList<>();

	Instant wall() {
		return this.wall;
	}

	long nanos() {
		return this.nanos;
	}

	ManualLoop loop() {
		ManualLoop loop = new ManualLoop();
		this.loops.add(loop);
		return loop;
	}

	void advance(Duration duration) {
		settle();
		long end = this.nanos + duration.toNanos();
		while (true) {
			ManualLoop next = null;
			for (ManualLoop loop : this.loops) {
				if (loop.task != null && loop.wakeUpAt - end <= 0
						&& (next == null || loop.wakeUpAt - next.wakeUpAt < 0)) {
					next = loop;
				}
			}
			if (next == null) {
				moveTo(end);
				return;
			}
			moveTo(Math.max(next.wakeUpAt - this.nanos, 0) + this.nanos);
			next.wakeUp();
			settle();
		}
	}

	/** The machine was suspended: one clock stood still. */
	void suspend(Duration duration) {
		this.wall = this.wall.plus(duration);
	}

	/** The process was stopped: both clocks went on, but nobody looked at them. */
	void stop(Duration duration) {
		moveTo(this.nanos + duration.toNanos());
	}

	void settle() {
		while (!this.ready.isEmpty()) {
			this.ready.poll().run();
		}
	}

	private void moveTo(long time) {
		this.wall = this.wall.plusNanos(time - this.nanos);
		this.nanos = time;
	}

	/** A loop whose tasks and calls run when the test lets time go on. */
	final class ManualLoop implements LeaseLoop {

		private final Deque<Runnable> hanging = new ArrayDeque<>();

		private boolean hang;

		private long wakeUpAt;

		private @Nullable Runnable task;

		@Override
		public void execute(Runnable command) {
			ManualTime.this.ready.add(command);
		}

		@Override
		public void wakeUpAfter(Duration delay, Runnable command) {
			this.wakeUpAt = ManualTime.this.nanos + Math.max(0, delay.toNanos());
			this.task = command;
		}

		Executor calls() {
			return (call) -> (this.hang ? this.hanging : ManualTime.this.ready).add(call);
		}

		/** Calls that are sent from now on neither reach the server nor return. */
		void hangCalls() {
			this.hang = true;
		}

		/** Calls that hang reach the server now, and later ones do not hang. */
		void letCallsGo() {
			this.hang = false;
			letHangingCallsGo();
		}

		/** Calls that hang reach the server now; the next ones hang again. */
		void letHangingCallsGo() {
			ManualTime.this.ready.addAll(this.hanging);
			this.hanging.clear();
			settle();
		}

		private void wakeUp() {
			Runnable due = this.task;
			this.task = null;
			if (due != null) {
				due.run();
			}
		}

	}

}

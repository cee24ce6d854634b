package dev.sharding.test;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

/**
 * Wakes the threads that wait for something that a dead control plane will never do.
 */
final class DeathWatch {

	private final Set<Thread> guarded = new HashSet<>();

	private final Set<Thread> interrupted = new HashSet<>();

	private @Nullable ControlPlaneDiedException death;

	synchronized void died(ManagedProcess process) {
		this.death = process.died();
		this.guarded.forEach(Thread::interrupt);
		this.interrupted.addAll(this.guarded);
		this.guarded.clear();
	}

	<T extends @Nullable Object> T guard(Callable<T> body) throws Exception {
		Thread thread = Thread.currentThread();
		enter(thread);
		T result;
		try {
			result = body.call();
		}
		catch (Exception | Error ex) {
			ControlPlaneDiedException cause = leave(thread);
			if (cause != null) {
				cause.addSuppressed(ex);
				throw cause;
			}
			throw ex;
		}
		leave(thread);
		return result;
	}

	private synchronized void enter(Thread thread) {
		this.guarded.add(thread);
	}

	private synchronized @Nullable ControlPlaneDiedException leave(Thread thread) {
		this.guarded.remove(thread);
		if (!this.interrupted.remove(thread)) {
			return null;
		}
		// The interrupt was ours: whoever runs next in this thread must not get it.
		Thread.interrupted();
		return this.death;
	}

}

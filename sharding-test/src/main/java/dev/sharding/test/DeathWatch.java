package dev.sharding.test;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

/**
 * Wakes the threads that wait for something that a dead control plane will never do: by
 * an interrupt, and where Awaitility waits, which ignores interrupts, by its own means.
 */
final class DeathWatch {

	private static final ThreadLocal<@Nullable DeathWatch> CURRENT = new ThreadLocal<>();

	private final Set<Thread> guarded = new HashSet<>();

	private final Set<Thread> interrupted = new HashSet<>();

	private @Nullable ControlPlaneDiedException death;

	synchronized void died(ManagedProcess process) {
		this.death = process.died();
		this.guarded.forEach(Thread::interrupt);
		this.interrupted.addAll(this.guarded);
	}

	<T extends @Nullable Object> T guard(Callable<T> body) throws Exception {
		AwaitilityHook.install();
		Thread thread = Thread.currentThread();
		enter(thread);
		T result;
		try {
			result = body.call();
		}
		catch (Exception | Error ex) {
			ControlPlaneDiedException cause = leave(thread);
			if (cause != null) {
				if (ex != cause) {
					cause.addSuppressed(ex);
				}
				throw cause;
			}
			throw ex;
		}
		leave(thread);
		return result;
	}

	private synchronized void enter(Thread thread) {
		this.guarded.add(thread);
		CURRENT.set(this);
	}

	private synchronized @Nullable ControlPlaneDiedException leave(Thread thread) {
		CURRENT.remove();
		this.guarded.remove(thread);
		if (!this.interrupted.remove(thread)) {
			return null;
		}
		// The interrupt was ours: whoever runs next in this thread must not get it.
		Thread.interrupted();
		return this.death;
	}

	synchronized boolean sawDeath() {
		return this.death != null;
	}

	/**
	 * Throws if the control plane that guards the calling thread died since it was
	 * entered.
	 */
	static void check() {
		DeathWatch current = CURRENT.get();
		if (current != null) {
			current.checkCaller();
		}
	}

	private synchronized void checkCaller() {
		if (this.death != null && this.interrupted.contains(Thread.currentThread())) {
			throw this.death;
		}
	}

}

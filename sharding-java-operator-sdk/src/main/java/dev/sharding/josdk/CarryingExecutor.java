package dev.sharding.josdk;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.kubernetes.fence.ClaimScope;

/**
 * Runs the parts of a reconcile on the threads of another executor, for the object that
 * the submitting thread works for.
 */
final class CarryingExecutor extends AbstractExecutorService {

	private final ExecutorService executor;

	CarryingExecutor(ExecutorService executor) {
		this.executor = executor;
	}

	@Override
	public void execute(Runnable task) {
		this.executor.execute(ClaimScope.carry(task));
	}

	@Override
	public void shutdown() {
		this.executor.shutdown();
	}

	@Override
	public List<Runnable> shutdownNow() {
		return this.executor.shutdownNow();
	}

	@Override
	public boolean isShutdown() {
		return this.executor.isShutdown();
	}

	@Override
	public boolean isTerminated() {
		return this.executor.isTerminated();
	}

	@Override
	public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
		return this.executor.awaitTermination(timeout, unit);
	}

}

package dev.sharding.josdk;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import io.javaoperatorsdk.operator.processing.retry.Retry;
import io.javaoperatorsdk.operator.processing.retry.RetryExecution;

/**
 * Retries as the reconciler wants it, but counts no attempt in which the shard could not
 * act: the SDK adds a finalizer before it reconciles, and the fence refuses that as long
 * as an object is not ours yet. Else its attempts would be used up before it is.
 */
final class UncountedRetry implements Retry {

	/** As for a reconcile that was skipped. */
	static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

	private final Retry retry;

	private final BooleanSupplier heldBack;

	/**
	 * Creates it.
	 * @param retry counts the others
	 * @param heldBack whether the reconcile on this thread is one of those
	 */
	UncountedRetry(Retry retry, BooleanSupplier heldBack) {
		this.retry = retry;
		this.heldBack = heldBack;
	}

	@Override
	public RetryExecution initExecution() {
		RetryExecution execution = this.retry.initExecution();
		return new RetryExecution() {

			@Override
			public Optional<Long> nextDelay() {
				return UncountedRetry.this.heldBack.getAsBoolean() ? Optional.of(LOOK_AGAIN.toMillis())
						: execution.nextDelay();
			}

			@Override
			public int getAttemptCount() {
				return execution.getAttemptCount();
			}

			@Override
			public boolean isLastAttempt() {
				return execution.isLastAttempt();
			}

		};
	}

}

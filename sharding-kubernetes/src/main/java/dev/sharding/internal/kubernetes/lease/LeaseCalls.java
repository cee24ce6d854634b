package dev.sharding.internal.kubernetes.lease;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.core.lease.Moment;

/**
 * Makes the calls for one Lease, one at a time and off the loop, and brings the answers
 * back to the loop. Belongs to the loop.
 */
final class LeaseCalls {

	private static final Logger logger = LoggerFactory.getLogger(LeaseCalls.class);

	private final LeaseLoop loop;

	private final Executor executor;

	private final LeaseClock clock;

	private boolean busy;

	private long asked;

	LeaseCalls(LeaseLoop loop, Executor executor, LeaseClock clock) {
		this.loop = loop;
		this.executor = executor;
		this.clock = clock;
	}

	/**
	 * Tells whether an answer is still to come, wanted or not. Until then nothing may be
	 * sent, because the two could reach the API server in either order.
	 */
	boolean isBusy() {
		return this.busy;
	}

	/** Loses interest in the answer that is still to come. */
	void forget() {
		this.asked++;
	}

	/**
	 * Sends a call.
	 * @param call the call, which blocks
	 * @param wanted what to do with the answer, on the loop
	 * @param dropped what to do on the loop if nobody wants the answer any more
	 */
	void send(Supplier<@Nullable Lease> call, Consumer<LeaseAnswer> wanted, Runnable dropped) {
		if (this.busy) {
			throw new IllegalStateException("A call for the Lease is under way");
		}
		this.busy = true;
		long question = this.asked;
		Moment sent = this.clock.now();
		try {
			this.executor.execute(() -> {
				LeaseAnswer answer = answer(call, sent);
				onLoop(() -> receive(question, answer, wanted, dropped));
			});
		}
		catch (Throwable ex) {
			// No thread could be made: the next step asks for one again.
			this.busy = false;
			throw ex;
		}
	}

	private void onLoop(Runnable task) {
		try {
			this.loop.execute(task);
		}
		catch (RejectedExecutionException ex) {
			// Closed meanwhile: there is nobody to tell.
		}
	}

	private void receive(long question, LeaseAnswer answer, Consumer<LeaseAnswer> wanted, Runnable dropped) {
		this.busy = false;
		try {
			if (question == this.asked) {
				wanted.accept(answer);
				return;
			}
		}
		catch (Throwable ex) {
			logger.error("Failed to handle an answer about the Lease", ex);
		}
		dropped.run();
	}

	private static LeaseAnswer answer(Supplier<@Nullable Lease> call, Moment sent) {
		try {
			return new LeaseAnswer(sent, call.get(), null);
		}
		catch (LeaseApiException ex) {
			return new LeaseAnswer(sent, null, ex);
		}
		catch (Throwable ex) {
			return new LeaseAnswer(sent, null, new LeaseApiException(0, ex.toString(), ex));
		}
	}

}

package dev.sharding.internal.kubernetes.slot;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.core.slot.SlotHolder;
import dev.sharding.internal.core.slot.TermEnd;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.fence.SentWrites;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;

/**
 * Ends terms as {@link TermEnd} says, and notes on the Lease how far they have come. Safe
 * for use by many threads.
 */
public final class TermEnds {

	private static final Logger logger = LoggerFactory.getLogger(TermEnds.class);

	private final SentWrites sent;

	/**
	 * Creates it.
	 * @param sent counts the writes of each term
	 */
	public TermEnds(SentWrites sent) {
		this.sent = sent;
	}

	/**
	 * A term begins, in which nothing was written yet.
	 * @param shard the name of the shard
	 */
	public void begin(String shard) {
		this.sent.begin(shard);
	}

	/**
	 * All objects that had to be touched are.
	 * @param holder holds the Lease
	 */
	public void touched(LeaseHolder holder) {
		LeaseTerm term = holder.status().term();
		if (term != null) {
			this.sent.touched();
			holder.note(term.number(), (so) -> new TermProgress(true, so.served(), so.stopping()));
		}
	}

	/**
	 * Reconciles have begun.
	 * @param holder holds the Lease
	 */
	public void running(LeaseHolder holder) {
		SlotHolder notes = holder.config().notes();
		LeaseTerm term = holder.status().term();
		if (notes != null && term != null) {
			ProtocolThreads.later(notes.grace(),
					() -> holder.note(term.number(), (so) -> new TermProgress(so.touched(), true, so.stopping())));
		}
	}

	/**
	 * Gives a Lease back when nobody acts for it any more.
	 * @param holder holds the Lease, and is not closed
	 * @param abandon has it run out instead
	 * @return completes when it is given back or will run out
	 */
	public CompletableFuture<?> release(LeaseHolder holder, Runnable abandon) {
		TermEnd end = end(holder, Duration.ZERO);
		if (end == TermEnd.RUN_OUT) {
			abandon.run();
			return CompletableFuture.completedFuture(null);
		}
		return holder.release(end);
	}

	/**
	 * Gives a Lease back and waits for that; nothing can be done if it fails.
	 * @param holder holds the Lease, and is closed then
	 * @param patience how long to wait for the answers of writes
	 */
	public void releaseAndClose(LeaseHolder holder, Duration patience) {
		try {
			TermEnd end = end(holder, patience);
			if (end != TermEnd.RUN_OUT) {
				Duration limit = holder.config().timings().renewDeadline().plusSeconds(1);
				holder.release(end).get(limit.toMillis(), TimeUnit.MILLISECONDS);
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Leaving Lease {} to run out by itself", holder.config().path(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		holder.close();
	}

	private TermEnd end(LeaseHolder holder, Duration patience) {
		Duration lease = holder.config().timings().leaseDuration();
		boolean waitedFor = holder.config().notes() != null;
		Duration unanswered = Duration.ZERO;
		try {
			unanswered = waitedFor ? this.sent.awaitAnswers(patience, lease) : null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		TermEnd end = TermEnd.of(waitedFor, unanswered, lease);
		if (end == TermEnd.RUN_OUT) {
			logger.warn(
					"Leaving Lease {} to run out by itself: nobody knows what came of a write of the last {} s, as"
							+ " no answer came, or that of a server in trouble",
					holder.config().path(), lease.toSeconds());
		}
		else if (end == TermEnd.GIVE_BACK_TO_TOUCH) {
			logger.info("The next holder of Lease {} is to touch its objects: nobody knows what came of a write, as no"
					+ " answer came, or that of a server in trouble", holder.config().path());
		}
		return end;
	}

}

package dev.sharding.shard;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.lease.LeaseHolder;

/**
 * The Lease of a group of controllers: always the same one, or that of a slot, which is
 * known by term.
 */
interface LeaseSupply {

	/** The holder at this moment, {@code null} while a process stands by for a slot. */
	@Nullable LeaseHolder holder();

	/**
	 * Whether a reconcile may begin: up to the renew deadline, also if the process was
	 * suspended and the holder has not noticed the loss yet.
	 */
	boolean isValid();

	/** Looks at the Lease before it is to be acquired. */
	void lookAhead();

	/** Begins to acquire the Lease. */
	void start();

	/** This process has begun to stop: it acquires nothing any more, and says so. */
	void announceStop();

	/** Objects have been reconciled for the first time in this term. */
	void running();

	/**
	 * Gives the Lease back when nobody acts for it any more.
	 * @return completes when it is given back or will run out
	 */
	CompletableFuture<?> release();

	/** Stops to renew without giving the Lease back. */
	void abandon();

	/**
	 * Gives the Lease back, waits for that, and is closed; nothing can be done if it
	 * fails.
	 * @param patience how long to wait for writes that are under way
	 */
	void releaseAndClose(Duration patience);

	/** Closed without giving the Lease back. */
	void close();

}

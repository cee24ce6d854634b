package dev.sharding.kubernetes;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.kubernetes.lease.LeaseHolder;
import dev.sharding.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.kubernetes.lease.LeaseListener;
import dev.sharding.kubernetes.lease.LeaseTerm;

/**
 * The Lease of a group of controllers. A Lease that must run out by itself, because a
 * reconcile does not end, is abandoned: then the next one is held by a new holder.
 */
final class LeaseSupply {

	private static final Logger logger = LoggerFactory.getLogger(LeaseSupply.class);

	private final LeaseHolderConfig config;

	private final KubernetesClient client;

	private final RuntimeOptions options;

	private final BooleanSupplier inUse;

	private final LeaseListener listener;

	private volatile LeaseHolder holder;

	LeaseSupply(LeaseHolderConfig config, KubernetesClient client, RuntimeOptions options, BooleanSupplier inUse,
			LeaseListener listener) {
		this.config = config;
		this.client = client;
		this.options = options;
		this.inUse = inUse;
		this.listener = listener;
		this.holder = newHolder();
	}

	LeaseHolder holder() {
		return this.holder;
	}

	/**
	 * Whether a reconcile may begin: up to the renew deadline, also if the process was
	 * suspended and the holder has not noticed the loss yet.
	 */
	boolean isValid() {
		LeaseTerm term = this.holder.status().term();
		Duration margin = this.config.timings().leaseDuration().minus(this.config.timings().renewDeadline());
		return term != null && term.validAt(this.options.clock().now(), margin);
	}

	void lookAhead() {
		this.holder.lookAhead();
	}

	void start() {
		this.holder.start();
	}

	/** Stops to renew without giving the Lease back. */
	void abandon() {
		this.holder.close();
		this.holder = newHolder();
	}

	/** Gives the Lease back and waits for that; nothing can be done if it fails. */
	void releaseAndClose() {
		try {
			Duration patience = this.config.timings().renewDeadline().plusSeconds(1);
			this.holder.release().get(patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Leaving Lease {} to run out by itself", this.config.path(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.holder.close();
	}

	void close() {
		this.holder.close();
	}

	private LeaseHolder newHolder() {
		LeaseHolder made = new LeaseHolder(this.config, this.client, this.options.meters(), this.options.clock(),
				this.inUse);
		made.addGate(this.listener);
		return made;
	}

}

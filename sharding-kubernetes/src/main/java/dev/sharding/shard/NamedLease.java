package dev.sharding.shard;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import io.fabric8.kubernetes.client.KubernetesClient;

import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.lease.LeaseListener;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.slot.TermEnds;

/**
 * The one Lease of a group of controllers. A Lease that must run out by itself, because a
 * reconcile does not end, is abandoned: then the next one is held by a new holder.
 */
final class NamedLease implements LeaseSupply {

	private final LeaseHolderConfig config;

	private final KubernetesClient client;

	private final RuntimeOptions options;

	private final BooleanSupplier inUse;

	private final LeaseListener listener;

	private final TermEnds terms;

	private volatile LeaseHolder holder;

	NamedLease(LeaseHolderConfig config, KubernetesClient client, RuntimeOptions options, BooleanSupplier inUse,
			LeaseListener listener, TermEnds terms) {
		this.terms = terms;
		this.config = config;
		this.client = client;
		this.options = options;
		this.inUse = inUse;
		this.listener = listener;
		this.holder = newHolder();
	}

	@Override
	public LeaseHolder holder() {
		return this.holder;
	}

	@Override
	public boolean isValid() {
		LeaseTerm term = this.holder.status().term();
		Duration margin = this.config.timings().leaseDuration().minus(this.config.timings().renewDeadline());
		return term != null && term.validAt(this.options.clock().now(), margin);
	}

	@Override
	public void lookAhead() {
		this.holder.lookAhead();
	}

	@Override
	public void start() {
		this.holder.start();
	}

	@Override
	public void announceStop() {
		this.holder.announceStop();
	}

	@Override
	public void running() {
		this.terms.running(this.holder);
	}

	@Override
	public CompletableFuture<?> release() {
		return this.terms.release(this.holder, this::abandon);
	}

	@Override
	public void abandon() {
		this.holder.close();
		this.holder = newHolder();
	}

	@Override
	public void releaseAndClose(Duration patience) {
		this.terms.releaseAndClose(this.holder, patience);
	}

	@Override
	public void close() {
		this.holder.close();
	}

	private LeaseHolder newHolder() {
		LeaseHolder made = new LeaseHolder(this.config, this.client, this.options.meters(), this.options.clock(),
				this.inUse);
		made.addGate(this.listener);
		return made;
	}

}

package dev.sharding.shard;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseListener;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.slot.TermEnds;
import dev.sharding.internal.kubernetes.usercode.Listeners;
import dev.sharding.internal.kubernetes.usercode.UserCode;

/**
 * The life of controllers that start and stop together, with or without a Lease.
 *
 * <p>
 * Caches synced, then Lease held, then caches consistent as of the acquire, then
 * reconciles; back in the reverse order. What must happen at once (no reconcile begins
 * after the Lease is lost) happens on the thread that says so, under {@link #gate};
 * everything else happens on one thread of the group's own.
 */
final class ControllerGroup {

	private static final Logger logger = LoggerFactory.getLogger(ControllerGroup.class);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final Duration ONCE_MORE = Duration.ofSeconds(1);

	private static final Duration GRACE_AFTER_INTERRUPT = Duration.ofSeconds(1);

	private static final long NO_TERM = -1;

	private final String name;

	private final InformerCaches caches;

	private final ControllerSet controllers;

	private final RuntimeOptions options;

	private final @Nullable LeaseSupply lease;

	/** The same where it is that of a slot, and so another one in each term. */
	private final @Nullable SlotSupply slots;

	private final TermEnds terms;

	private final BiFunction<LeaseHolder, Duration, CompletableFuture<Boolean>> touch;

	private final @Nullable Isolation isolation;

	private final Listeners<RuntimeListener> listeners;

	private final UserCode userCode;

	private final ScheduledThreadPoolExecutor loop;

	/* On the loop only: the next look, if no other phase begins before. */
	private @Nullable Future<?> nextLook;

	private final Object gate = new Object();

	/** Guarded by {@link #gate}: the term in which reconciles may begin. */
	private long term = NO_TERM;

	/*
	 * Guarded by the gate. Terms are counted here: a holder that follows an abandoned one
	 * begins with the same numbers, and a refresh of the old term must not end the new.
	 */
	private long begun;

	private volatile RuntimePhase phase = RuntimePhase.STOPPED;

	private volatile @Nullable RuntimeException failure;

	/**
	 * Creates a group that has not started.
	 * @param name names it in logs
	 * @param lease makes its Lease for somebody who hears of the terms at once, or
	 * {@code null} if it needs none
	 * @param terms ends its terms
	 * @param touch touches the objects of a shard whose former holder may still be heard
	 * of
	 */
	ControllerGroup(String name, InformerCaches caches, ControllerSet controllers, RuntimeOptions options,
			@Nullable Function<LeaseListener, LeaseSupply> lease, TermEnds terms,
			BiFunction<LeaseHolder, Duration, CompletableFuture<Boolean>> touch, UserCode userCode) {
		this.name = name;
		this.caches = caches;
		this.controllers = controllers;
		this.options = options;
		this.userCode = userCode;
		this.listeners = new Listeners<>("runtime listener", userCode);
		this.terms = terms;
		this.touch = touch;
		this.lease = (lease != null) ? lease.apply(new Listener()) : null;
		this.slots = (this.lease instanceof SlotSupply slotSupply) ? slotSupply : null;
		this.isolation = (this.lease != null)
				? new Isolation(caches, controllers, this.lease, options, () -> onLoop(this::acquireAgain)) : null;
		this.loop = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "sharding-" + name);
			thread.setDaemon(true);
			return thread;
		});
		this.loop.setRemoveOnCancelPolicy(true);
	}

	RuntimePhase phase() {
		return this.phase;
	}

	@Nullable RuntimeException failure() {
		return this.failure;
	}

	@Nullable LeaseHolder lease() {
		return (this.lease != null) ? this.lease.holder() : null;
	}

	/** The supply of slots, {@code null} for a group whose Lease is always the same. */
	@Nullable SlotSupply slots() {
		return this.slots;
	}

	/** The term of the Lease, {@code null} while it is not held. */
	@Nullable LeaseTerm term() {
		LeaseHolder holder = lease();
		return (holder != null) ? holder.status().term() : null;
	}

	boolean mayAct() {
		return this.lease == null || this.lease.isValid();
	}

	void addListener(RuntimeListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Starts.
	 * @param look looks, while the caches fill, at what must be well before anybody acts;
	 * what it throws ends the start
	 */
	void start(Runnable look) {
		enter(RuntimePhase.SYNCING, "");
		this.userCode.start();
		if (this.slots != null) {
			// The rest is known when a slot is.
			this.controllers.connectWhole(this.caches);
		}
		else {
			this.controllers.connect(this.caches);
		}
		this.caches.start();
		CompletableFuture<Void> synced = this.caches.synced();
		if (this.lease != null) {
			this.lease.lookAhead();
		}
		this.controllers.start();
		try {
			look.run();
		}
		catch (RuntimeException | Error ex) {
			stop();
			throw ex;
		}
		synced.thenRun(() -> onLoop(this::synced));
	}

	/**
	 * Waits for the reconciles that run, gives the Lease back if they ended, and closes
	 * all.
	 */
	void stop() {
		synchronized (this.gate) {
			if (isStopping()) {
				return;
			}
			enter(RuntimePhase.STOPPING, "");
		}
		if (this.lease != null) {
			this.lease.announceStop();
		}
		long began = this.options.clock().nanos().getAsLong();
		boolean ended = false;
		try {
			ended = this.controllers.stop(this.options.stopTimeout(), GRACE_AFTER_INTERRUPT);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		if (this.lease != null && ended) {
			long took = this.options.clock().nanos().getAsLong() - began;
			Duration patience = this.options.stopTimeout().minusNanos(took);
			this.lease.releaseAndClose(patience.isNegative() ? Duration.ZERO : patience);
		}
		else if (this.lease != null) {
			logger.warn("Leaving the Lease to run out by itself: a reconcile has not ended name={} waited={}",
					this.name, this.options.stopTimeout());
			this.lease.close();
		}
		this.caches.close();
		enter(RuntimePhase.STOPPED, "");
		onLoop(this.listeners::close);
		this.loop.shutdown();
		this.userCode.close();
	}

	// --- on the way to RUNNING

	private void synced() {
		if (this.lease != null) {
			acquire(this.lease, RuntimePhase.SYNCING);
		}
		else {
			resume(begin());
		}
	}

	/* Not once a stop has begun: the holder would acquire what was just released. */
	private void acquire(LeaseSupply supply, RuntimePhase from) {
		synchronized (this.gate) {
			if (this.phase != from) {
				return;
			}
			enter((this.slots != null) ? RuntimePhase.STANDBY : RuntimePhase.ACQUIRING, "");
			supply.start();
		}
	}

	private long begin() {
		synchronized (this.gate) {
			this.term = ++this.begun;
			return this.term;
		}
	}

	private void fill(long number, SlotSupply supply) {
		String slot = supply.slot();
		synchronized (this.gate) {
			if (!isCurrent(number)) {
				return;
			}
			enter(RuntimePhase.SYNCING, "");
		}
		try {
			supply.filling().fill(slot).thenRun(() -> onLoop(() -> refresh(number)));
		}
		catch (RuntimeException | Error ex) {
			giveUp(supply, ex.toString());
			throw ex;
		}
		watchFilling(number, supply);
	}

	private void giveUp(SlotSupply supply, String reason) {
		logger.warn("Giving the slot back, as its caches do not fill name={} slot={} reason=\"{}\"", this.name,
				supply.slot(), reason);
		suspend(RuntimePhase.STANDBY, reason);
		supply.giveUp();
	}

	private void watchFilling(long number, SlotSupply supply) {
		if (!isCurrent(number) || this.phase != RuntimePhase.SYNCING) {
			return;
		}
		String problem = supply.filling().problem();
		if (problem != null) {
			giveUp(supply, problem);
			return;
		}
		this.loop.schedule(() -> watchFilling(number, supply), RETRY.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void refresh(long number) {
		synchronized (this.gate) {
			if (!isCurrent(number)) {
				return;
			}
			enter(RuntimePhase.REFRESHING, "");
		}
		LeaseHolder holder = lease();
		this.controllers.forgetArrivals();
		CompletableFuture<Void> refreshed = this.options.handOver().termStart().prepare(this.caches);
		// What is touched is as of the acquire, and what is reconciled as of the touch.
		CompletableFuture<Void> prepared = (holder != null && holder.isTouchDue())
				? refreshed.thenCompose((done) -> touch(holder, number)) : refreshed;
		prepared.whenComplete((done, failed) -> onLoop(() -> {
			if (failed == null) {
				resume(number);
			}
			else if (isCurrent(number)) {
				logger.warn("Failed to refresh the caches name={} reason=\"{}\"", this.name, failed.toString());
				this.loop.schedule(() -> refresh(number), RETRY.toMillis(), TimeUnit.MILLISECONDS);
			}
		}));
	}

	/*
	 * What failed all the time may have done so as nothing was answered here: once the
	 * caches are up to date it is tried again.
	 */
	private CompletableFuture<Void> touch(LeaseHolder holder, long number) {
		return this.touch.apply(holder, holder.config().timings().leaseDuration())
			.thenCompose((complete) -> complete ? CompletableFuture.completedFuture(true)
					: this.caches.refresh().thenCompose((done) -> this.touch.apply(holder, ONCE_MORE)))
			.thenCompose((complete) -> {
				// A holder may outlive this term, and owe its next one a touch of its
				// own.
				if (complete && isCurrent(number)) {
					this.terms.touched(holder);
				}
				return this.caches.refresh();
			});
	}

	private void resume(long number) {
		synchronized (this.gate) {
			if (this.term != number || isStopping()) {
				return;
			}
			this.controllers.resume();
			enter(RuntimePhase.RUNNING, "");
		}
		if (this.lease != null) {
			this.lease.running();
		}
		this.controllers.enqueueAll();
	}

	private boolean isCurrent(long number) {
		synchronized (this.gate) {
			return this.term == number && !isStopping();
		}
	}

	private void suspend(RuntimePhase next, String reason) {
		synchronized (this.gate) {
			this.term = NO_TERM;
			this.controllers.suspend();
			if (this.slots != null) {
				this.slots.filling().hide();
			}
			if (!isStopping()) {
				enter(next, reason);
			}
		}
	}

	private boolean isStopping() {
		return this.phase == RuntimePhase.STOPPING || this.phase == RuntimePhase.STOPPED;
	}

	// --- looking after a running group

	/* Looks now, and again when something may be due in this phase. */
	private void look() {
		if (this.nextLook != null) {
			this.nextLook.cancel(false);
		}
		Duration pause = pause();
		this.nextLook = (pause != null)
				? this.loop.schedule(this::look, TimeUnit.NANOSECONDS.convert(pause), TimeUnit.NANOSECONDS) : null;
	}

	private @Nullable Duration pause() {
		try {
			switch (this.phase) {
				case RUNNING -> {
					isolateIfBlind(RuntimePhase.RUNNING);
					return shorter(this.controllers.resync(), untilBlind());
				}
				case REFRESHING -> {
					isolateIfBlind(RuntimePhase.REFRESHING);
					return untilBlind();
				}
				case ISOLATED -> {
					rejoinIfRecovered();
					return Isolation.PACE;
				}
				default -> {
					return null;
				}
			}
		}
		catch (Throwable ex) {
			logger.error("Failed to look after controllers name={}", this.name, ex);
			return Isolation.PACE;
		}
	}

	private @Nullable Duration untilBlind() {
		return (this.isolation != null) ? this.isolation.untilDue() : null;
	}

	private static @Nullable Duration shorter(@Nullable Duration one, @Nullable Duration other) {
		return (one == null || (other != null && other.compareTo(one) < 0)) ? other : one;
	}

	private void isolateIfBlind(RuntimePhase seen) {
		String reason = (this.isolation != null) ? this.isolation.reason(seen == RuntimePhase.RUNNING) : null;
		if (this.isolation == null || reason == null) {
			return;
		}
		synchronized (this.gate) {
			// Unless it stops by now, or has lost its Lease.
			if (this.phase == seen) {
				logger.warn("Giving the Lease back until the informers recover name={} reason=\"{}\"", this.name,
						reason);
				this.isolation.begin();
				suspend(RuntimePhase.ISOLATED, reason);
			}
		}
	}

	private void rejoinIfRecovered() {
		synchronized (this.gate) {
			// A Lease that was lost meanwhile may be held again: that is not given back.
			if (this.lease != null && this.isolation != null && this.phase == RuntimePhase.ISOLATED
					&& this.isolation.isOver()) {
				logger.info("Informers have recovered, joining again name={}", this.name);
				acquire(this.lease, RuntimePhase.ISOLATED);
			}
		}
	}

	/*
	 * The Lease was lost just before it was given back, which has ended the attempt to
	 * get it again.
	 */
	private void acquireAgain() {
		synchronized (this.gate) {
			if (this.lease != null && this.phase == RuntimePhase.ACQUIRING) {
				this.lease.start();
			}
		}
	}

	private void onLoop(Runnable task) {
		try {
			this.loop.execute(() -> {
				try {
					task.run();
				}
				catch (Throwable ex) {
					logger.error("Failed to change the phase of controllers name={} phase={}", this.name, this.phase,
							ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Ignoring what happens after the stop name={}", this.name);
		}
	}

	/* Listeners hear of it in the order of the changes. */
	private void enter(RuntimePhase next, String reason) {
		synchronized (this.gate) {
			this.phase = next;
			onLoop(() -> tell(next, reason));
			onLoop(this::look);
		}
	}

	private void tell(RuntimePhase next, String reason) {
		logger.info("Controllers changed phase name={} phase={}{}", this.name, next,
				reason.isEmpty() ? "" : " reason=\"" + reason + '"');
		this.listeners.tell(next, (listener) -> listener.changed(next, reason));
	}

	private final class Listener implements LeaseListener {

		@Override
		public void acquired(LeaseTerm acquired) {
			LeaseHolder holder = lease();
			if (holder != null) {
				ControllerGroup.this.terms.begin(holder.config().leaseName());
			}
			long number = begin();
			SlotSupply supply = ControllerGroup.this.slots;
			onLoop((supply != null) ? () -> fill(number, supply) : () -> refresh(number));
		}

		@Override
		public void lost(LeaseTerm lost, String reason) {
			suspend((ControllerGroup.this.slots != null) ? RuntimePhase.STANDBY : RuntimePhase.ACQUIRING, reason);
		}

		@Override
		public void failed(RuntimeException ex) {
			ControllerGroup.this.failure = ex;
			suspend(RuntimePhase.FAILED, String.valueOf(ex.getMessage()));
		}

	}

}

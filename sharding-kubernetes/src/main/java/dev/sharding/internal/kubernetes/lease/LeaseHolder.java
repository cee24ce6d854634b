package dev.sharding.internal.kubernetes.lease;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.TermEnd;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.usercode.Listeners;
import dev.sharding.internal.kubernetes.usercode.StuckCall;
import dev.sharding.internal.kubernetes.usercode.UserCode;

/**
 * Holds one Lease: acquires it when nobody can be at work with it, renews it, notices at
 * the renew deadline that it can no longer prove it, and acquires it again. All methods
 * return at once and may be called from any thread.
 * <p>
 * A term is over when {@link #term()} no longer returns it, and never later than its
 * renew deadline as long as this process runs. Who must be sure although the process may
 * have been stopped asks {@link LeaseTerm#validAt}.
 */
public final class LeaseHolder implements AutoCloseable {

	private final LeaseHolderConfig config;

	private final LeaseReports reports;

	private final ThreadLeaseLoop loop;

	private final ExecutorService calls;

	private final LeaseEngine engine;

	private final UserCode userCode;

	private final Listeners<LeaseListener> listeners;

	/**
	 * Creates a holder that does nothing until it is started.
	 * @param config which Lease to hold, and as whom
	 * @param client the client to call with, best made by {@link LeaseClients}; not
	 * closed by the holder
	 * @param meters where to register meters
	 * @param clock the clocks to measure with
	 * @param inUse asked when there is no Lease: whether somebody may act on one that was
	 * deleted. Then none is made for as long as it would last
	 */
	public LeaseHolder(LeaseHolderConfig config, KubernetesClient client, MeterRegistry meters, LeaseClock clock,
			BooleanSupplier inUse) {
		this.config = config;
		this.reports = new LeaseReports(config, meters);
		this.loop = new ThreadLeaseLoop(threads("lease-" + config.leaseName()));
		this.calls = Executors.newSingleThreadExecutor(threads("lease-calls-" + config.leaseName()));
		LeaseApi api = new ClientLeaseApi(client, config.namespace(), config.leaseName());
		this.engine = new LeaseEngine(config, api, this.loop, new LeaseCalls(this.loop, this.calls, clock),
				this.reports, clock, () -> ThreadLocalRandom.current().nextDouble(), inUse);
		this.userCode = new UserCode(meters, clock.nanos());
		this.listeners = new Listeners<>("lease listener", this.userCode);
		this.reports.add(new Teller(this.listeners));
	}

	/**
	 * Returns which Lease this is, and as whom it is held.
	 * @return the configuration
	 */
	public LeaseHolderConfig config() {
		return this.config;
	}

	/**
	 * Reads the Lease ahead of {@link #start()}, which then has one answer less to wait
	 * for. Writes nothing.
	 */
	public void lookAhead() {
		this.loop.execute(this.engine::lookAhead);
	}

	/**
	 * Begins to acquire the Lease; also after a release or a failure.
	 */
	public void start() {
		this.loop.execute(this.engine::start);
	}

	/**
	 * Holds, for one term, a Lease that was acquired elsewhere. When the term is lost,
	 * the holder has stopped.
	 * @param acquired the Lease as it was written, held by the identity of this holder
	 * @param sent when the write was sent, on the clocks of this holder
	 */
	public void startHeld(Lease acquired, Moment sent) {
		onLoop(() -> this.engine.startHeld(acquired, sent));
	}

	/**
	 * Tells whether writes of a former holder may still come for the objects of the
	 * shard.
	 * @return whether the Lease said so when it was acquired for the present term
	 */
	public boolean isTouchDue() {
		return this.engine.isTouchDue();
	}

	/**
	 * Notes on the Lease how far a term has come, with the next renewal.
	 * @param term the number of the term; nothing is noted if it is over
	 * @param change what becomes of what was noted so far
	 */
	public void note(long term, UnaryOperator<TermProgress> change) {
		onLoop(() -> {
			LeaseTerm present = this.reports.status().term();
			if (present != null && present.number() == term) {
				this.engine.note(change.apply(this.engine.progress()), false);
			}
		});
	}

	private void onLoop(Runnable task) {
		try {
			this.loop.execute(task);
		}
		catch (RejectedExecutionException ex) {
			// Closed meanwhile.
		}
	}

	/**
	 * Acquires the Lease no more: a term goes on until it is given back or lost. Where
	 * the Lease has room for that, notes at once that this process has begun to stop.
	 */
	public void announceStop() {
		onLoop(() -> {
			this.engine.acquireNoMore();
			if (this.config.notes() != null) {
				TermProgress so = this.engine.progress();
				this.engine.note(new TermProgress(so.touched(), so.served(), true), true);
			}
		});
	}

	/**
	 * Returns what completes with the next term, or with the current one if there is one.
	 * @return fails with {@link DuplicateShardNameException} if another living process
	 * uses the name
	 */
	public CompletableFuture<LeaseTerm> held() {
		return this.reports.held().copy();
	}

	/**
	 * Returns the current term.
	 * @return the term, empty while the Lease is not held
	 */
	public Optional<LeaseTerm> term() {
		return Optional.ofNullable(this.reports.status().term());
	}

	/**
	 * Returns how the Lease stands.
	 * @return a snapshot
	 */
	public LeaseStatus status() {
		return this.reports.status();
	}

	/**
	 * Adds a listener, which hears what happens from now on, on a thread of its own.
	 * @param listener the listener
	 */
	public void addListener(LeaseListener listener) {
		this.userCode.start();
		this.listeners.add(listener);
	}

	/**
	 * Adds a listener that hears at once, as it keeps others from acting without a Lease.
	 * It is called on the thread that watches over the deadline: nothing is renewed
	 * before it returns.
	 * @param listener the listener, which must not wait for anything
	 */
	public void addGate(LeaseListener listener) {
		this.reports.add(listener);
	}

	/**
	 * The calls of listeners that last too long.
	 * @return the longest first
	 */
	public List<StuckCall> stuckListeners() {
		return this.userCode.stuck();
	}

	/**
	 * Ends the term and gives the Lease back, so that others may act at once: call it
	 * only when nobody acts for it any more. Labels stay on the Lease.
	 * @return completes when the Lease is given back or was not held; fails when that did
	 * not succeed within the renew deadline, so that it runs out by itself
	 */
	public CompletableFuture<Void> release() {
		return release(TermEnd.RELEASE);
	}

	/**
	 * As {@link #release()}.
	 * @param how as {@link TermEnd#of} says; not {@link TermEnd#RUN_OUT}
	 * @return completes when the Lease is given back or was not held; fails when that did
	 * not succeed within the renew deadline, so that it runs out by itself
	 */
	public CompletableFuture<Void> release(TermEnd how) {
		if (how == TermEnd.RUN_OUT) {
			throw new IllegalArgumentException("A Lease runs out by itself");
		}
		CompletableFuture<Void> result = new CompletableFuture<>();
		try {
			this.loop.execute(() -> this.engine.release(how).whenComplete((done, failure) -> {
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else {
					result.completeAsync(() -> null, LeaseNews.EXECUTOR);
				}
			}));
		}
		catch (RejectedExecutionException ex) {
			result.completeExceptionally(ex);
		}
		return result;
	}

	/**
	 * Stops without release: the Lease runs out by itself.
	 */
	@Override
	public void close() {
		this.reports.close();
		this.userCode.close();
		try {
			this.loop.execute(() -> {
				this.engine.close();
				this.loop.close();
				this.calls.shutdownNow();
				this.listeners.close();
			});
		}
		catch (RejectedExecutionException ex) {
			// Closed before.
		}
	}

	/** Passes on what the gates have heard. */
	private record Teller(Listeners<LeaseListener> listeners) implements LeaseListener {

		@Override
		public void acquired(LeaseTerm term) {
			this.listeners.tell("acquired", (listener) -> listener.acquired(term));
		}

		@Override
		public void lost(LeaseTerm term, String reason) {
			this.listeners.tell("lost", (listener) -> listener.lost(term, reason));
		}

		@Override
		public void failed(RuntimeException failure) {
			this.listeners.tell("failed", (listener) -> listener.failed(failure));
		}

	}

	private static ThreadFactory threads(String name) {
		return (task) -> {
			Thread thread = new Thread(task, name);
			thread.setDaemon(true);
			return thread;
		};
	}

}

package dev.sharding.shard;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseListener;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.slot.Filling;
import dev.sharding.internal.kubernetes.slot.SlotCandidate;
import dev.sharding.internal.kubernetes.slot.SlotOptions;
import dev.sharding.internal.kubernetes.slot.SlotTaken;
import dev.sharding.internal.kubernetes.slot.StandbyStatus;
import dev.sharding.internal.kubernetes.slot.TermEnds;

/**
 * The Lease of the slot that is held, if one is; between two of them the process stands
 * by. Safe for use by many threads.
 */
final class SlotSupply implements LeaseSupply, SlotCandidate.Listener {

	private static final Duration LAST_CALL = Duration.ofSeconds(5);

	private final SlotOptions slots;

	private final KubernetesClient client;

	private final RuntimeOptions options;

	private final LeaseListener listener;

	private final TermEnds terms;

	private final Filling filling;

	private final SlotCandidate candidate;

	private volatile @Nullable Held held;

	/* Guarded by this. */
	private boolean stopping;

	/* Guarded by this. */
	private boolean closed;

	/**
	 * Creates it, standing by for nothing yet.
	 * @param slots which slots, and as whom
	 * @param client calls for the Leases
	 * @param options clocks and meters
	 * @param candidates makes the candidate
	 * @param filling fills the caches of a slot
	 * @param listener hears of the terms at once
	 * @param terms ends them
	 */
	SlotSupply(SlotOptions slots, KubernetesClient client, RuntimeOptions options,
			Function<SlotCandidate.Listener, SlotCandidate> candidates, Filling filling, LeaseListener listener,
			TermEnds terms) {
		this.slots = slots;
		this.client = client;
		this.options = options;
		this.filling = filling;
		this.listener = listener;
		this.terms = terms;
		this.candidate = candidates.apply(this);
	}

	/** The name of the slot that is held, empty if none is. */
	String slot() {
		Held now = this.held;
		return (now != null) ? now.holder().config().identity() : "";
	}

	/** How the process stands by, {@code null} unless it does. */
	@Nullable StandbyStatus standby() {
		return this.candidate.status();
	}

	/** Who took over from whom, {@code null} while no slot is held. */
	@Nullable String story() {
		Held now = this.held;
		return (now != null) ? now.taken().story() : null;
	}

	SlotOptions slots() {
		return this.slots;
	}

	Filling filling() {
		return this.filling;
	}

	/**
	 * Gives a slot back that cannot be served, leaves it alone for a while, stands by.
	 */
	void giveUp() {
		Held now = this.held;
		if (now != null) {
			this.candidate.avoid(now.taken().number());
			release().whenComplete((done, failure) -> start());
		}
	}

	@Override
	public @Nullable LeaseHolder holder() {
		Held now = this.held;
		return (now != null) ? now.holder() : null;
	}

	@Override
	public boolean isValid() {
		LeaseHolder holder = holder();
		LeaseTerm term = (holder != null) ? holder.status().term() : null;
		Duration margin = this.slots.timings().leaseDuration().minus(this.slots.timings().renewDeadline());
		return term != null && term.validAt(this.options.clock().now(), margin);
	}

	@Override
	public void lookAhead() {
		// Which Lease it will be is not known.
	}

	@Override
	public synchronized void start() {
		if (!this.stopping) {
			this.candidate.standBy();
		}
	}

	@Override
	public void announceStop() {
		synchronized (this) {
			this.stopping = true;
		}
		retire(Duration.ZERO);
		with(LeaseHolder::announceStop);
	}

	@Override
	public void running() {
		Held now = this.held;
		if (now != null) {
			this.candidate.served(now.taken().number());
			this.terms.running(now.holder());
		}
	}

	@Override
	public CompletableFuture<?> release() {
		Held now = this.held;
		if (now == null) {
			return CompletableFuture.completedFuture(null);
		}
		return this.terms.release(now.holder(), () -> {
		}).whenComplete((done, failure) -> drop(now));
	}

	@Override
	public void abandon() {
		Held now = this.held;
		if (now != null) {
			drop(now);
		}
	}

	@Override
	public void releaseAndClose(Duration patience) {
		retire(LAST_CALL);
		SlotTaken unseen = (this.held == null) ? this.candidate.takenUnseen() : null;
		closeCandidate();
		with((holder) -> this.terms.releaseAndClose(holder, patience));
		this.held = null;
		if (unseen != null) {
			LeaseHolder holder = holder(unseen);
			holder.startHeld(unseen.lease(), unseen.sent());
			this.terms.releaseAndClose(holder, patience);
		}
	}

	@Override
	public void close() {
		closeCandidate();
		with(LeaseHolder::close);
		this.held = null;
	}

	private void retire(Duration patience) {
		try {
			this.candidate.retire(patience);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/* A write that is still under way may acquire a slot, which then runs out. */
	private synchronized void closeCandidate() {
		this.closed = true;
		this.candidate.close();
	}

	private void with(Consumer<LeaseHolder> what) {
		LeaseHolder holder = holder();
		if (holder != null) {
			what.accept(holder);
		}
	}

	private synchronized void drop(Held gone) {
		gone.holder().close();
		if (this.held == gone) {
			this.held = null;
		}
	}

	@Override
	public void stopping(@Nullable String slot) {
		this.filling.prepare(slot);
	}

	@Override
	public void acquired(SlotTaken taken) {
		LeaseHolder made = holder(taken);
		Held next = new Held(taken, made);
		made.addGate(new Gate(next));
		synchronized (this) {
			if (this.closed) {
				made.close();
				return;
			}
			this.held = next;
		}
		made.startHeld(taken.lease(), taken.sent());
	}

	private LeaseHolder holder(SlotTaken taken) {
		return new LeaseHolder(taken.config(), this.client, this.options.meters(), this.options.clock(), () -> true);
	}

	/**
	 * A slot that is held.
	 *
	 * @param taken how it was taken
	 * @param holder holds its Lease
	 */
	private record Held(SlotTaken taken, LeaseHolder holder) {
	}

	/** First the group stops, then the process stands by again. */
	private final class Gate implements LeaseListener {

		private final Held of;

		Gate(Held of) {
			this.of = of;
		}

		@Override
		public void acquired(LeaseTerm term) {
			SlotSupply.this.listener.acquired(term);
		}

		@Override
		public void lost(LeaseTerm term, String reason) {
			SlotSupply.this.listener.lost(term, reason);
			drop(this.of);
			start();
		}

	}

}

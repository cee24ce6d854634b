package dev.sharding.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.fence.Claim;
import dev.sharding.internal.kubernetes.fence.ClaimScope;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.rest.GuardedClient;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.leadership.LeaderElection;
import dev.sharding.leadership.LeaderWork;
import dev.sharding.leadership.LeadershipListener;
import dev.sharding.leadership.NotLeaderException;

/**
 * The election of a group of controllers, as others see it. The group tells when a term
 * {@linkplain #open() begins} and when its {@linkplain #close() claim ends}; between the
 * two, on a thread of its own, {@link #work()} begins and ends what others do.
 */
final class ElectedLeader implements LeaderElection {

	private static final Logger logger = LoggerFactory.getLogger(ElectedLeader.class);

	private final String namespace;

	private final String lease;

	private final RequestGuard fence;

	private final BooleanSupplier mayBegin;

	private final BooleanSupplier mayWrite;

	private final Supplier<Moment> now;

	private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();

	/** The claim of the group's term, from its begin to its end. */
	private @Nullable Claim opened;

	/** The claim that work was begun under, until all of it has ended. */
	private @Nullable Claim acting;

	/** Whether further work may begin under it. */
	private boolean accepting;

	/** Whether the process ends: what runs may come to its end. */
	private boolean stopping;

	private int running;

	/**
	 * Creates an election without a term.
	 * @param config the Lease, {@code null} if every process is a leader
	 * @param fence asked before each write, and again when it goes out
	 * @param mayBegin whether something may begin, by the Lease
	 * @param mayWrite whether a write may go out, by the Lease
	 * @param now reads the clocks of the Lease
	 */
	ElectedLeader(@Nullable LeaseHolderConfig config, RequestGuard fence, BooleanSupplier mayBegin,
			BooleanSupplier mayWrite, Supplier<Moment> now) {
		this.fence = fence;
		this.namespace = (config != null) ? config.namespace() : "";
		this.lease = (config != null) ? config.leaseName() : "";
		this.mayBegin = mayBegin;
		this.mayWrite = mayWrite;
		this.now = now;
	}

	/** A term begins. */
	synchronized void open() {
		this.opened = Claim.ofTerm(this.namespace, this.lease);
	}

	/**
	 * What a reconcile works under that begins now, {@code null} while there is no term.
	 */
	synchronized @Nullable Claim term() {
		return this.opened;
	}

	/** The right to write that the term has given ends at once. */
	synchronized void close() {
		if (this.opened != null) {
			this.opened.end(this.now.get());
			this.opened = null;
		}
	}

	/** What follows the terms. */
	ShardWork work() {
		return new Work();
	}

	@Override
	public void addListener(LeadershipListener listener) {
		this.listeners.add(listener);
	}

	@Override
	public KubernetesClient fenced(KubernetesClient client) {
		return this.lease.isEmpty() ? client : GuardedClient.of(client, this.fence, UnaryOperator.identity());
	}

	@Override
	public boolean isLeader() {
		return claim(false) != null && this.mayBegin.getAsBoolean();
	}

	@Override
	public void requireLeader() {
		if ((claim(true) == null && !isReconciling()) || !this.mayWrite.getAsBoolean()) {
			throw new NotLeaderException("This process is not the leader, or cannot prove it%s"
				.formatted(this.lease.isEmpty() ? "" : " by Lease %s/%s".formatted(this.namespace, this.lease)));
		}
	}

	@Override
	public synchronized Optional<LeaderWork> begin() {
		Claim claim = claim(true);
		if (claim == null || !(ClaimScope.isFor(claim) || this.mayBegin.getAsBoolean())) {
			return Optional.empty();
		}
		this.running++;
		ClaimScope scope = ClaimScope.leading(claim);
		AtomicBoolean ended = new AtomicBoolean();
		return Optional.of(() -> {
			if (ended.compareAndSet(false, true)) {
				scope.close();
				ended();
			}
		});
	}

	/** Nothing new begins from here on. */
	synchronized void stop() {
		this.stopping = true;
	}

	/* A reconcile under the term, which outlives the work that is asked to end first. */
	private synchronized boolean isReconciling() {
		Claim claim = this.opened;
		return claim != null && claim.isLive() && ClaimScope.isFor(claim);
	}

	/**
	 * The live claim to act under.
	 * @param alsoBegun whether work that has begun may go on with its own although none
	 * begins any more
	 */
	private synchronized @Nullable Claim claim(boolean alsoBegun) {
		Claim claim = this.acting;
		boolean usable = claim != null && claim.isLive()
				&& ((this.accepting && !this.stopping) || (alsoBegun && ClaimScope.isFor(claim)));
		return usable ? claim : null;
	}

	private synchronized void ended() {
		this.running--;
		notifyAll();
	}

	private synchronized boolean accept() {
		this.acting = this.opened;
		this.accepting = this.acting != null;
		return this.accepting;
	}

	private synchronized boolean refuse() {
		boolean accepted = this.accepting;
		this.accepting = false;
		return accepted;
	}

	private synchronized void awaitEnd() throws InterruptedException {
		while (this.running > 0) {
			wait();
		}
		this.acting = null;
	}

	private static void tell(LeadershipListener listener, Consumer<LeadershipListener> event) {
		try {
			event.accept(listener);
		}
		catch (Throwable ex) {
			UserCode.warn(logger, "Leadership listener failed listener={}", ex, listener.getClass().getName());
		}
	}

	private final class Work implements ShardWork {

		/** Who has heard of the term. */
		private final List<LeadershipListener> told = new ArrayList<>();

		@Override
		public void begin() {
			if (accept()) {
				logger.info("This process is the leader lease={}", ElectedLeader.this.lease);
				run(() -> ElectedLeader.this.listeners.forEach(this::tellOfBegin));
			}
		}

		private boolean isToldOf() {
			synchronized (ElectedLeader.this) {
				return !ElectedLeader.this.stopping && claim(true) != null;
			}
		}

		private void tellOfBegin(LeadershipListener listener) {
			// The one before may have stayed inside until the term was over.
			if (isToldOf()) {
				this.told.add(listener);
				tell(listener, LeadershipListener::acquired);
			}
		}

		@Override
		public void end() throws InterruptedException {
			if (refuse()) {
				logger.info("This process is the leader no longer lease={}", ElectedLeader.this.lease);
				this.told.forEach((listener) -> tell(listener, LeadershipListener::lost));
				this.told.clear();
			}
			awaitEnd();
		}

		@Override
		public String toString() {
			return "leader election";
		}

	}

}

package dev.sharding.internal.kubernetes.slot;

import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.SlotChoice;
import dev.sharding.internal.core.slot.SlotDecision;
import dev.sharding.internal.core.slot.SlotDecision.Reason;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotView;
import dev.sharding.internal.core.slot.Standby;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.lease.LeaseContent;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.kubernetes.rest.ApiRequests;

/**
 * Stands by for a slot: looks at the Leases of the ring until one may be taken, and
 * acquires it. What it sees and does, it does on one thread of its own. Methods may be
 * called from any thread and return at once.
 */
public final class SlotCandidate implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(SlotCandidate.class);

	/** How soon to look again for a slot that is about to be given back. */
	private static final Duration SOON = Duration.ofMillis(200);

	/** How soon to look again while nothing wakes it. */
	private static final Duration UNWATCHED = Duration.ofMillis(500);

	private static final Duration CHECK_AGAIN = Duration.ofSeconds(2);

	/** After this time it is said that there may be too few slots. */
	private static final Duration LONG = Duration.ofMinutes(5);

	private static final Duration FIRST_AVOIDANCE = Duration.ofSeconds(10);

	/* What kept a slot from being served may be over for all slots at once. */
	private static final int MOST_DOUBLINGS = 2;

	private final SlotOptions options;

	private final LeaseClock clock;

	private final SlotLeases leases;

	private final SlotObjects objects;

	private final SharderLook sharder;

	private final Listener listener;

	private final SlotWatch watch;

	private final Thread thread;

	private final Object monitor = new Object();

	/* Guarded by the monitor. */
	private boolean standing;

	private boolean woken;

	private boolean busy;

	private boolean closed;

	private Moment since;

	private final Map<Integer, Avoided> avoided = new HashMap<>();

	// What follows belongs to the thread.

	private SlotViews views;

	private @Nullable Moment answeredSince;

	private Moment lastAnswer;

	private boolean warned;

	private volatile boolean ready;

	private volatile @Nullable Reason reason;

	private volatile int held;

	private volatile @Nullable String lastError;

	/** The last write, unless its answer came in time. */
	private volatile @Nullable Unanswered unanswered;

	/**
	 * Creates a candidate that does nothing before {@link #standBy()}.
	 * @param options which slots, and as whom
	 * @param leaseClient calls for the Leases; not closed
	 * @param client watches them; not closed
	 * @param requests asks for the ring, without a guard
	 * @param serialization reads the answers
	 * @param objects asks for the objects of slots
	 * @param clock the clocks to measure with
	 * @param listener hears what happens
	 */
	public SlotCandidate(SlotOptions options, KubernetesClient leaseClient, KubernetesClient client,
			ApiRequests requests, KubernetesSerialization serialization, SlotObjects objects, LeaseClock clock,
			Listener listener) {
		this.options = options;
		this.clock = clock;
		this.leases = new SlotLeases(leaseClient, options);
		this.objects = objects;
		this.sharder = new SharderLook(requests, serialization, this.leases, options);
		this.listener = listener;
		this.watch = new SlotWatch(client, options, this::wake);
		this.since = clock.now();
		this.lastAnswer = this.since;
		this.views = new SlotViews(options, this.since);
		this.thread = new Thread(this::run, "slots-" + options.ring());
		this.thread.setDaemon(true);
	}

	/** Begins to stand by; once it has acquired a slot, it does nothing more. */
	public void standBy() {
		synchronized (this.monitor) {
			if (this.closed || this.standing) {
				return;
			}
			this.standing = true;
			this.since = this.clock.now();
			this.reason = null;
			if (this.thread.getState() == Thread.State.NEW) {
				this.thread.start();
			}
			this.monitor.notifyAll();
		}
	}

	/**
	 * Stands by no longer, and waits for what is under way, which may still acquire a
	 * slot.
	 * @param patience how long to wait
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public void retire(Duration patience) throws InterruptedException {
		long deadline = this.clock.nanos().getAsLong() + patience.toNanos();
		synchronized (this.monitor) {
			this.standing = false;
			this.monitor.notifyAll();
			while (this.busy) {
				long left = deadline - this.clock.nanos().getAsLong();
				if (left <= 0) {
					return;
				}
				TimeUnit.NANOSECONDS.timedWait(this.monitor, left);
			}
		}
	}

	/**
	 * Looks once whether the last write took a slot though its answer did not come, or
	 * came too late. Blocks; for whoever stands by no more.
	 * @return the slot, {@code null} if none was taken or nobody can tell
	 */
	public @Nullable SlotTaken takenUnseen() {
		Unanswered last = this.unanswered;
		if (last == null) {
			return null;
		}
		try {
			Lease lease = this.leases.get(this.options.names().name(last.slot()));
			return (lease != null && isOwn(LeaseRecords.slotLease(lease)))
					? new SlotTaken(last.slot(), this.options.lease(last.slot()), lease, last.sent(), last.before())
					: null;
		}
		catch (KubernetesClientException ex) {
			logger.debug("Failed to look at slot {}", this.options.names().name(last.slot()), ex);
			return null;
		}
	}

	/** Something may have changed: look now. */
	public void wake() {
		synchronized (this.monitor) {
			this.woken = true;
			this.monitor.notifyAll();
		}
	}

	/**
	 * Leaves a slot alone for a while, longer each time.
	 * @param slot its number
	 */
	public void avoid(int slot) {
		synchronized (this.monitor) {
			Avoided before = this.avoided.get(slot);
			int times = (before != null) ? Math.min(before.times() + 1, MOST_DOUBLINGS) : 0;
			this.avoided.put(slot, new Avoided(this.clock.now(), FIRST_AVOIDANCE.multipliedBy(1L << times), times));
		}
	}

	/**
	 * A slot was served well.
	 * @param slot its number
	 */
	public void served(int slot) {
		synchronized (this.monitor) {
			this.avoided.remove(slot);
		}
	}

	/**
	 * How it fares.
	 * @return a snapshot, {@code null} unless it stands by
	 */
	public @Nullable StandbyStatus status() {
		synchronized (this.monitor) {
			if (!this.standing) {
				return null;
			}
			return new StandbyStatus(this.since.wall(), this.clock.now().observedSince(this.since), this.ready,
					this.reason, this.options.names().count(), this.held, this.lastError);
		}
	}

	/**
	 * Whether it could list each resource of the ring, read the ring and write a Lease.
	 * @return whether it did so once
	 */
	public boolean isReady() {
		return this.ready;
	}

	@Override
	public void close() {
		synchronized (this.monitor) {
			this.closed = true;
			this.standing = false;
			this.monitor.notifyAll();
		}
		this.watch.end();
		this.thread.interrupt();
	}

	private void run() {
		while (isStanding()) {
			Duration pause;
			try {
				pause = this.ready ? look() : check();
			}
			catch (Throwable ex) {
				if (isClosed()) {
					return;
				}
				pause = failed(ex);
			}
			finally {
				rest();
			}
			sleep(pause);
		}
	}

	/** Waits until it is to stand by; {@code false} once it is closed. */
	private boolean isStanding() {
		synchronized (this.monitor) {
			while (!this.closed && !this.standing) {
				try {
					this.monitor.wait();
				}
				catch (InterruptedException ex) {
					// Closed, or nobody's interrupt.
					continue;
				}
			}
			this.busy = !this.closed;
			return this.busy;
		}
	}

	private void rest() {
		synchronized (this.monitor) {
			this.busy = false;
			this.monitor.notifyAll();
		}
	}

	private boolean isClosed() {
		synchronized (this.monitor) {
			return this.closed;
		}
	}

	private void sleep(Duration pause) {
		long deadline = this.clock.nanos().getAsLong() + pause.toNanos();
		synchronized (this.monitor) {
			try {
				long left = pause.toMillis();
				while (left > 0 && !this.closed && this.standing && !this.woken) {
					this.monitor.wait(left);
					left = Duration.ofNanos(deadline - this.clock.nanos().getAsLong()).toMillis();
				}
			}
			catch (InterruptedException ex) {
				// Closed, or nobody's interrupt.
			}
			this.woken = false;
		}
	}

	private Duration failed(Throwable failure) {
		boolean expected = failure instanceof KubernetesClientException || failure instanceof ApiException;
		String text = String.valueOf(failure.getMessage());
		if (this.lastError == null || !expected) {
			logger.warn("Failed to stand by for a slot of ring {}, trying again: {}", this.options.ring(), text,
					expected ? null : failure);
		}
		this.lastError = text;
		this.answeredSince = null;
		return this.ready ? this.options.timings().retryPeriod() : CHECK_AGAIN;
	}

	/* A version that cannot work must not be taken for one that can. */
	private Duration check() {
		this.objects.tryToList();
		// Whoever may not read the ring never learns that a slot with objects may be
		// taken.
		this.sharder.honoursSlots();
		try {
			this.leases.tryToCreate();
		}
		catch (KubernetesClientException ex) {
			if (ex.getCode() != HttpURLConnection.HTTP_CONFLICT) {
				throw ex;
			}
		}
		this.ready = true;
		this.lastError = null;
		logger.info("Standing by for a slot ring={} namespace={} slots={} prefix={} instanceId={}", this.options.ring(),
				this.options.namespace(), this.options.names().count(), this.options.names().prefix(),
				this.options.instanceId());
		return Duration.ZERO;
	}

	private Duration look() {
		this.watch.open();
		Map<String, Lease> found = this.leases.list();
		Moment now = this.clock.now();
		boolean gap = now.observedSince(this.lastAnswer).compareTo(this.options.timings().leaseDuration()) > 0;
		if (this.answeredSince == null || gap) {
			this.answeredSince = now;
		}
		this.lastAnswer = now;
		this.lastError = null;
		this.views.see(found, now);
		this.held = this.views.held();
		Duration pause = act();
		if (!mayWrite()) {
			this.watch.close();
			return pause;
		}
		Integer stopping = this.views.stopping();
		this.listener.stopping((stopping != null) ? this.options.names().name(stopping) : null);
		return (stopping != null) ? shorter(pause, SOON) : this.watch.isOpen() ? pause : shorter(pause, UNWATCHED);
	}

	private Duration act() {
		Set<Integer> left = avoided();
		Integer own = own(left);
		if (own != null) {
			return take(own);
		}
		boolean asked = false;
		boolean honoured = true;
		while (true) {
			SlotDecision decision = SlotChoice.of(standby(honoured, left), this.views.all(), this.clock.now());
			if (decision instanceof SlotDecision.StandBy standBy) {
				tell(standBy.reason());
				return shorter(standBy.delay(), this.options.timings().retryPeriod());
			}
			if (decision instanceof SlotDecision.LookUp lookUp) {
				boolean bears = this.objects.any(this.options.names().name(lookUp.slot()));
				this.views.labelled(lookUp.slot(), bears, this.clock.now());
			}
			else if (!asked) {
				asked = true;
				honoured = this.sharder.honoursSlots();
			}
			else {
				return (decision instanceof SlotDecision.Take take) ? take(take.slot())
						: create(((SlotDecision.Create) decision).slot());
			}
		}
	}

	private void tell(Reason next) {
		warnOfTooFew(next);
		if (next != this.reason) {
			this.reason = next;
			StandbyStatus status = status();
			if (status != null) {
				logger.info("Standing by ring={}: {}", this.options.ring(), status.text());
			}
		}
	}

	private void warnOfTooFew(Reason next) {
		Moment begun;
		synchronized (this.monitor) {
			begun = this.since;
		}
		if (next == Reason.ALL_HELD && !this.warned && this.clock.now().observedSince(begun).compareTo(LONG) > 0) {
			this.warned = true;
			logger
				.warn("All {} slots of ring {} have been held for {} min while this process stands by: if it is to work,"
						+ " raise 'sharding.slots', which should not be below the number of replicas or the maximum of an"
						+ " autoscaler", this.options.names().count(), this.options.ring(), LONG.toMinutes());
		}
	}

	private Standby standby(boolean honoured, Set<Integer> left) {
		Moment answered = (this.answeredSince != null) ? this.answeredSince : this.lastAnswer;
		synchronized (this.monitor) {
			return new Standby(this.options.ring(), this.options.instanceId(), this.options.timings().leaseDuration(),
					this.options.slotWait(), this.options.template(), this.since, answered, honoured, left);
		}
	}

	private Set<Integer> avoided() {
		Moment now = this.clock.now();
		Set<Integer> left = new HashSet<>();
		synchronized (this.monitor) {
			this.avoided.forEach((slot, until) -> {
				if (now.observedSince(until.since()).compareTo(until.length()) < 0) {
					left.add(slot);
				}
			});
		}
		return left;
	}

	/* A write without an answer, or a term that could not be proved any more. */
	private @Nullable Integer own(Set<Integer> left) {
		for (int slot = 0; slot < this.views.all().size(); slot++) {
			SlotView view = this.views.all().get(slot);
			SlotLease lease = view.absent() ? null : view.lease();
			if (lease != null && !left.contains(slot) && isOwn(lease)) {
				return slot;
			}
		}
		return null;
	}

	private boolean isOwn(SlotLease lease) {
		return lease.record().isHeldByItself() && this.options.ring().equals(lease.ring())
				&& this.options.instanceId().equals(lease.record().instanceId());
	}

	private Duration take(int slot) {
		Lease seen = this.views.lease(slot);
		if (seen == null) {
			return Duration.ZERO;
		}
		LeaseContent content = new LeaseContent(this.options.lease(slot));
		return write(slot, content.takeOver(seen, this.clock.now().wall()), seen);
	}

	private Duration create(int slot) {
		Lease present = this.leases.get(this.options.names().name(slot));
		if (present != null) {
			if (this.options.ring().equals(LeaseRecords.slotLease(present).ring())) {
				// Somebody was faster.
				return Duration.ZERO;
			}
			this.views.foreign(slot, present, this.clock.now());
			return Duration.ZERO;
		}
		boolean inUse = !Boolean.FALSE.equals(this.views.all().get(slot).labelled());
		LeaseContent content = new LeaseContent(this.options.lease(slot));
		return write(slot, content.create(inUse, this.clock.now().wall()), null);
	}

	private Duration write(int slot, Lease wanted, @Nullable Lease before) {
		if (!mayWrite()) {
			return Duration.ZERO;
		}
		Moment sent = this.clock.now();
		this.unanswered = new Unanswered(slot, sent, before);
		Lease written;
		try {
			written = (before != null) ? this.leases.update(wanted) : this.leases.create(wanted);
		}
		catch (KubernetesClientException ex) {
			// What cannot be created where it should be has no namespace, and that lasts.
			if (ex.getCode() == HttpURLConnection.HTTP_CONFLICT
					|| (ex.getCode() == HttpURLConnection.HTTP_NOT_FOUND && before != null)) {
				this.unanswered = null;
				logger.info("Somebody was faster at slot {}", this.options.names().name(slot));
				return Duration.ZERO;
			}
			throw ex;
		}
		Duration left = this.options.timings().untilLost(sent, this.clock.now());
		if (left.isZero() || left.isNegative()) {
			// So long under way that it is worth nothing; the next look finds it.
			return Duration.ZERO;
		}
		this.unanswered = null;
		synchronized (this.monitor) {
			this.standing = false;
		}
		this.reason = null;
		SlotTaken taken = new SlotTaken(slot, this.options.lease(slot), written, sent, before);
		logger.info("Acquired slot {}: {}", this.options.names().name(slot), taken.story());
		try {
			this.listener.acquired(taken);
		}
		catch (RuntimeException | Error ex) {
			// It holds the Lease and does not know: the next look finds it.
			standBy();
			throw ex;
		}
		return Duration.ZERO;
	}

	private boolean mayWrite() {
		synchronized (this.monitor) {
			return this.standing && !this.closed;
		}
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	/**
	 * Hears what becomes of a candidate, on its thread.
	 */
	public interface Listener {

		/**
		 * The holder of a slot has begun to stop, or none has. Told again and again.
		 * @param slot the name of the slot, {@code null} for none
		 */
		void stopping(@Nullable String slot);

		/**
		 * It has acquired a slot and stands by no longer; also by a write that was under
		 * way when it was {@linkplain SlotCandidate#retire told to stop}.
		 * @param taken the slot
		 */
		void acquired(SlotTaken taken);

	}

	private record Avoided(Moment since, Duration length, int times) {
	}

	/**
	 * A write that may have taken a slot.
	 *
	 * @param slot its number
	 * @param sent when it was sent
	 * @param before the Lease before, {@code null} if there was none
	 */
	private record Unanswered(int slot, Moment sent, @Nullable Lease before) {
	}

}

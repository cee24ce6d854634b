package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.lease.HoldDecision;
import dev.sharding.internal.core.lease.HoldDecision.Hold;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardLeaseDecision;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.core.slot.GraceDecision;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.internal.sharder.shardlease.LeaseFailures.Operation;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what is due about each Lease, one request at a time. Lives on the thread of
 * {@link ShardLeases}.
 */
final class LeaseKeeper {

	private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

	/** How long a Lease is held after a renewal whose shard did not say how long. */
	static final Duration HOLD = Duration.ofSeconds(15);

	/* So that people, and the Go project's tests, see who took a Lease. */
	private static final Duration SHOW_TAKE = Duration.ofSeconds(2);

	private final LeaseBook book;

	private final LeaseRequests requests;

	private final HoldClaims claims;

	private final LeaseFailures failures;

	private final EventLoop loop;

	private final Supplier<Moment> clock;

	private final Consumer<String> changed;

	private final Consumer<Lease> graceEnded;

	private long tenures;

	private Moment reachableSince;

	/**
	 * @param changed called with a ring whenever its seats may be others than before
	 * @param graceEnded called with a Lease that waited for a holder in vain and was
	 * taken
	 */
	LeaseKeeper(LeaseBook book, LeaseRequests requests, HoldClaims claims, LeaseFailures failures, EventLoop loop,
			Supplier<Moment> clock, Consumer<String> changed, Consumer<Lease> graceEnded) {
		this.book = book;
		this.requests = requests;
		this.claims = claims;
		this.failures = failures;
		this.loop = loop;
		this.clock = clock;
		this.changed = changed;
		this.graceEnded = graceEnded;
		this.reachableSince = clock.get();
	}

	/** The API server did not answer just now. */
	void unreachable() {
		this.reachableSince = this.clock.get();
	}

	/** Acts on what was seen, and sees to it that there is a next look. */
	void look(ObjectKey key) {
		TrackedLease tracked = this.book.get(key);
		if (tracked == null || !this.book.rings().contains(tracked.ring())) {
			return;
		}
		Moment now = this.clock.get();
		ShardName shard = new ShardName(tracked.ring(), key.name());
		if (this.book.noteSeat(key, tracked, now)) {
			this.changed.accept(tracked.ring());
		}
		this.claims.settle(shard, now);
		if (tracked.isBusy() || this.book.making().contains(shard)) {
			return;
		}
		ShardState state = tracked.shownState(now.wall());
		HoldTerm holdTerm = tracked.holdTerm();
		boolean lost = !state.isAvailable() && !tracked.slot().isWaitedFor();
		if (holdTerm == null && this.claims.wants(shard) && lost && takeIfOver(key, tracked, now)) {
			return;
		}
		if (tracked.shows(state)) {
			// By an answer that was lost, perhaps.
			this.failures.succeeded(key, Operation.SHOW_STATE);
		}
		if (tracked.isToShow(state, now)) {
			log.info("Shard changed its state lease={} ring={} state={} settled={}", key, tracked.ring(), state.label(),
					tracked.unmarked());
			showState(key, tracked, state);
		}
		else if (holdTerm != null) {
			hold(key, tracked, holdTerm, now);
		}
		else if (this.claims.wants(shard) && lost) {
			awaitClaim(key, tracked, this.book.untilClaimOver(key, tracked, now));
		}
		else if (tracked.slot().isWaitedFor()) {
			awaitHolder(key, tracked, shard, now);
		}
		else if (tracked.isLeftOver()) {
			giveBack(key, tracked, now);
		}
		else if (tracked.isBelieved()) {
			decide(key, tracked, state, now);
		}
	}

	/*
	 * Its objects wait for a process that takes it, as long as the grace lasts while
	 * another shard could have them.
	 */
	private void awaitHolder(ObjectKey key, TrackedLease tracked, ShardName shard, Moment now) {
		GraceDecision decision = GraceDecision.of(tracked.slot(), tracked.grace(), this.book.othersHeldFor(shard, now),
				now);
		if (decision instanceof GraceDecision.Keep keep) {
			lookAgain(key, tracked, keep.delay());
			return;
		}
		Lease waited = tracked.lease();
		take(key, tracked, LeaseWrites.hold(tracked.record(), HOLD, now.wall()), now, SHOW_TAKE, () -> {
			log.info("Nobody has taken a shard that was given back, its objects move lease={} ring={} graceSeconds={}",
					key, tracked.ring(), tracked.slot().grace().toSeconds());
			this.graceEnded.accept(waited);
		});
	}

	/* Not the whole time: what is known of it changes with others of the ring. */
	private void awaitClaim(ObjectKey key, TrackedLease tracked, Duration left) {
		if (left.compareTo(AbsentLeases.LONGEST_WAIT) > 0) {
			tracked.lookAgain(this.loop.schedule(() -> look(key), AbsentLeases.LONGEST_WAIT));
		}
		else {
			lookAgain(key, tracked, left);
		}
	}

	private void decide(ObjectKey key, TrackedLease tracked, ShardState state, Moment now) {
		ShardLeaseDecision decision = ShardLeaseDecision.of(tracked.seen(), this.book.untilClaimOver(key, tracked, now),
				this.book.trust().longest(), tracked.reachableSince(this.reachableSince), now);
		if (decision instanceof ShardLeaseDecision.Take) {
			take(key, tracked, LeaseWrites.take(tracked.record(), now.wall()), now, SHOW_TAKE, () -> {
			});
		}
		else if (decision instanceof ShardLeaseDecision.Delete) {
			log.info("Deleting the Lease of a shard that is long gone lease={} ring={}", key, tracked.ring());
			delete(key, tracked);
		}
		else if (decision instanceof ShardLeaseDecision.LookAgain again) {
			lookAgain(key, tracked, delay(tracked, state, again.delay(), now));
		}
	}

	/*
	 * While a shard is overdue, the API server is asked now and then: only if it answers
	 * all the time is the silence the shard's own.
	 */
	private static Duration delay(TrackedLease tracked, ShardState state, Duration asked, Moment now) {
		Duration probe = LeaseTimes.of(tracked.record(), now.wall()).leaseDuration().dividedBy(5);
		boolean overdue = state == ShardState.EXPIRED || state == ShardState.UNCERTAIN;
		return (overdue && probe.compareTo(asked) < 0) ? probe : asked;
	}

	/* After a conflict somebody has written it, and the watch may be late. */
	private void wake(ObjectKey key, boolean conflict) {
		TrackedLease tracked = this.book.get(key);
		if (tracked == null || tracked.isBusy()) {
			return;
		}
		Moment now = this.clock.get();
		ShardState state = tracked.state(now.wall());
		if (conflict || state == ShardState.EXPIRED || state == ShardState.UNCERTAIN) {
			Duration third = LeaseTimes.of(tracked.record(), now.wall()).leaseDuration().dividedBy(3);
			request(key, tracked, Operation.READ, this.requests.get(tracked.lease(), third), () -> {
			});
		}
		else {
			look(key);
		}
	}

	/* Nobody may come back as this shard while its objects leave it. */
	private boolean takeIfOver(ObjectKey key, TrackedLease tracked, Moment now) {
		if (!this.book.untilClaimOver(key, tracked, now).isZero()) {
			return false;
		}
		LeaseRecord record = tracked.record();
		boolean resumed = record.isHeldBySharder();
		Integer seconds = record.capped(this.book.trust().longest()).leaseDurationSeconds();
		LeaseRecord write = (resumed && seconds != null)
				? LeaseWrites.renew(record, Duration.ofSeconds(Math.max(1, seconds)), now.wall())
				: LeaseWrites.hold(record, HOLD, now.wall());
		take(key, tracked, write, now, Duration.ZERO, () -> {
		});
		return true;
	}

	private void take(ObjectKey key, TrackedLease tracked, LeaseRecord write, Moment now, Duration atLeast,
			Runnable taken) {
		// Somebody whose process is not known to have ended may go on unknowingly if the
		// Lease is free too soon; ours notices.
		LeaseRecord before = tracked.record();
		boolean runsOut = before.instanceId() == null && !before.isReleased();
		Hold hold = new Hold(now, now, LeaseTimes.of(write, now.wall()).leaseDuration(), atLeast, runsOut);
		request(key, tracked, Operation.HOLD, this.requests.write(tracked.lease(), write), () -> {
			HoldTerm begun = new HoldTerm(++this.tenures, this.clock, hold, write.renewTime());
			if (begun.isOurs(tracked.record())) {
				log.info("Took the Lease of a shard that is gone lease={} ring={} heldBefore={}", key, tracked.ring(),
						before.holderIdentity());
				tracked.hold(begun);
				taken.run();
			}
		});
	}

	/**
	 * Takes the Lease of a shard that renews it, but does not do what it was asked for.
	 */
	void force(ObjectKey key) {
		TrackedLease tracked = this.book.get(key);
		Moment now = this.clock.get();
		if (tracked == null || tracked.isBusy() || !tracked.state(now.wall()).isAvailable()) {
			return;
		}
		log.warn("Taking the Lease of a shard that does not let go of objects lease={} ring={}", key, tracked.ring());
		LeaseRecord write = LeaseWrites.take(tracked.record(), now.wall());
		request(key, tracked, Operation.HOLD, this.requests.force(tracked.lease(), write), () -> {
		});
	}

	/** A Lease that we have just made is held by us. */
	void made(TrackedLease tracked, Moment sent) {
		Hold hold = new Hold(sent, sent, HOLD, Duration.ZERO, false);
		tracked.hold(new HoldTerm(++this.tenures, this.clock, hold, tracked.record().renewTime()));
	}

	private void hold(ObjectKey key, TrackedLease tracked, HoldTerm holdTerm, Moment now) {
		if (!holdTerm.isValid()) {
			log.warn("Hold of a Lease was not renewed in time lease={} ring={}", key, tracked.ring());
			tracked.hold(null);
			look(key);
			return;
		}
		boolean wanted = this.claims.wants(new ShardName(tracked.ring(), key.name()));
		HoldDecision decision = HoldDecision.of(holdTerm.hold(), wanted, now);
		if (decision instanceof HoldDecision.Renew) {
			LeaseRecord write = LeaseWrites.renew(tracked.record(), holdTerm.hold().duration(), now.wall());
			holdTerm.renewing(write.renewTime());
			request(key, tracked, Operation.HOLD, this.requests.write(tracked.lease(), write),
					() -> holdTerm.renewed(now, holdTerm.hold().duration(), write.renewTime()));
		}
		else if (decision instanceof HoldDecision.LookAgain again) {
			lookAgain(key, tracked, again.delay());
		}
		else if (decision instanceof HoldDecision.GiveBack) {
			log.info("Giving the Lease of a shard back, its objects have moved lease={} ring={}", key, tracked.ring());
			tracked.leave();
			giveBack(key, tracked, now);
		}
		else {
			tracked.hold(null);
			look(key);
		}
	}

	/* Asked again as long as it is needed: a shard of that name waits for it. */
	private void giveBack(ObjectKey key, TrackedLease tracked, Moment now) {
		request(key, tracked, Operation.GIVE_BACK,
				this.requests.write(tracked.lease(), LeaseWrites.release(tracked.record(), now.wall())), () -> {
				});
	}

	/*
	 * The label is for people, and the mark for webhooks: that they cannot be written
	 * must not keep a dead shard alive.
	 */
	private void showState(ObjectKey key, TrackedLease tracked, ShardState state) {
		Instant settled = tracked.unmarked();
		CompletableFuture<Lease> request = (settled != null) ? this.requests.showState(tracked.lease(), state, settled)
				: this.requests.showState(tracked.lease(), state);
		request(key, tracked, Operation.SHOW_STATE, request.whenComplete((lease, failure) -> {
			if (failure != null && LeaseFailures.isRefusal(ApiException.of(failure))) {
				this.loop.execute(() -> tracked.showRefused(state, settled != null, this.clock.get()));
			}
		}), () -> {
		});
	}

	private void request(ObjectKey key, TrackedLease tracked, Operation operation, CompletableFuture<Lease> request,
			Runnable then) {
		tracked.busy(true);
		request.whenComplete((lease, failure) -> this.loop.execute(() -> {
			tracked.busy(false);
			if (failure != null) {
				failed(key, tracked, operation, ApiException.of(failure));
				return;
			}
			this.failures.succeeded(key, operation);
			if (this.book.get(key) == tracked && this.book.answered(key, tracked, lease, this.clock.get())) {
				then.run();
				look(key);
			}
		}));
	}

	private void delete(ObjectKey key, TrackedLease tracked) {
		tracked.busy(true);
		this.requests.delete(tracked.lease()).whenComplete((done, failure) -> this.loop.execute(() -> {
			tracked.busy(false);
			if (failure != null) {
				failed(key, tracked, Operation.DELETE, ApiException.of(failure));
			}
			else {
				this.failures.succeeded(key, Operation.DELETE);
			}
		}));
	}

	private void failed(ObjectKey key, TrackedLease tracked, Operation operation, ApiException failure) {
		if (!failure.isAnswered() || failure.status() >= 500) {
			if (operation == Operation.READ) {
				unreachable();
			}
			else {
				// A webhook that fails for one Lease says nothing of the others.
				tracked.unreachable(this.clock.get());
			}
		}
		Duration delay = this.failures.failed(key, tracked.ring(), operation, failure);
		if (this.book.get(key) == tracked) {
			tracked.lookAgain(this.loop.schedule(() -> wake(key, failure.isConflict()), delay));
		}
	}

	private void lookAgain(ObjectKey key, TrackedLease tracked, Duration delay) {
		tracked.lookAgain(this.loop.schedule(() -> wake(key, false), delay));
	}

}

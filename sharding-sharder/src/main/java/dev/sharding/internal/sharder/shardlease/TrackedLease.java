package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Future;

import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardClaim;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.slot.GraceObservation;
import dev.sharding.internal.core.slot.Seat;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.sharder.shardlease.MembershipLaw.SeatFacts;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

/**
 * One Lease of a ring, and what the sharder has seen of it. Lives on the thread of
 * {@link ShardLeases}.
 */
final class TrackedLease {

	private static final Duration SHOWN_AGAIN = Duration.ofSeconds(32);

	private Lease lease;

	private final Duration longest;

	private LeaseObservation seen;

	private SlotLease slot;

	/* What was seen of the time for which its objects wait for a holder. */
	private GraceObservation grace;

	/* Since when it was seen with a holder of its name, if it has one. */
	private @Nullable Moment heldSince;

	/* Its shard has its part of the objects by our own decision, whatever it says. */
	private boolean settled;

	/* What is to be written on it of that. */
	private @Nullable Instant unmarked;

	private ShardClaim claim;

	/* With which the shard renewed when it held the Lease last and was believed. */
	private Duration duration = Duration.ZERO;

	/* We hold the Lease. */
	private @Nullable HoldTerm holdTerm;

	/* We hold the Lease for nobody any more, and it still says that we do. */
	private boolean leftOver;

	/* The next look, if nothing happens before. */
	private @Nullable Future<?> timer;

	/* What the API server did not let us show last. */
	private @Nullable Refusal refused;

	/* What it was for its ring when that was noted last. */
	private @Nullable SeatFacts seat;

	/* When a write of this Lease was not answered, or with an error of the server. */
	private @Nullable Moment unreachable;

	/* A request about this Lease is under way; its answer leads to the next look. */
	private boolean busy;

	/**
	 * @param longest the longest duration that is believed
	 * @param before the claim of a shard whose Lease of this name has vanished, if there
	 * was one
	 */
	TrackedLease(Lease lease, Duration longest, @Nullable ShardClaim before, Moment now) {
		this.lease = lease;
		this.longest = longest;
		this.seen = LeaseObservation.first(LeaseRecords.of(lease), now);
		this.slot = LeaseRecords.slotLease(lease);
		this.grace = GraceObservation.first(this.slot, now);
		noteHolder(now);
		this.claim = (before != null) ? before.returned(record(), isTakenByForce(), longest, now)
				: ShardClaim.first(record(), isTakenByForce(), longest, now);
		noteDuration();
	}

	void see(Lease current, Moment now) {
		this.lease = current;
		this.seen = this.seen.next(LeaseRecords.of(current), now);
		this.slot = LeaseRecords.slotLease(current);
		this.grace = this.grace.next(this.slot, now);
		noteHolder(now);
		this.claim = this.claim.next(record(), isTakenByForce(), this.longest, now);
		noteDuration();
		if (this.holdTerm != null && !this.holdTerm.isOurs(record())) {
			hold(null);
		}
		this.leftOver &= record().isHeldBySharder();
	}

	/** A write of it was not answered just now, or with an error of the server. */
	void unreachable(Moment now) {
		this.unreachable = now;
	}

	/**
	 * Since when its shard could have renewed it.
	 * @param others since when the API server has answered about Leases in general
	 */
	Moment reachableSince(Moment others) {
		Moment own = this.unreachable;
		return (own != null && own.nanos() - others.nanos() > 0) ? own : others;
	}

	/** Tells whether {@code other} is an earlier version of this Lease. */
	boolean isNewerThan(Lease other) {
		return other.getMetadata().getUid().equals(this.lease.getMetadata().getUid())
				&& ResourceVersions.compare(other.getMetadata().getResourceVersion(),
						this.lease.getMetadata().getResourceVersion()) == ResourceVersions.Order.BEFORE;
	}

	private void noteDuration() {
		if (record().isHeldByItself() && isBelieved()) {
			this.duration = this.claim.renewsWith();
		}
	}

	private void noteHolder(Moment now) {
		if (!record().isHeldByItself()) {
			this.heldSince = null;
		}
		else if (this.heldSince == null) {
			this.heldSince = now;
		}
		if (!record().isHeldByItself() && !this.slot.isWaitedFor()) {
			this.settled = false;
			this.unmarked = null;
			this.refused = (this.refused != null) ? this.refused.withoutMark() : null;
		}
		else if (this.slot.settled() != null) {
			this.unmarked = null;
		}
	}

	/** What it says beside its spec. */
	SlotLease slot() {
		return this.slot;
	}

	/** What was seen of the time for which its objects wait. */
	GraceObservation grace() {
		return this.grace;
	}

	/**
	 * For how long its shard has held it at least: by what it says, or by what was seen,
	 * so that neither a clock nor a new sharder makes that short.
	 * @return zero if it does not
	 */
	Duration heldFor(Moment now) {
		Moment since = this.heldSince;
		if (since == null) {
			return Duration.ZERO;
		}
		Duration observed = now.observedSince(since);
		Instant acquired = record().acquireTime();
		Duration says = (acquired != null) ? Duration.between(acquired, now.wall()) : Duration.ZERO;
		return (says.compareTo(observed) > 0) ? says : observed;
	}

	/**
	 * Its shard has its part of the objects from now on; the Lease is to say so.
	 * @return whether it did not have it by our own decision before
	 */
	boolean settle(Instant now) {
		boolean news = !this.settled;
		this.settled = true;
		if (this.slot.settled() == null && this.unmarked == null) {
			this.unmarked = now;
		}
		return news;
	}

	/** When that was, if the Lease is still to say so. */
	@Nullable Instant unmarked() {
		return this.unmarked;
	}

	/** What it makes of its shard. */
	Seat seat(Moment now, @Nullable Instant settledThrough) {
		return Seat.of(this.slot, state(now.wall()), this.settled ? null : settledThrough);
	}

	/** The state to show: one that is waited for is not about to be deleted. */
	ShardState shownState(Instant now) {
		return this.slot.isWaitedFor() ? ShardState.DEAD : state(now);
	}

	/** For how long the shard renewed its Lease last; zero if that was never seen. */
	Duration duration() {
		return this.duration;
	}

	/** For how long the shard may still act, although it is not available. */
	ShardClaim claim() {
		return this.claim;
	}

	/** Whether its shard counts as what the Lease makes of it. */
	boolean isBelieved() {
		return record().isBelieved(this.longest);
	}

	/** The Lease was taken although its shard renewed it. */
	private boolean isTakenByForce() {
		Map<String, String> annotations = this.lease.getMetadata().getAnnotations();
		return annotations != null && annotations.containsKey(ShardingLabels.TAKEN_BY_FORCE);
	}

	/** Its shard is to get no objects. */
	boolean isCordoned() {
		return ShardingLabels.isSet(this.lease.getMetadata().getAnnotations(), ShardingLabels.CORDONED);
	}

	@Nullable HoldTerm holdTerm() {
		return this.holdTerm;
	}

	void hold(@Nullable HoldTerm next) {
		if (this.holdTerm != null) {
			this.holdTerm.end();
		}
		this.holdTerm = next;
		this.leftOver = false;
	}

	/** Ends the hold; the Lease is to say so. */
	void leave() {
		hold(null);
		this.leftOver = true;
	}

	/** Tells whether we left the Lease and it does not say so yet. */
	boolean isLeftOver() {
		return this.leftOver;
	}

	Lease lease() {
		return this.lease;
	}

	LeaseObservation seen() {
		return this.seen;
	}

	LeaseRecord record() {
		return this.seen.lease();
	}

	ShardState state(Instant now) {
		return isBelieved() ? ShardState.of(record(), now) : ShardState.UNKNOWN;
	}

	String ring() {
		return ringOf(this.lease);
	}

	private boolean hasStateLabel(ShardState state) {
		Map<String, String> labels = this.lease.getMetadata().getLabels();
		return labels != null && state.label().equals(labels.get(ShardingLabels.LEASE_STATE));
	}

	/** The API server does not let us show that at the moment; do not insist. */
	void showRefused(ShardState state, boolean marked, Moment now) {
		this.refused = new Refusal(state, marked, now);
	}

	/** Tells whether the Lease says all that it is to. */
	boolean shows(ShardState state) {
		return this.unmarked == null && hasStateLabel(state);
	}

	/**
	 * Tells whether the Lease is to show something that it does not, and that was not
	 * refused lately: a refusal may have been that of a server in trouble.
	 */
	boolean isToShow(ShardState state, Moment now) {
		Refusal lately = (this.refused != null && now.observedSince(this.refused.at()).compareTo(SHOWN_AGAIN) < 0)
				? this.refused : null;
		boolean mark = this.unmarked != null && (lately == null || !lately.marked());
		return mark || (!hasStateLabel(state) && (lately == null || lately.state() != state));
	}

	/** Tells whether it is another seat than the one noted before, or the first. */
	boolean noteSeat(SeatFacts now) {
		boolean changed = !now.equals(this.seat);
		this.seat = now;
		return changed;
	}

	boolean isBusy() {
		return this.busy;
	}

	void busy(boolean now) {
		this.busy = now;
	}

	void lookAgain(@Nullable Future<?> next) {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
		this.timer = next;
	}

	static String ringOf(Lease lease) {
		Map<String, String> labels = lease.getMetadata().getLabels();
		String ring = (labels != null) ? labels.get(ShardingLabels.LEASE_RING) : null;
		return (ring != null) ? ring : "";
	}

	/**
	 * What could not be shown.
	 *
	 * @param state the state of the shard
	 * @param marked whether the Lease was to say that the shard has settled
	 * @param at when that was refused
	 */
	private record Refusal(ShardState state, boolean marked, Moment at) {

		/* The mark of another holder was not refused. */
		Refusal withoutMark() {
			return new Refusal(this.state, false, this.at);
		}

	}

}

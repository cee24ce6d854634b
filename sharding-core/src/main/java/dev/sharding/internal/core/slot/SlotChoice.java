package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.SlotDecision.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Which slot a candidate takes: one that somebody held, the one that has been free for
 * longest first; else, if none is about to be given back, a new one.
 */
public final class SlotChoice {

	/** A roll-out keeps candidates from new slots for no longer than this. */
	public static final Duration LONGEST_ROLL_OUT = Duration.ofMinutes(10);

	/** A candidate decides anew after this time at the latest. */
	public static final Duration LONGEST_DELAY = Duration.ofSeconds(1);

	private final Standby standby;

	private final List<SlotView> slots;

	private final Moment now;

	private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);

	private Duration delay = LONGEST_DELAY;

	private SlotChoice(Standby standby, List<SlotView> slots, Moment now) {
		this.standby = standby;
		this.slots = slots;
		this.now = now;
	}

	/**
	 * Decides.
	 * @param standby the candidate
	 * @param slots what it has seen of each slot, in the order of their numbers
	 * @param now the current moment
	 * @return take, create, look up or stand by
	 */
	public static SlotDecision of(Standby standby, List<SlotView> slots, Moment now) {
		return new SlotChoice(standby, slots, now).decide();
	}

	private SlotDecision decide() {
		SlotDecision left = old();
		if (left != null) {
			return left;
		}
		SlotDecision opened = open();
		if (opened != null) {
			return opened;
		}
		Reason reason = this.reasons.stream().findFirst().orElse(Reason.ALL_HELD);
		return new SlotDecision.StandBy(reason, this.delay);
	}

	/* A slot that somebody held, and that may be taken. */
	private @Nullable SlotDecision old() {
		List<Integer> free = new ArrayList<>();
		for (int slot = 0; slot < this.slots.size(); slot++) {
			SlotView view = this.slots.get(slot);
			if (!SlotTake.isNew(view) && isTakeable(slot, view)) {
				free.add(slot);
			}
		}
		// What this process has already, by a write without an answer, before anything
		// else.
		free.sort(Comparator.comparing((Integer slot) -> !isOwn(slot))
			.thenComparing(this::freeSince)
			.thenComparing(Comparator.naturalOrder()));
		for (int slot : free) {
			SlotDecision take = unlessRefused(slot, new SlotDecision.Take(slot));
			if (take != null) {
				return take;
			}
		}
		return null;
	}

	private @Nullable SlotDecision open() {
		boolean mayOpen = mayOpen();
		for (int slot = 0; slot < this.slots.size(); slot++) {
			SlotView view = this.slots.get(slot);
			if (!SlotTake.isNew(view)) {
				continue;
			}
			if (!mayOpen) {
				// Nothing is known of it before it is wanted.
				return null;
			}
			boolean absent = view.present() == null;
			if (absent && view.labelled() == null) {
				return new SlotDecision.LookUp(slot);
			}
			if (isTakeable(slot, view)) {
				SlotDecision next = unlessRefused(slot,
						absent ? new SlotDecision.Create(slot) : new SlotDecision.Take(slot));
				if (next != null) {
					return next;
				}
			}
		}
		return null;
	}

	private boolean isTakeable(int slot, SlotView view) {
		Duration left = SlotTake.untilTakeable(view, this.standby, this.now);
		if (left == null) {
			return false;
		}
		if (!left.isZero()) {
			boolean held = view.present() != null && view.present().record().isHeldByItself();
			if (!held) {
				this.reasons.add(Reason.NOT_KNOWN_FREE);
			}
			within(left);
			return false;
		}
		if (this.standby.avoided().contains(slot)) {
			this.reasons.add(Reason.AVOIDED);
			return false;
		}
		return true;
	}

	/* Under a sharder that does not know slots, objects may be on their way elsewhere. */
	private @Nullable SlotDecision unlessRefused(int slot, SlotDecision decision) {
		Boolean labelled = this.slots.get(slot).labelled();
		if (this.standby.honoured() || Boolean.FALSE.equals(labelled)) {
			return decision;
		}
		if (labelled == null) {
			return new SlotDecision.LookUp(slot);
		}
		this.reasons.add(Reason.SHARDER_UNKNOWN);
		return null;
	}

	private boolean mayOpen() {
		boolean overdue = this.slots.stream().anyMatch((view) -> SlotTake.isOverdue(view, this.now));
		if (overdue) {
			this.reasons.add(Reason.HOLDER_OVERDUE);
			return false;
		}
		Duration stood = this.now.observedSince(this.standby.since());
		if (stood.compareTo(LONGEST_ROLL_OUT) < 0 && isRollOut()) {
			this.reasons.add(Reason.ROLL_OUT);
			within(LONGEST_ROLL_OUT.minus(stood));
			return false;
		}
		Duration left = this.standby.slotWait().minus(stood);
		if (isPositive(left)
				&& this.slots.stream().anyMatch((view) -> isHeldForLongerThan(this.standby.slotWait(), view))) {
			this.reasons.add(Reason.SLOT_WAIT);
			within(left);
			return false;
		}
		return true;
	}

	/*
	 * Pods of two templates, unless they are of two Deployments beside each other: then
	 * each of the templates, the own one too, is at work for longer than a roll-out
	 * lasts.
	 */
	private boolean isRollOut() {
		String own = this.standby.template();
		if (own == null) {
			return false;
		}
		Set<String> templates = new HashSet<>(Set.of(own));
		Set<String> lasting = new HashSet<>();
		for (SlotView view : this.slots) {
			SlotLease lease = view.present();
			String template = (lease != null && lease.record().isHeldByItself()) ? lease.template() : null;
			if (template != null) {
				templates.add(template);
				if (isHeldForLongerThan(LONGEST_ROLL_OUT, view)) {
					lasting.add(template);
				}
			}
		}
		return templates.size() > 1 && !lasting.containsAll(templates);
	}

	/* Both times are of the holder's clock. */
	private static boolean isHeldForLongerThan(Duration duration, SlotView view) {
		LeaseRecord record = (view.lease() != null) ? view.lease().record() : null;
		return record != null && record.isHeldByItself() && record.acquireTime() != null && record.renewTime() != null
				&& Duration.between(record.acquireTime(), record.renewTime()).compareTo(duration) > 0;
	}

	private boolean isOwn(int slot) {
		SlotLease lease = this.slots.get(slot).present();
		return lease != null && this.standby.isHolder(lease.record());
	}

	private Instant freeSince(int slot) {
		SlotLease lease = this.slots.get(slot).lease();
		if (lease == null) {
			return Instant.MIN;
		}
		Instant start = (lease.graceStart() != null) ? lease.graceStart() : lease.record().renewTime();
		return (start != null) ? start : Instant.MIN;
	}

	private void within(Duration left) {
		this.delay = (left.compareTo(this.delay) < 0) ? left : this.delay;
	}

	private static boolean isPositive(Duration duration) {
		return !duration.isZero() && !duration.isNegative();
	}

}

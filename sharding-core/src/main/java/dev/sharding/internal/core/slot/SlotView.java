package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.Objects;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.core.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate has seen of one slot with its own eyes.
 *
 * @param lease its Lease as seen last, {@code null} if it was never seen
 * @param since since when nothing that the Lease says was seen to change; or since when
 * it was seen that there is none
 * @param longest the longest duration that the last term was seen to write, as far as it
 * is believed
 * @param absent whether there is no Lease now
 * @param labelled whether an object bears the label of the slot, {@code null} if that was
 * not looked up
 */
public record SlotView(@Nullable SlotLease lease, Moment since, Duration longest, boolean absent,
		@Nullable Boolean labelled) {

	/**
	 * A slot whose Lease was not found.
	 * @param now when it was asked for
	 * @return the first view
	 */
	public static SlotView absent(Moment now) {
		return new SlotView(null, now, Duration.ZERO, true, null);
	}

	/**
	 * Adds a look at the Lease.
	 * @param seen what it says
	 * @param most the longest duration that is believed of a process of ours
	 * @param now when it was asked for
	 * @return the next view
	 */
	public SlotView seen(SlotLease seen, Duration most, Moment now) {
		SlotLease before = this.lease;
		boolean same = before != null && Objects.equals(before.uid(), seen.uid());
		if (before != null && same && !this.absent && before.record().equals(seen.record())) {
			return new SlotView(seen, this.since, this.longest, false, this.labelled);
		}
		Duration says = LeaseTimes.of(seen.record().capped(most), now.wall()).leaseDuration();
		boolean sameTerm = before != null && same && isSameTerm(before.record(), seen.record());
		Duration next = (sameTerm && this.longest.compareTo(says) > 0) ? this.longest : says;
		return new SlotView(seen, now, next, false, this.labelled);
	}

	/**
	 * Finds no Lease, or none any more.
	 * @param now when it was asked for
	 * @return the next view
	 */
	public SlotView gone(Moment now) {
		return this.absent ? this : new SlotView(this.lease, now, this.longest, true, this.labelled);
	}

	/**
	 * Adds whether an object bears the label of the slot, main or controlled.
	 * @param bears what was found; {@code null} once that may have changed
	 * @return the next view
	 */
	public SlotView labelled(@Nullable Boolean bears) {
		return new SlotView(this.lease, this.since, this.longest, this.absent, bears);
	}

	/** The Lease, if there is one now. */
	@Nullable SlotLease present() {
		return this.absent ? null : this.lease;
	}

	/*
	 * Somebody may have edited any field; a term is told apart by what nobody but the
	 * next holder has a reason to write.
	 */
	private static boolean isSameTerm(LeaseRecord before, LeaseRecord now) {
		return Objects.equals(before.leaseTransitions(), now.leaseTransitions())
				&& Objects.equals(before.instanceId(), now.instanceId());
	}

}

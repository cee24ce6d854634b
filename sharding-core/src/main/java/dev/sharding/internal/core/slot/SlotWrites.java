package dev.sharding.internal.core.slot;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * The Lease of a shard after a write of its holder. What concerns the objects is noted on
 * it, so that it outlives whoever noted it: an answer may be lost, and a term may end
 * before it has done anything.
 */
public final class SlotWrites {

	private SlotWrites() {
	}

	/**
	 * Returns a new Lease of a shard.
	 * @param holder the process that acquires it
	 * @param ring the name of the ring
	 * @param inUse whether objects bear the label of the shard: somebody may have deleted
	 * the Lease of a process whose writes are under way
	 * @param now the current wall time
	 * @return the Lease to create
	 */
	public static SlotLease create(SlotHolder holder, String ring, boolean inUse, Instant now) {
		Map<String, String> annotations = new HashMap<>();
		note(annotations, holder);
		set(annotations, ShardingLabels.TOUCH_DUE, inUse ? "true" : null);
		return new SlotLease(LeaseWrites.create(holder.identity(), holder.leaseDuration(), now), ring, null,
				annotations);
	}

	/**
	 * Returns a Lease that a process takes: a new term begins. Objects need no touch only
	 * if the Lease was given back and says nothing of one, or if this process has had it
	 * all the time.
	 * @param seen what the Lease says
	 * @param holder the process that acquires it
	 * @param ring the name of the ring
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static SlotLease takeOver(SlotLease seen, SlotHolder holder, String ring, Instant now) {
		LeaseRecord before = seen.record();
		boolean own = holder.identity().holds(before);
		boolean wasMember = seen.isWaitedFor() || before.isHeldByItself();
		Map<String, String> annotations = new HashMap<>(seen.annotations());
		Instant start = seen.graceStart();
		if (start == null && !own) {
			start = (before.renewTime() != null && before.renewTime().isBefore(now)) ? before.renewTime() : now;
		}
		set(annotations, ShardingLabels.GRACE_START, (start != null) ? start.toString() : null);
		if (!seen.isGivenBack() && !own) {
			annotations.put(ShardingLabels.TOUCH_DUE, "true");
		}
		if (!wasMember) {
			annotations.remove(ShardingLabels.SETTLED);
		}
		annotations.remove(ShardingLabels.GIVEN_BACK);
		annotations.remove(ShardingLabels.STOPPING);
		annotations.remove(ShardingLabels.MADE_BY_SHARDER);
		note(annotations, holder);
		return new SlotLease(LeaseWrites.takeOver(before, holder.identity(), holder.leaseDuration(), now), ring,
				seen.uid(), annotations);
	}

	/**
	 * Returns a Lease that its holder renews: the term goes on.
	 * @param seen what the Lease says
	 * @param holder the process that holds it
	 * @param ring the name of the ring
	 * @param progress how far the term has come
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static SlotLease renew(SlotLease seen, SlotHolder holder, String ring, TermProgress progress, Instant now) {
		Map<String, String> annotations = progressed(seen, progress);
		note(annotations, holder);
		set(annotations, ShardingLabels.STOPPING, progress.stopping() ? holder.identity().instanceId() : null);
		return new SlotLease(LeaseWrites.renew(seen.record(), holder.leaseDuration(), now), ring, seen.uid(),
				annotations);
	}

	/**
	 * Returns a Lease that its holder gives back with the mark. Only for
	 * {@link TermEnd#GIVE_BACK}.
	 * @param seen what the Lease says
	 * @param progress how far the term has come
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static SlotLease giveBack(SlotLease seen, TermProgress progress, Instant now) {
		LeaseRecord released = LeaseWrites.release(seen.record(), now);
		Map<String, String> annotations = progressed(seen, progress);
		annotations.putIfAbsent(ShardingLabels.GRACE_START, String.valueOf(released.renewTime()));
		annotations.put(ShardingLabels.GIVEN_BACK, SlotLease.mark(released, seen.uid()));
		annotations.remove(ShardingLabels.STOPPING);
		return new SlotLease(released, seen.ring(), seen.uid(), annotations);
	}

	/**
	 * Returns the same for {@link TermEnd#GIVE_BACK_TO_TOUCH}: a touch is due, whatever
	 * this term has touched.
	 * @param seen what the Lease says
	 * @param progress how far the term has come
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static SlotLease giveBackToTouch(SlotLease seen, TermProgress progress, Instant now) {
		SlotLease back = giveBack(seen, progress, now);
		Map<String, String> annotations = new HashMap<>(back.annotations());
		annotations.put(ShardingLabels.TOUCH_DUE, "true");
		return new SlotLease(back.record(), back.ring(), back.uid(), annotations);
	}

	/**
	 * Returns a Lease without holder and without a mark: {@link TermEnd#RELEASE}, and
	 * what the sharder does when all objects of the shard have moved.
	 * @param seen what the Lease says
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static SlotLease release(SlotLease seen, Instant now) {
		return new SlotLease(LeaseWrites.release(seen.record(), now), seen.ring(), seen.uid(), unmarked(seen));
	}

	/**
	 * Returns the annotations of a Lease that the sharder takes: neither does it wait for
	 * a holder, nor has its next one a part of the objects from the start.
	 * @param seen what the Lease says
	 * @return all annotations that it has then
	 */
	public static Map<String, String> unmarked(SlotLease seen) {
		Map<String, String> annotations = new HashMap<>(seen.annotations());
		annotations.remove(ShardingLabels.GIVEN_BACK);
		annotations.remove(ShardingLabels.STOPPING);
		annotations.remove(ShardingLabels.SETTLED);
		return annotations;
	}

	private static Map<String, String> progressed(SlotLease seen, TermProgress progress) {
		Map<String, String> annotations = new HashMap<>(seen.annotations());
		if (progress.touched()) {
			annotations.remove(ShardingLabels.TOUCH_DUE);
		}
		if (progress.served()) {
			annotations.remove(ShardingLabels.GRACE_START);
		}
		return annotations;
	}

	private static void note(Map<String, String> annotations, SlotHolder holder) {
		long grace = holder.grace().toSeconds();
		set(annotations, ShardingLabels.GRACE, (grace > 0) ? Long.toString(grace) : null);
		set(annotations, ShardingLabels.SLOTS, (holder.slots() > 0) ? Integer.toString(holder.slots()) : null);
		set(annotations, ShardingLabels.POD_TEMPLATE_HASH, holder.template());
	}

	private static void set(Map<String, String> annotations, String annotation, @Nullable String value) {
		if (value != null) {
			annotations.put(annotation, value);
		}
		else {
			annotations.remove(annotation);
		}
	}

}

package dev.sharding.internal.kubernetes.slot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotView;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.protocol.ShardingLabels;

/**
 * What a candidate has seen of the slots so far. Used by one thread.
 */
final class SlotViews {

	private static final Logger logger = LoggerFactory.getLogger(SlotViews.class);

	/** For how long it is believed which objects bear a label. */
	private static final Duration LABELS_HOLD = Duration.ofSeconds(1);

	/** For how long a Lease of another ring is believed to be there. */
	private static final Duration FOREIGN_HOLDS = Duration.ofSeconds(10);

	private final SlotOptions options;

	private final List<SlotView> views = new ArrayList<>();

	private final Map<Integer, Lease> leases = new HashMap<>();

	private final Map<Integer, Moment> labelsSeen = new HashMap<>();

	private final Map<Integer, Moment> foreignSeen = new HashMap<>();

	private String otherSlots = "";

	SlotViews(SlotOptions options, Moment now) {
		this.options = options;
		for (int slot = 0; slot < options.names().count(); slot++) {
			this.views.add(SlotView.absent(now));
		}
	}

	List<SlotView> all() {
		return this.views;
	}

	/** The Lease of a slot as it was seen last, {@code null} if there is none. */
	@Nullable Lease lease(int slot) {
		return this.leases.get(slot);
	}

	/** Adds a look at all Leases of the ring. */
	void see(Map<String, Lease> found, Moment now) {
		for (int slot = 0; slot < this.views.size(); slot++) {
			Lease lease = found.get(this.options.names().name(slot));
			if (lease != null) {
				this.foreignSeen.remove(slot);
				see(slot, lease, now);
			}
			else if (!isForeign(slot, now)) {
				this.leases.remove(slot);
				this.views.set(slot, this.views.get(slot).gone(now));
			}
			Moment looked = this.labelsSeen.get(slot);
			if (looked != null && now.observedSince(looked).compareTo(LABELS_HOLD) > 0) {
				this.labelsSeen.remove(slot);
				this.views.set(slot, this.views.get(slot).labelled(null));
			}
		}
		warnOfOtherSlots(found);
	}

	private void see(int slot, Lease lease, Moment now) {
		this.leases.put(slot, lease);
		this.views.set(slot, this.views.get(slot).seen(LeaseRecords.slotLease(lease), this.options.longest(), now));
	}

	/** Adds a Lease that has the name of a slot, but is of another ring or of none. */
	void foreign(int slot, Lease lease, Moment now) {
		logger.warn("Lease {}/{} has the name of a slot, but is not of ring {}; the slot is left alone",
				this.options.namespace(), lease.getMetadata().getName(), this.options.ring());
		this.foreignSeen.put(slot, now);
		see(slot, lease, now);
	}

	private boolean isForeign(int slot, Moment now) {
		Moment seen = this.foreignSeen.get(slot);
		return seen != null && now.observedSince(seen).compareTo(FOREIGN_HOLDS) < 0;
	}

	/** Adds whether objects bear the label of a slot. */
	void labelled(int slot, boolean bears, Moment now) {
		this.labelsSeen.put(slot, now);
		this.views.set(slot, this.views.get(slot).labelled(bears));
	}

	/** How many slots are held by a shard. */
	int held() {
		return (int) this.leases.values().stream().filter((lease) -> LeaseRecords.of(lease).isHeldByItself()).count();
	}

	/** A slot whose holder has begun to stop, {@code null} if there is none. */
	@Nullable Integer stopping() {
		for (int slot = 0; slot < this.views.size(); slot++) {
			SlotLease seen = this.leases.containsKey(slot) ? this.views.get(slot).lease() : null;
			if (seen != null && seen.isStopping() && this.options.ring().equals(seen.ring())) {
				return slot;
			}
		}
		return null;
	}

	/** Two replicas that do not agree on the number of slots is a mistake of somebody. */
	private void warnOfOtherSlots(Map<String, Lease> found) {
		String own = Integer.toString(this.options.names().count());
		for (Lease lease : found.values()) {
			SlotLease seen = LeaseRecords.slotLease(lease);
			String others = seen.annotations().get(ShardingLabels.SLOTS);
			if (others != null && !others.equals(own) && seen.record().isHeldByItself()
					&& !this.otherSlots.equals(others)) {
				this.otherSlots = others;
				logger.warn(
						"The holder of Lease {}/{} believes in {} slots, this process in {}: slots above the lower"
								+ " number are not taken by all; set 'sharding.slots' to one number",
						this.options.namespace(), lease.getMetadata().getName(), others, own);
			}
		}
	}

}

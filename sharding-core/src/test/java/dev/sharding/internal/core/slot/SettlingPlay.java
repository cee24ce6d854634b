package dev.sharding.internal.core.slot;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * All orders in which newcomers acquire their Leases and the leader marks them, one Lease
 * after the other, as a replica sees them that only follows the Leases.
 */
final class SettlingPlay {

	private static final int NEWCOMERS = 4;

	private int plays;

	private SettlingPlay() {
	}

	/** Plays all orders; returns what went wrong, {@code null} if nothing did. */
	static @Nullable String explore() {
		SettlingPlay play = new SettlingPlay();
		SlotLease settled = Slots.with(Slots.held(0, "holder-0", 0), ShardingLabels.SETTLED, Slots.wall(1).toString());
		String wrong = play.next(List.of(settled), Set.of(), null, new TreeSet<>(Set.of(0)), 10);
		return (wrong != null || play.plays > 100) ? wrong : "only " + play.plays + " plays";
	}

	private @Nullable String next(List<SlotLease> leases, Set<Integer> unmarked, @Nullable String batch,
			Set<Integer> ring, int now) {
		Set<Integer> seen = takers(leases);
		if (!seen.equals(ring)) {
			return "at %d the ring is %s instead of %s: %s".formatted(now, seen, ring, leases);
		}
		this.plays++;
		if (leases.size() <= NEWCOMERS) {
			List<SlotLease> more = new ArrayList<>(leases);
			more.add(Slots.held(leases.size(), "holder-" + leases.size(), now));
			String wrong = next(more, unmarked, batch, ring, now + 1);
			if (wrong != null) {
				return wrong;
			}
		}
		Set<Integer> newcomers = newcomers(leases, ring);
		if (unmarked.isEmpty() && !newcomers.isEmpty()) {
			return next(leases, newcomers, Slots.wall(now).toString(), ring, now + 1);
		}
		for (int slot : unmarked) {
			List<SlotLease> marked = new ArrayList<>(leases);
			marked.set(slot, Slots.with(leases.get(slot), ShardingLabels.SETTLED, String.valueOf(batch)));
			Set<Integer> rest = new TreeSet<>(unmarked);
			rest.remove(slot);
			Set<Integer> all = new TreeSet<>(ring);
			all.addAll(unmarked);
			String wrong = next(marked, rest, batch, all, now + 1);
			if (wrong != null) {
				return wrong;
			}
		}
		return null;
	}

	private static Set<Integer> newcomers(List<SlotLease> leases, Set<Integer> ring) {
		Set<Integer> all = new TreeSet<>();
		for (int slot = 0; slot < leases.size(); slot++) {
			all.add(slot);
		}
		all.removeAll(ring);
		return all;
	}

	private static Set<Integer> takers(List<SlotLease> leases) {
		var through = Seat.settledThrough(leases);
		return leases.stream()
			.filter((lease) -> Seat.of(lease, ShardState.READY, through) == Seat.AVAILABLE)
			.map((lease) -> Slots.NAMES.number(lease.record().name()).orElseThrow())
			.collect(Collectors.toCollection(TreeSet::new));
	}

}

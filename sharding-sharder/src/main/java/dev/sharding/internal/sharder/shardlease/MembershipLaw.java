package dev.sharding.internal.sharder.shardlease;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

import dev.sharding.internal.core.key.ShardingNames;
import dev.sharding.internal.core.slot.Seat;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Makes the membership of a ring out of its Leases. A ring knows a shard by the name of
 * its Lease alone, so two Leases of one name in different namespaces are one shard: it is
 * available if one of them is, and reported.
 */
final class MembershipLaw {

	private MembershipLaw() {
	}

	static Membership of(Collection<SeatFacts> seats, SortedMap<String, String> refused) {
		SortedMap<String, Seat> shards = new TreeMap<>();
		SortedSet<String> cordoned = new TreeSet<>();
		SortedSet<String> unstamped = new TreeSet<>();
		SortedMap<String, String> invalid = new TreeMap<>();
		Map<String, ObjectKey> names = new HashMap<>();
		int members = 0;
		List<SeatFacts> sorted = seats.stream()
			.sorted(Comparator.comparing((facts) -> facts.lease().toString()))
			.toList();
		for (SeatFacts facts : sorted) {
			if (facts.doubt() != null) {
				invalid.put("Lease " + facts.lease(), facts.doubt());
				continue;
			}
			members++;
			String name = facts.lease().name();
			String reason = invalid(name);
			ObjectKey namesake = names.putIfAbsent(name, facts.lease());
			if (reason != null) {
				invalid.put("Lease " + facts.lease(), reason);
				continue;
			}
			if (namesake != null) {
				invalid.put("Lease " + facts.lease(), "another Lease of this name, " + namesake
						+ ", stands for the same shard; rename one of the shards");
			}
			if (facts.seat().isMember()) {
				shards.merge(name, facts.seat(), MembershipLaw::better);
				if (facts.cordoned()) {
					cordoned.add(name);
				}
				if (facts.seat().isHeld() && !facts.stamping()) {
					unstamped.add(name);
				}
			}
		}
		return new Membership(members, names(shards, Seat::isHeld), cordoned, invalid, unstamped, refused,
				names(shards, (seat) -> seat == Seat.SETTLING), names(shards, (seat) -> seat == Seat.GIVEN_BACK));
	}

	/* Whoever holds one of them is there. */
	private static Seat better(Seat one, Seat other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	private static SortedSet<String> names(SortedMap<String, Seat> shards, Predicate<Seat> which) {
		SortedSet<String> names = new TreeSet<>();
		shards.forEach((name, seat) -> {
			if (which.test(seat)) {
				names.add(name);
			}
		});
		return names;
	}

	private static @Nullable String invalid(String name) {
		try {
			ShardingNames.requireShard(name);
			return null;
		}
		catch (IllegalArgumentException ex) {
			return ex.getMessage();
		}
	}

	/**
	 * One Lease of a ring.
	 *
	 * @param lease its name
	 * @param seat what it makes of its shard
	 * @param settled when it was marked as that of a shard that has its part of the
	 * objects; {@code null} if it is not, or counts for nobody else
	 * @param stamping whether its shard is one of ours, which labels what it creates
	 * @param cordoned whether it is to get no objects
	 * @param doubt why it makes no member of the ring, {@code null} if it makes one
	 */
	record SeatFacts(ObjectKey lease, Seat seat, @Nullable Instant settled, boolean stamping, boolean cordoned,
			@Nullable String doubt) {
	}

}

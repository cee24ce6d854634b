package dev.sharding.sharder.shardlease;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sharding.core.ShardingNames;
import dev.sharding.kubernetes.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Makes the membership of a ring out of its Leases. A ring knows a shard by the name of
 * its Lease alone, so two Leases of one name in different namespaces are one shard: it is
 * available if one of them is, and reported.
 */
final class MembershipLaw {

	private MembershipLaw() {
	}

	static Membership of(Collection<Seat> seats, SortedMap<String, String> refused) {
		SortedSet<String> available = new TreeSet<>();
		SortedSet<String> cordoned = new TreeSet<>();
		SortedSet<String> unstamped = new TreeSet<>();
		SortedMap<String, String> invalid = new TreeMap<>();
		Map<String, ObjectKey> names = new HashMap<>();
		int members = 0;
		List<Seat> sorted = seats.stream().sorted(Comparator.comparing((seat) -> seat.lease().toString())).toList();
		for (Seat seat : sorted) {
			if (seat.doubt() != null) {
				invalid.put("Lease " + seat.lease(), seat.doubt());
				continue;
			}
			members++;
			String name = seat.lease().name();
			String reason = invalid(name);
			ObjectKey namesake = names.putIfAbsent(name, seat.lease());
			if (reason != null) {
				invalid.put("Lease " + seat.lease(), reason);
				continue;
			}
			if (namesake != null) {
				invalid.put("Lease " + seat.lease(), "another Lease of this name, " + namesake
						+ ", stands for the same shard; rename one of the shards");
			}
			if (seat.available()) {
				available.add(name);
				if (seat.cordoned()) {
					cordoned.add(name);
				}
				if (!seat.stamping()) {
					unstamped.add(name);
				}
			}
		}
		return new Membership(members, available, cordoned, invalid, unstamped, refused);
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
	 * @param available whether objects may be assigned to its shard
	 * @param stamping whether its shard is one of ours, which labels what it creates
	 * @param cordoned whether it is to get no objects
	 * @param doubt why it makes no member of the ring, {@code null} if it makes one
	 */
	record Seat(ObjectKey lease, boolean available, boolean stamping, boolean cordoned, @Nullable String doubt) {
	}

}

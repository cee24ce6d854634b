package dev.sharding.internal.sharder.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * Tells what is wrong with the shards of a ring, by their Leases and the pods of their
 * names.
 */
public final class LeaseLaw {

	private static final String CHECK = "leases";

	private LeaseLaw() {
	}

	/**
	 * Looks at the Leases of a ring.
	 * @param shards its shards
	 * @param invalid Leases that the sharder leaves out, with the reason
	 * @param now the time
	 * @return what was found
	 */
	public static List<Finding> of(List<Shard> shards, SortedMap<String, String> invalid, Instant now) {
		List<Finding> findings = new ArrayList<>();
		invalid.forEach((lease, reason) -> findings
			.add(Finding.problem(CHECK, lease, "should not be believed: " + reason, "")));
		boolean podsKnown = shards.stream().anyMatch((shard) -> shard.pod() != null);
		for (Shard shard : shards) {
			Finding found = invalid.containsKey("Lease " + shard.path()) ? null : of(shard, podsKnown, now);
			if (found != null) {
				findings.add(found);
			}
		}
		if (shards.stream()
			.noneMatch((shard) -> ShardState.of(shard.lease(), now).isAvailable()
					&& !invalid.containsKey("Lease " + shard.path()))) {
			findings.add(Finding.problem(CHECK, "ring", "no shard is available, so nothing gets an owner",
					"Start the controller, or look at its log for why it does not hold its Lease"));
		}
		findings.addAll(differences(shards, now));
		findings.addAll(slots(shards, now));
		return findings;
	}

	/* Each of them would open slots that others do not know of. */
	private static List<Finding> slots(List<Shard> shards, Instant now) {
		SortedMap<String, SortedSet<String>> counts = new TreeMap<>();
		for (Shard shard : shards) {
			String slots = shard.noted().annotations().get(ShardingLabels.SLOTS);
			if (slots != null && ShardState.of(shard.lease(), now).isAvailable()) {
				counts.computeIfAbsent(slots, (same) -> new TreeSet<>()).add(shard.lease().name());
			}
		}
		return (counts.size() > 1) ? List.of(Finding.warning("slots", "ring",
				"holders believe in different numbers of slots: " + describe(counts),
				"Right during a roll-out that changes 'sharding.slots'; if none is under way, set it to one number"))
				: List.of();
	}

	private static @Nullable Finding of(Shard shard, boolean podsKnown, Instant now) {
		LeaseRecord lease = shard.lease();
		Instant renewed = lease.renewTime();
		Integer seconds = lease.leaseDurationSeconds();
		String subject = "Lease " + shard.path();
		ShardState state = ShardState.of(lease, now);
		if (!state.isAvailable()) {
			return null;
		}
		if (renewed != null && seconds != null && Duration.between(now, renewed).getSeconds() > seconds) {
			return Finding.problem(CHECK, subject,
					"should not be believed: it says that it was renewed at %s, which is in the future"
						.formatted(renewed),
					"Compare the clocks, or delete the Lease if it is nobody's");
		}
		if (state != ShardState.READY) {
			return Finding.problem(CHECK, subject,
					"was not renewed since %s, and still counts as available".formatted(renewed),
					"The sharder takes it after two durations; if it does not, look at the sharder");
		}
		if (podsKnown && shard.pod() == null) {
			return Finding.warning(CHECK, subject,
					"is renewed, but there is no pod '%s' beside it, as others of the ring have"
						.formatted(shard.podName()),
					"Find out who renews it; delete it if it is nobody's");
		}
		return null;
	}

	private static List<Finding> differences(List<Shard> shards, Instant now) {
		SortedMap<String, SortedSet<String>> namespaces = new TreeMap<>();
		SortedMap<String, SortedSet<String>> images = new TreeMap<>();
		for (Shard shard : shards) {
			if (ShardState.of(shard.lease(), now).isAvailable()) {
				namespaces.computeIfAbsent(shard.namespace(), (same) -> new TreeSet<>()).add(shard.lease().name());
				if (shard.pod() != null) {
					images.computeIfAbsent(shard.pod().images(), (same) -> new TreeSet<>()).add(shard.lease().name());
				}
			}
		}
		List<Finding> findings = new ArrayList<>();
		if (namespaces.size() > 1) {
			findings.add(Finding.warning("shards", "ring",
					"available shards are in different namespaces: " + describe(namespaces),
					"One controller runs in one namespace: is one of these another one?"));
		}
		if (images.size() > 1) {
			findings.add(Finding.warning("shards", "ring", "available shards run different images: " + describe(images),
					"Right during a roll-out; if none is under way, finish it"));
		}
		return findings;
	}

	private static String describe(SortedMap<String, SortedSet<String>> groups) {
		return groups.entrySet()
			.stream()
			.map((group) -> group.getKey() + " (" + String.join(", ", group.getValue()) + ")")
			.collect(Collectors.joining("; "));
	}

	/**
	 * One shard.
	 *
	 * @param namespace the namespace of its Lease
	 * @param noted what that says, with what is noted on it
	 * @param cordoned whether it is to get no objects
	 * @param podName the name of the pod that holds it, as the Lease says, or its own
	 * @param pod that pod beside the Lease, if there is one and it may be read
	 */
	public record Shard(String namespace, SlotLease noted, boolean cordoned, String podName, @Nullable Pod pod) {

		/**
		 * Returns what the Lease says without what is noted on it.
		 * @return its spec and holder
		 */
		public LeaseRecord lease() {
			return this.noted.record();
		}

		/**
		 * Names the Lease for people.
		 * @return namespace and name
		 */
		public String path() {
			return this.namespace + "/" + lease().name();
		}

	}

	/**
	 * A pod.
	 *
	 * @param images the images of its containers
	 * @param serviceAccount whom it acts as
	 */
	public record Pod(String images, String serviceAccount) {
	}

}

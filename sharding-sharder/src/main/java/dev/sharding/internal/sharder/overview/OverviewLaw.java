package dev.sharding.internal.sharder.overview;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.sharder.activity.Action;
import dev.sharding.internal.sharder.activity.ObjectRef;
import dev.sharding.internal.sharder.activity.RingWork;
import dev.sharding.internal.sharder.activity.Transit;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Makes the overview of a ring out of what is known of it.
 */
public final class OverviewLaw {

	/** As long as all is well, an object is without owner for a second at most. */
	static final Duration ORPHANED_AFTER = Duration.ofSeconds(5);

	private static final int MOST_FAILURES = 200;

	private static final String NOBODY = "";

	private OverviewLaw() {
	}

	/**
	 * Returns the overview of a ring.
	 * @param ring the ring as seen last
	 * @param resources what is shared out, and whether it is a main resource
	 * @param leases the Leases that bear its label
	 * @param membership the membership that the leader acts on
	 * @param work what it counted and did
	 * @param failures why objects could not be placed
	 * @param now the wall time
	 * @return the overview
	 */
	public static RingOverview of(ControllerRing ring, Map<String, Boolean> resources, Collection<Lease> leases,
			Membership membership, RingWork work, Map<ObjectRef, String> failures, Instant now) {
		List<RingOverview.Misplaced> orphans = new ArrayList<>();
		List<RingOverview.Misplaced> moving = new ArrayList<>();
		for (Transit transit : work.transits()) {
			boolean orphan = transit.kind() == Transit.Kind.UNOWNED
					&& !now.isBefore(transit.since().plus(ORPHANED_AFTER));
			(orphan ? orphans : moving).add(misplaced(transit, failures.get(transit.object())));
		}
		Set<ObjectRef> told = work.transits().stream().map(Transit::object).collect(Collectors.toSet());
		failures.entrySet()
			.stream()
			.filter((failure) -> !told.contains(failure.getKey()))
			.limit(MOST_FAILURES)
			.forEach((failure) -> orphans
				.add(new RingOverview.Misplaced(failure.getKey().resource(), failure.getKey().namespace(),
						failure.getKey().name(), "not placed", null, null, failure.getValue())));
		return new RingOverview(ring.getMetadata().getName(),
				ShardingLabels.isSet(ring.getMetadata().getAnnotations(), ShardingLabels.PAUSED),
				membership.available().size(), conditions(ring), resources(resources, work),
				shards(leases, membership, work, now), work.unowned(), orphans, moving,
				work.latest().stream().map(OverviewLaw::event).toList());
	}

	private static List<RingOverview.Condition> conditions(ControllerRing ring) {
		return (ring.getStatus() == null) ? List.of()
				: ring.getStatus()
					.conditions()
					.stream()
					.map((condition) -> new RingOverview.Condition(condition.getType(), condition.getStatus(),
							condition.getReason(), condition.getMessage(), condition.getLastTransitionTime()))
					.toList();
	}

	private static List<RingOverview.Resource> resources(Map<String, Boolean> resources, RingWork work) {
		List<RingOverview.Resource> all = new ArrayList<>();
		resources.forEach((name, main) -> {
			RingWork.Count count = work.counts().getOrDefault(name, new RingWork.Count(null, Map.of()));
			all.add(new RingOverview.Resource(name, main, RingOverview.sum(count.byShard()), text(count.since())));
		});
		all.sort(Comparator.comparing(RingOverview.Resource::main).reversed());
		return all;
	}

	private static List<ShardOverview> shards(Collection<Lease> leases, Membership membership, RingWork work,
			Instant now) {
		List<ShardOverview> shards = new ArrayList<>();
		Set<String> without = new TreeSet<>();
		work.counts().values().forEach((count) -> count.byShard().forEach((shard, objects) -> {
			if (objects > 0 && !shard.equals(NOBODY)) {
				without.add(shard);
			}
		}));
		leases.stream().sorted(Comparator.comparing((lease) -> ObjectKey.of(lease).toString())).forEach((lease) -> {
			shards.add(shard(lease, membership, work, now));
			without.remove(lease.getMetadata().getName());
		});
		without.forEach((name) -> shards
			.add(new ShardOverview(name, null, "no Lease", null, membership.available().contains(name), null, false,
					null, null, null, objects(name, work), work.draining().getOrDefault(name, 0))));
		return shards;
	}

	private static ShardOverview shard(Lease lease, Membership membership, RingWork work, Instant now) {
		LeaseRecord record = LeaseRecords.of(lease);
		String name = record.name();
		String doubt = membership.invalid().get("Lease " + ObjectKey.of(lease));
		boolean available = membership.available().contains(name);
		Instant renewed = record.renewTime();
		Instant expires = (renewed != null && record.isHeldByItself() && record.leaseDurationSeconds() != null)
				? renewed.plusSeconds(record.leaseDurationSeconds()) : null;
		return new ShardOverview(name, lease.getMetadata().getNamespace(),
				(doubt != null && !available) ? "not believed" : ShardState.of(record, now).label(), pod(lease, record),
				available, member(name, membership),
				ShardingLabels.isSet(lease.getMetadata().getAnnotations(), ShardingLabels.CORDONED), doubt,
				text(renewed), text(expires), objects(name, work), work.draining().getOrDefault(name, 0));
	}

	private static @Nullable String pod(Lease lease, LeaseRecord record) {
		Map<String, String> labels = lease.getMetadata().getLabels();
		return (labels != null && record.isHeldByItself()) ? labels.get(ShardingLabels.POD) : null;
	}

	private static @Nullable String member(String shard, Membership membership) {
		if (membership.givenBack().contains(shard)) {
			return "given back";
		}
		return membership.settling().contains(shard) ? "settling" : null;
	}

	private static Map<String, Integer> objects(String shard, RingWork work) {
		Map<String, Integer> objects = new TreeMap<>();
		work.counts().forEach((resource, count) -> objects.put(resource, count.byShard().getOrDefault(shard, 0)));
		return objects;
	}

	private static RingOverview.Misplaced misplaced(Transit transit, @Nullable String reason) {
		ObjectRef object = transit.object();
		return new RingOverview.Misplaced(object.resource(), object.namespace(), object.name(),
				(transit.kind() == Transit.Kind.DRAINING) ? "draining" : "without owner", transit.owner(),
				transit.since().toString(), reason);
	}

	private static RingOverview.Event event(Action action) {
		ObjectRef object = action.object();
		return new RingOverview.Event(action.number(), action.at().toString(), action.kind().label(), object.resource(),
				object.namespace(), object.name(), action.from(), action.to());
	}

	private static @Nullable String text(@Nullable Instant time) {
		return (time != null) ? time.toString() : null;
	}

}

package dev.sharding.internal.sharder.diagnosis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingStatus;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.Condition;
import org.jspecify.annotations.Nullable;

/**
 * Tells what the sharder says about a ring, and whether there is a sharder at all.
 */
public final class RingLaw {

	private static final List<String> WANTED = List.of("MovesAllowed", "ShardsUncordoned");

	private RingLaw() {
	}

	/**
	 * Looks at the status of a ring.
	 * @param ring the ring
	 * @return what was found
	 */
	public static List<Finding> of(ControllerRing ring) {
		ControllerRingStatus status = ring.getStatus();
		if (status == null) {
			return List.of(Finding.problem("ring", "status", "no sharder has seen the ring", "Start a sharder"));
		}
		List<Finding> findings = new ArrayList<>();
		Long observed = status.observedGeneration();
		if (observed == null || observed < ring.getMetadata().getGeneration()) {
			findings.add(Finding.problem("ring", "status", "no sharder has seen the latest change of the ring",
					"Look at the log of the sharder"));
		}
		for (Condition condition : status.conditions()) {
			if (!"True".equals(condition.getStatus())) {
				String message = condition.getReason() + ": " + condition.getMessage();
				findings.add(WANTED.contains(condition.getType())
						? Finding.note("ring", "condition " + condition.getType(), message)
						: Finding.problem("ring", "condition " + condition.getType(), message, ""));
			}
		}
		return findings;
	}

	/**
	 * Looks whether the sharder leaves slots to their next holders, where there are any.
	 * @param ring the ring
	 * @param shards its shards
	 * @return what was found
	 */
	public static List<Finding> ofSlots(ControllerRing ring, List<LeaseLaw.Shard> shards) {
		ControllerRingStatus status = ring.getStatus();
		boolean slots = shards.stream()
			.anyMatch((shard) -> shard.noted().annotations().containsKey(ShardingLabels.SLOTS));
		boolean honoured = status != null && status.conditions()
			.stream()
			.anyMatch((condition) -> ShardingLabels.CONDITION_SLOTS_HONOURED.equals(condition.getType()));
		return (slots && !honoured) ? List.of(Finding.problem("slots", "ring",
				"the sharder that leads does not know of slots: each roll-out moves objects, and nobody takes a slot that has some",
				"Upgrade the sharder")) : List.of();
	}

	/**
	 * Looks at the Lease of the leader.
	 * @param path where it is
	 * @param lease what it says, {@code null} if there is none
	 * @param now the time
	 * @return what was found
	 */
	public static List<Finding> ofLeader(String path, @Nullable LeaseRecord lease, Instant now) {
		if (lease == null || lease.isReleased()) {
			return List.of(Finding.problem("sharder", "Lease " + path, "no sharder leads: nobody assigns objects",
					"Start the sharder; is its namespace another one, say so with --sharder-namespace; elects it no leader, as in a development cluster, with --without-election"));
		}
		return LeaseTimes.of(lease, now).toExpired().isNegative() ? List.of(Finding.problem("sharder", "Lease " + path,
				"was not renewed since %s: nobody assigns objects".formatted(lease.renewTime()),
				"Look at the log of the sharder")) : List.of();
	}

}

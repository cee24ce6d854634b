package dev.sharding.internal.sharder.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.Callable;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw.Shard;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Shows the rings, or one with its shards.
 */
@Command(name = "status", description = "Shows all rings, or one ring with its shards.")
final class StatusCommand implements Callable<Integer> {

	@Mixin
	private final ClusterOptions options = new ClusterOptions();

	@Mixin
	private final Output output = new Output();

	@Parameters(arity = "0..1", paramLabel = "RING")
	private @Nullable String name;

	@Option(names = "--objects", description = "Counts the objects of each shard, by lists of all metadata.")
	private boolean objects;

	@Override
	public Integer call() {
		try (Cluster cluster = this.options.connect()) {
			Instant now = Instant.now();
			if (this.name != null) {
				one(cluster, cluster.ring(this.name), now);
			}
			else {
				all(cluster.rings());
			}
		}
		return ShardingCommand.WELL;
	}

	private void all(List<ControllerRing> rings) {
		if (!this.output.isTable()) {
			this.output.print(Map.of("rings", rings.stream().map(StatusCommand::describe).toList()));
			return;
		}
		List<List<String>> rows = new ArrayList<>();
		rows.add(List.of("RING", "READY", "AVAILABLE", "SHARDS", "PAUSED", "NOT TRUE"));
		for (ControllerRing ring : rings) {
			Map<String, Object> described = describe(ring);
			rows.add(List.of(ring.getMetadata().getName(), String.valueOf(described.get("ready")),
					String.valueOf(described.get("availableShards")), String.valueOf(described.get("shards")),
					String.valueOf(described.get("paused")), String.join(",", untrue(ring).keySet())));
		}
		this.output.table(rows);
	}

	private static Map<String, Object> describe(ControllerRing ring) {
		Map<String, Object> described = new LinkedHashMap<>();
		described.put("ring", ring.getMetadata().getName());
		described.put("ready", (ring.getStatus() != null) && !untrue(ring).containsKey("Ready"));
		described.put("availableShards", (ring.getStatus() != null) ? ring.getStatus().availableShards() : 0);
		described.put("shards", (ring.getStatus() != null) ? ring.getStatus().shards() : 0);
		described.put("paused", Cluster.isPaused(ring));
		described.put("notTrue", untrue(ring));
		return described;
	}

	private static Map<String, String> untrue(ControllerRing ring) {
		Map<String, String> untrue = new LinkedHashMap<>();
		if (ring.getStatus() == null) {
			untrue.put("Ready", "no sharder has seen the ring");
			return untrue;
		}
		for (Condition condition : ring.getStatus().conditions()) {
			if (!"True".equals(condition.getStatus())) {
				untrue.put(condition.getType(), condition.getMessage());
			}
		}
		return untrue;
	}

	private void one(Cluster cluster, ControllerRing ring, Instant now) {
		List<Lease> leases = cluster.leases(ring.getMetadata().getName());
		Membership membership = cluster.membership(leases, now);
		Map<String, Map<String, Integer>> counts = this.objects ? count(new RingObjects(cluster, ring)) : Map.of();
		List<Map<String, Object>> shards = new ArrayList<>();
		List<Shard> all = Cluster.shards(leases);
		for (Shard shard : all) {
			Map<String, Object> described = describe(shard, membership, now);
			if (this.objects) {
				described.put("objects", counts.getOrDefault(shard.lease().name(), Map.of()));
			}
			shards.add(described);
		}
		Map<String, Object> described = describe(ring);
		described.put("shardList", shards);
		SortedSet<String> standing = standingBy(cluster, all, now);
		if (!standing.isEmpty()) {
			described.put("standingBy", standing);
		}
		if (this.objects && counts.containsKey("")) {
			described.put("objectsWithoutOwner", counts.get(""));
		}
		if (!this.output.isTable()) {
			this.output.print(described);
			return;
		}
		this.output.line("Ring %s: ready %s, %s of %s shards available%s".formatted(described.get("ring"),
				described.get("ready"), described.get("availableShards"), described.get("shards"),
				Cluster.isPaused(ring) ? ", paused" : ""));
		untrue(ring).forEach((type, message) -> this.output.line("  " + type + ": " + message));
		List<List<String>> rows = new ArrayList<>();
		rows.add(List.of("SHARD", "NAMESPACE", "STATE", "MEMBER", "POD", "RENEWED", "EXPIRES IN", "CORDONED",
				this.objects ? "OBJECTS" : ""));
		shards.forEach((shard) -> rows.add(List.of(text(shard, "shard"), text(shard, "namespace"), text(shard, "state"),
				text(shard, "member"), text(shard, "pod"), text(shard, "renewed"), text(shard, "expiresIn"),
				text(shard, "cordoned"), this.objects ? text(shard, "objects") : "")));
		this.output.table(rows);
		if (!standing.isEmpty()) {
			this.output.line("Standing by for a slot: " + String.join(", ", standing));
		}
		if (counts.containsKey("")) {
			this.output.line("Without owner: " + counts.get(""));
		}
	}

	/* Who may not read pods is told the rest all the same. */
	private static SortedSet<String> standingBy(Cluster cluster, List<Shard> shards, Instant now) {
		try {
			return new SlotPods(cluster).standingBy(shards, now);
		}
		catch (ApiException ex) {
			return Collections.emptySortedSet();
		}
	}

	private Map<String, Map<String, Integer>> count(RingObjects ring) {
		Map<String, Map<String, Integer>> counts = new TreeMap<>();
		ring.all((object) -> {
			if (object.key() != null) {
				@Nullable String shard = object.shard(String.valueOf(this.name));
				counts.computeIfAbsent((shard != null) ? shard : "", (same) -> new TreeMap<>())
					.merge(object.resource(), 1, Integer::sum);
			}
		});
		return counts;
	}

	private static Map<String, Object> describe(Shard shard, Membership membership, Instant now) {
		Map<String, Object> described = new LinkedHashMap<>();
		boolean believed = !membership.invalid().containsKey("Lease " + shard.path());
		Duration left = LeaseTimes.of(shard.lease(), now).toExpired();
		described.put("shard", shard.lease().name());
		described.put("namespace", shard.namespace());
		described.put("state", believed ? ShardState.of(shard.lease(), now).label() : "not believed");
		described.put("member", believed ? member(shard, membership, now) : "no");
		described.put("pod", shard.lease().isHeldByItself() ? shard.podName() : "-");
		described.put("renewed", Output.age(shard.lease().renewTime(), now));
		described.put("expiresIn", left.isNegative() ? "-" : left.toSeconds() + "s");
		described.put("cordoned", shard.cordoned());
		return described;
	}

	private static String member(Shard shard, Membership membership, Instant now) {
		String name = shard.lease().name();
		if (shard.noted().isWaitedFor()) {
			return "given back %s, grace %d s".formatted(Output.age(shard.noted().graceStart(), now),
					shard.noted().grace().toSeconds());
		}
		if (membership.settling().contains(name)) {
			return "settling";
		}
		if (membership.available().contains(name)) {
			return "yes";
		}
		return (shard.lease().isReleased() && shard.noted().annotations().containsKey(ShardingLabels.SLOTS)) ? "vacated"
				: "no";
	}

	private static String text(Map<String, Object> shard, String field) {
		return String.valueOf(shard.get(field));
	}

}

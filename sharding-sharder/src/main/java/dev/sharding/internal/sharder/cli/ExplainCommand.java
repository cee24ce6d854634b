package dev.sharding.internal.sharder.cli;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw.Shard;
import dev.sharding.internal.sharder.diagnosis.ObjectLaw;
import dev.sharding.internal.sharder.diagnosis.ObservedObject;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * Shows why an object is where it is.
 */
@Command(name = "explain", description = "Shows who owns an object, since when, and why nobody else does.")
final class ExplainCommand implements Callable<Integer> {

	@Mixin
	private final ClusterOptions options = new ClusterOptions();

	@Mixin
	private final Output output = new Output();

	@Parameters(index = "0", paramLabel = "RING")
	private String name = "";

	@Parameters(index = "1", paramLabel = "RESOURCE", description = "Such as deployments.apps.")
	private String resource = "";

	@Parameters(index = "2", paramLabel = "NAMESPACE/NAME", description = "Only the name for a cluster-scoped object.")
	private String object = "";

	@Override
	public Integer call() {
		try (Cluster cluster = this.options.connect()) {
			ControllerRing ring = cluster.ring(this.name);
			RingObjects objects = new RingObjects(cluster, ring);
			ResourceType<GenericKubernetesResource> type = objects.resource(this.resource);
			int slash = this.object.indexOf('/');
			ObservedObject found = objects.find(type, this.object.substring(0, Math.max(slash, 0)),
					this.object.substring(slash + 1));
			if (found == null) {
				throw new CommandFailure("There is no %s '%s'".formatted(type.groupResource(), this.object));
			}
			Instant now = Instant.now();
			List<Lease> leases = cluster.leases(this.name);
			Membership membership = cluster.membership(leases, now);
			explain(found, objects.includes(found.namespace()), ring, Cluster.shards(leases), membership, now);
		}
		return ShardingCommand.WELL;
	}

	private void explain(ObservedObject found, boolean included, ControllerRing ring, List<Shard> shards,
			Membership membership, Instant now) {
		HashRing hashRing = membership.hashRing();
		Map<String, Object> answer = new LinkedHashMap<>();
		answer.put("object", found.toString());
		put(answer, "owner", found.shard(this.name));
		put(answer, "ownerSince", found.shardSince());
		answer.put("draining", found.isDraining(this.name));
		put(answer, "drainingSince", found.drainSince());
		ShardingKey key = found.key();
		if (key != null) {
			answer.put("key", key.toString());
			answer.put("hash", hex(HashRing.hash(key)));
			if (!hashRing.isEmpty()) {
				answer.put("position", hex(hashRing.token(key)));
				put(answer, "shardOfHash", hashRing.shardFor(key));
			}
		}
		answer.put("verdict", verdict(found, included, hashRing, Cluster.isPaused(ring), membership.givenBack()));
		if (key != null) {
			answer.put("shards", shards.stream().map((shard) -> why(shard, key, hashRing, membership, now)).toList());
		}
		print(answer, found, now);
	}

	private void print(Map<String, Object> answer, ObservedObject found, Instant now) {
		if (!this.output.isTable()) {
			this.output.print(answer);
			return;
		}
		this.output.line("Object:    " + answer.get("object"));
		this.output.line("Owner:     " + ((answer.get("owner") != null) ? "%s, since %s (%s)"
			.formatted(answer.get("owner"), answer.get("ownerSince"), Output.age(found.shardSince(), now)) : "nobody"));
		if (found.isDraining(this.name)) {
			this.output.line("Draining:  since %s (%s)".formatted(answer.get("drainingSince"),
					Output.age(found.drainSince(), now)));
		}
		if (answer.containsKey("key")) {
			this.output.line("Key:       " + answer.get("key"));
			this.output.line("Hash:      " + answer.get("hash"));
		}
		if (answer.containsKey("position")) {
			this.output.line("Position:  token %s of %s".formatted(answer.get("position"), answer.get("shardOfHash")));
		}
		this.output.line("Verdict:   " + answer.get("verdict"));
		if (answer.get("shards") instanceof List<?> shards) {
			List<List<String>> rows = new ArrayList<>();
			rows.add(List.of("SHARD", "STATE", "NEXT TOKEN", "WHY"));
			for (Object shard : shards) {
				if (shard instanceof Map<?, ?> why) {
					rows.add(List.of(String.valueOf(why.get("shard")), String.valueOf(why.get("state")),
							String.valueOf(why.get("nextToken")), String.valueOf(why.get("why"))));
				}
			}
			this.output.line("");
			this.output.table(rows);
		}
	}

	private static Map<String, Object> why(Shard shard, ShardingKey key, HashRing ring, Membership membership,
			Instant now) {
		String shardName = shard.lease().name();
		String invalid = membership.invalid().get("Lease " + shard.path());
		Map<String, Object> why = new LinkedHashMap<>();
		why.put("shard", shardName);
		why.put("state", ShardState.of(shard.lease(), now).label());
		why.put("nextToken", hex(HashRing.of(List.of(shardName)).token(key)));
		if (invalid != null) {
			why.put("why", "its Lease is not believed: " + invalid);
		}
		else if (!ring.shards().contains(shardName)) {
			why.put("why", "it is not available");
		}
		else if (ring.settling().contains(shardName)) {
			why.put("why", "it came lately, and gets its part soon");
		}
		else if (ring.cordoned().contains(shardName)) {
			why.put("why", "it is cordoned");
		}
		else {
			why.put("why", (shardName.equals(ring.shardFor(key)) ? "the first token from the hash on is its own"
					: "its next token comes later")
					+ (membership.givenBack().contains(shardName) ? "; it was given back and has no holder" : ""));
		}
		return why;
	}

	private String verdict(ObservedObject found, boolean included, HashRing ring, boolean paused,
			Set<String> givenBack) {
		if (!included) {
			return "the ring does not select its namespace";
		}
		if (found.key() == null) {
			return "it is not sharded: no controller reference names a main object";
		}
		AssignmentDecision decision = ObjectLaw.decide(found, this.name, ring, paused, givenBack);
		if (decision instanceof AssignmentDecision.Keep) {
			return givenBack.contains(String.valueOf(found.shard(this.name)))
					? "it is where it belongs, and waits for the next holder of its shard" : "it is where it belongs";
		}
		if (decision instanceof AssignmentDecision.Assign assign) {
			return "nobody owns it: the sharder is to assign it to " + assign.shard();
		}
		if (decision instanceof AssignmentDecision.Move move) {
			return "its owner has no claim on it: the sharder is to move it to " + move.shard();
		}
		if (decision instanceof AssignmentDecision.Drain) {
			return "another shard should own it: the sharder is to ask its owner to let go of it";
		}
		return switch (((AssignmentDecision.Wait) decision).reason()) {
			case NO_AVAILABLE_SHARD -> "no shard is available";
			case GIVEN_BACK ->
				"another shard should own it: it waits until its shard, which was given back, has a holder, or its grace ends";
			case SETTLING -> "another shard should own it: it stays until its shard, which came lately, has its part";
			case PAUSED, CLAIM_LIVE, CONTROLLED_OBJECTS_FIRST ->
				found.isDraining(this.name) ? "its owner is asked to let go of it, and has not done so yet"
						: "another shard should own it, but the ring is paused";
		};
	}

	private static void put(Map<String, Object> answer, String field, @Nullable Object value) {
		if (value != null) {
			answer.put(field, value.toString());
		}
	}

	private static String hex(long number) {
		return "%016x".formatted(number);
	}

}

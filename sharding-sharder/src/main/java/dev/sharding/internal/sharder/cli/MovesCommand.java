package dev.sharding.internal.sharder.cli;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.sharder.diagnosis.ObjectLaw;
import dev.sharding.internal.sharder.diagnosis.ObjectLaw.Kind;
import dev.sharding.internal.sharder.diagnosis.ObjectLaw.Trouble;
import dev.sharding.internal.sharder.diagnosis.ObservedObject;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Shows the main objects that are changing hands.
 */
@Command(name = "moves",
		description = "Shows main objects that are asked for, that nobody owns, or whose owner is gone.")
final class MovesCommand implements Callable<Integer> {

	private static final int SHOWN = 500;

	@Mixin
	private final ClusterOptions options = new ClusterOptions();

	@Mixin
	private final Output output = new Output();

	@Parameters(paramLabel = "RING")
	private String name = "";

	@Option(names = { "-w", "--watch" }, description = "Goes on, and shows what has changed every two seconds.")
	private boolean watch;

	@Override
	public Integer call() throws InterruptedException {
		try (Cluster cluster = this.options.connect()) {
			ControllerRing ring = cluster.ring(this.name);
			RingObjects objects = new RingObjects(cluster, ring);
			Map<String, Move> before = look(cluster, objects);
			print(before.values().stream().map(Move::describe).toList());
			while (this.watch && !this.output.out().checkError()) {
				TimeUnit.SECONDS.sleep(2);
				Map<String, Move> now = look(cluster, objects);
				tellChanges(before, now, objects);
				before = now;
			}
		}
		return ShardingCommand.WELL;
	}

	/* Two small lists for each main resource: the API server leaves out the rest. */
	private Map<String, Move> look(Cluster cluster, RingObjects objects) {
		Membership membership = cluster.membership(this.name);
		HashRing shards = membership.hashRing();
		Map<String, Move> moves = new LinkedHashMap<>();
		objects.resources().forEach((type, role) -> {
			if (role != ResourceRole.MAIN) {
				return;
			}
			String label = ShardingLabels.shard(this.name);
			String unowned = shards.isEmpty() ? "!" + label
					: label + " notin (" + String.join(",", shards.shards()) + ")";
			for (String selector : List.of(ShardingLabels.drain(this.name), unowned)) {
				objects.list(type, selector, (object) -> {
					Trouble trouble = ObjectLaw.of(object, this.name, shards, true, membership.givenBack(), null);
					if (trouble != null && moves.size() < SHOWN) {
						moves.put(object.toString(), new Move(object, trouble));
					}
				});
			}
		});
		return moves;
	}

	private void tellChanges(Map<String, Move> before, Map<String, Move> now, RingObjects objects) {
		List<Map<String, Object>> changes = new ArrayList<>();
		now.forEach((object, move) -> {
			Move known = before.get(object);
			if (known == null || !known.trouble.isSameAs(move.trouble)) {
				changes.add(move.describe());
			}
		});
		before.forEach((object, move) -> {
			if (!now.containsKey(object)) {
				ObservedObject found = objects.find(objects.resource(move.object.resource()), move.object.namespace(),
						move.object.name());
				@Nullable String shard = (found != null) ? found.shard(this.name) : null;
				Map<String, Object> ended = new LinkedHashMap<>();
				ended.put("object", object);
				ended.put("state", (found != null) ? "owned" : "gone");
				ended.put("from", (move.trouble.owner() != null) ? move.trouble.owner() : "");
				ended.put("to", (shard != null) ? shard : "");
				changes.add(ended);
			}
		});
		if (!changes.isEmpty()) {
			print(changes);
		}
	}

	private void print(List<Map<String, Object>> moves) {
		if (!this.output.isTable()) {
			this.output.print(Map.of("at", Instant.now().toString(), "moves", moves));
			return;
		}
		if (moves.isEmpty()) {
			this.output.line("Nothing is changing hands");
			return;
		}
		List<List<String>> rows = new ArrayList<>();
		rows.add(List.of("OBJECT", "STATE", "FROM", "TO"));
		moves.forEach((move) -> rows.add(List.of(String.valueOf(move.get("object")), String.valueOf(move.get("state")),
				String.valueOf(move.get("from")), String.valueOf(move.get("to")))));
		this.output.table(rows);
	}

	private record Move(ObservedObject object, Trouble trouble) {

		private Map<String, Object> describe() {
			Map<String, Object> described = new LinkedHashMap<>();
			described.put("object", this.object.toString());
			described.put("state", state(this.trouble.kind()));
			described.put("from", (this.trouble.owner() != null) ? this.trouble.owner() : "");
			described.put("to", (this.trouble.wanted() != null) ? this.trouble.wanted() : "");
			if (this.trouble.since() != null) {
				described.put("since", this.trouble.since().toString());
			}
			return described;
		}

		private static String state(Kind kind) {
			return switch (kind) {
				case NO_OWNER -> "without owner";
				case OWNER_GONE -> "owner is gone";
				case WRONG_OWNER -> "to be drained";
				case DRAINING -> "draining";
			};
		}

	}

}

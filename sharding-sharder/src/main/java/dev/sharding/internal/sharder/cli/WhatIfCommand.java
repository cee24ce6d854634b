package dev.sharding.internal.sharder.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.sharder.diagnosis.WhatIf;
import dev.sharding.internal.sharder.ring.ControllerRing;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Shows how many objects would move.
 */
@Command(name = "what-if", description = "Shows how many objects would move if the shards of a ring were others.")
final class WhatIfCommand implements Callable<Integer> {

	@Mixin
	private final ClusterOptions options = new ClusterOptions();

	@Mixin
	private final Output output = new Output();

	@Parameters(paramLabel = "RING")
	private String name = "";

	@ArgGroup(multiplicity = "1")
	private Change change = new Change();

	@Override
	public Integer call() {
		try (Cluster cluster = this.options.connect()) {
			ControllerRing ring = cluster.ring(this.name);
			HashRing before = cluster.hashRing(this.name);
			HashRing after = this.change.of(before);
			WhatIf whatIf = new WhatIf(this.name, before, after);
			AtomicInteger all = new AtomicInteger();
			new RingObjects(cluster, ring).all((object) -> {
				whatIf.count(object);
				all.addAndGet((object.key() != null) ? 1 : 0);
			});
			print(before, after, whatIf.rows(), all.get());
		}
		return ShardingCommand.WELL;
	}

	private void print(HashRing before, HashRing after, List<WhatIf.Row> counted, int all) {
		int moving = WhatIf.moving(counted);
		if (!this.output.isTable()) {
			Map<String, Object> answer = new LinkedHashMap<>();
			answer.put("ring", this.name);
			answer.put("before", before.shards());
			answer.put("after", after.shards());
			answer.put("objects", all);
			answer.put("moving", moving);
			answer.put("shards", counted);
			this.output.print(answer);
			return;
		}
		this.output.line("%d of %d objects of ring %s would move, from shards %s to shards %s".formatted(moving, all,
				this.name, before.shards(), after.shards()));
		List<List<String>> rows = new ArrayList<>();
		rows.add(List.of("SHARD", "RESOURCE", "NOW", "THEN", "LEAVING", "COMING"));
		counted.forEach((row) -> rows.add(List.of(row.shard(), row.resource(), String.valueOf(row.now()),
				String.valueOf(row.then()), String.valueOf(row.leaving()), String.valueOf(row.coming()))));
		this.output.table(rows);
	}

	/**
	 * Which shards there would be.
	 */
	private static final class Change {

		@Option(names = "--shards", paramLabel = "NUMBER", description = "If there were so many shards.")
		private @Nullable Integer number;

		@Option(names = "--without", paramLabel = "SHARD", description = "If there were all but this one.")
		private @Nullable String without;

		private HashRing of(HashRing before) {
			if (this.without != null) {
				SortedSet<String> others = new TreeSet<>(before.shards());
				if (!others.remove(this.without)) {
					throw new CommandFailure(
							"Shard '%s' is not available, but %s are".formatted(this.without, before.shards()));
				}
				return HashRing.of(others, before.cordoned());
			}
			int wanted = (this.number != null) ? this.number : 0;
			if (wanted < 1) {
				throw new CommandFailure("'--shards' must be positive (is %d)".formatted(wanted));
			}
			return HashRing.of(WhatIf.scaled(before.shards(), wanted), before.cordoned());
		}

	}

}

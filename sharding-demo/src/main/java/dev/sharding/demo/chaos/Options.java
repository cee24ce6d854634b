package dev.sharding.demo.chaos;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.sharding.demo.Fault;
import dev.sharding.demo.ShardProgram;
import org.jspecify.annotations.Nullable;

/**
 * What the user asked for on the command line.
 *
 * @param extent how large the run is
 * @param seed what the schedule is drawn from
 * @param replay the schedule to play instead, with its own extent and seed, null for none
 * @param kinds the faults to draw from
 * @param shard what the shards are
 * @param fault negative control: what is wrong with the programs
 */
record Options(Extent extent, long seed, @Nullable Path replay, Set<Kind> kinds, ShardProgram shard, Fault fault) {

	static final String USAGE = """
			Usage: ./chaos [--minutes N] [--shards N] [--objects N] [--rings N] [--seed S] [--replay FILE]
			               [--only FAULT,...] [--shard josdk] [--break X]
			  --minutes N    how long, each minute ends with all in its place (default 3)
			  --shards N     shards of each ring (default 3)
			  --objects N    Secrets in all rings together (default 120)
			  --rings N      rings, each with namespaces of its own (default 2)
			  --seed S       what the schedule of faults is drawn from (default: taken from the clock)
			  --replay FILE  play this schedule again, and ignore the other options
			  --only FAULT   faults to draw from, with commas between them, such as kill-shard,roll-out-shards (default: all)
			  --shard josdk  the shards are operators on java-operator-sdk
			  --break X      negative control, which the judge must see: ack, fence, order, rejoin or nosy
			                 (fence or order with --shard josdk)""";

	private static final Set<Fault> CONTROLS = Set.of(Fault.ACK, Fault.FENCE, Fault.ORDER, Fault.REJOIN, Fault.NOSY);

	/**
	 * @param clock the seed where none is given
	 */
	static Options parse(List<String> arguments, long clock) {
		int minutes = 3;
		int shards = 3;
		int objects = 120;
		int rings = 2;
		long seed = clock;
		Path replay = null;
		Set<Kind> kinds = EnumSet.allOf(Kind.class);
		ShardProgram shard = ShardProgram.EXAMPLE;
		Fault fault = Fault.NONE;
		for (int i = 0; i < arguments.size(); i += 2) {
			String value = (i + 1 < arguments.size()) ? arguments.get(i + 1) : "";
			try {
				switch (arguments.get(i)) {
					case "--minutes" -> minutes = Integer.parseInt(value);
					case "--shards" -> shards = Integer.parseInt(value);
					case "--objects" -> objects = Integer.parseInt(value);
					case "--rings" -> rings = Integer.parseInt(value);
					case "--seed" -> seed = Long.parseLong(value);
					case "--break" -> fault = control(value);
					case "--only" -> kinds = kinds(value);
					case "--shard" -> shard = ShardProgram.named(value);
					case "--replay" -> replay = file(value);
					default -> throw unknown(arguments.get(i), value);
				}
			}
			catch (NumberFormatException ex) {
				throw unknown(arguments.get(i), value);
			}
		}
		if (!shard.canHave(fault)) {
			throw new IllegalArgumentException("There are no such shards with that fault\n" + USAGE);
		}
		return new Options(new Extent(minutes, shards, objects, rings, Extent.WINDOW_MILLIS), seed, replay, kinds,
				shard, fault);
	}

	private static Set<Kind> kinds(String names) {
		Set<Kind> kinds = EnumSet.noneOf(Kind.class);
		for (String name : names.split(",")) {
			kinds.add(Arrays.stream(Kind.values())
				.filter((kind) -> kind.text().equals(name))
				.findFirst()
				.orElseThrow(() -> unknown("--only", name)));
		}
		return kinds;
	}

	private static Fault control(String value) {
		return CONTROLS.stream()
			.filter((fault) -> fault.name().equalsIgnoreCase(value))
			.findFirst()
			.orElseThrow(() -> unknown("--break", value));
	}

	private static Path file(String value) {
		if (value.isEmpty()) {
			throw unknown("--replay", value);
		}
		return Path.of(value);
	}

	private static IllegalArgumentException unknown(String argument, String value) {
		return new IllegalArgumentException(
				"Unknown argument '" + argument + (value.isEmpty() ? "" : " " + value) + "'\n" + USAGE);
	}

}

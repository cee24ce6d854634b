package dev.sharding.demo.chaos;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
 * @param controls the negative controls to play after the run
 * @param shrink whether to look for the smallest part of the schedule that goes wrong
 */
record Options(Extent extent, long seed, @Nullable Path replay, Set<Kind> kinds, ShardProgram shard, Fault fault,
		List<Control> controls, boolean shrink) {

	static final String USAGE = """
			Usage: ./chaos [--minutes N] [--shards N] [--objects N] [--rings N] [--slots] [--seed S] [--replay FILE]
			               [--only FAULT,...] [--shard josdk] [--controls [X,...|none]] [--shrink] [--break X]
			  --minutes N    how long, each minute ends with all in its place (default 3)
			  --shards N     shards of each ring (default 3)
			  --objects N    Secrets in all rings together (default 120)
			  --rings N      rings, each with namespaces of its own (default 2)
			  --slots        shards have slots for names
			  --seed S       what the schedule of faults is drawn from (default: taken from the clock)
			  --replay FILE  play this schedule again, and ignore the options above
			  --only FAULT   faults to draw from, with commas between them, such as kill-shard,roll-out-shards (default: all)
			  --shard josdk  the shards are operators on java-operator-sdk, without --controls
			  --controls     afterwards, programs that are broken on purpose: all of them, those that are named, or
			                 none (default: two, others with each seed; none with --replay, --shrink, --break or --shard)
			  --shrink       when something is wrong, look for the smallest part of the schedule with which it is
			  --break X      play programs that are broken on purpose, which the judge must see (with --shard josdk
			                 those of the sharder, and fence), one of:
			                 """
			+ names();

	private static final int ROTATING = 2;

	Options {
		controls = List.copyOf(controls);
	}

	/**
	 * @param clock the seed where none is given
	 */
	static Options parse(List<String> arguments, long clock) {
		int minutes = 3;
		int shards = 3;
		int objects = 120;
		int rings = 2;
		boolean slots = false;
		boolean shrink = false;
		long seed = clock;
		Path replay = null;
		Set<Kind> kinds = EnumSet.allOf(Kind.class);
		ShardProgram shard = ShardProgram.EXAMPLE;
		Fault fault = Fault.NONE;
		List<Control> controls = null;
		for (int i = 0; i < arguments.size(); i++) {
			String option = arguments.get(i);
			boolean hasValue = i + 1 < arguments.size() && !arguments.get(i + 1).startsWith("--");
			String value = hasValue ? arguments.get(i + 1) : "";
			try {
				switch (option) {
					case "--minutes" -> minutes = Integer.parseInt(value);
					case "--shards" -> shards = Integer.parseInt(value);
					case "--objects" -> objects = Integer.parseInt(value);
					case "--rings" -> rings = Integer.parseInt(value);
					case "--seed" -> seed = Long.parseLong(value);
					case "--break" -> fault = control(option, value).fault();
					case "--only" -> kinds = kinds(value);
					case "--shard" -> shard = ShardProgram.named(value);
					case "--replay" -> replay = file(value);
					case "--controls" -> controls = controls(value);
					case "--slots" -> slots = flag(option, value);
					case "--shrink" -> shrink = flag(option, value);
					default -> throw unknown(option, value);
				}
			}
			catch (NumberFormatException ex) {
				throw unknown(option, value);
			}
			i += hasValue ? 1 : 0;
		}
		if (!shard.canHave(fault)) {
			throw new IllegalArgumentException("There are no such shards with that fault\n" + USAGE);
		}
		if (controls == null) {
			boolean usual = replay == null && !shrink && fault == Fault.NONE && shard == ShardProgram.EXAMPLE;
			controls = usual ? Control.rotating(seed, ROTATING) : List.of();
		}
		return new Options(new Extent(minutes, shards, objects, rings, Extent.WINDOW_MILLIS, slots), seed, replay,
				kinds, shard, fault, controls, shrink);
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

	private static boolean flag(String option, String value) {
		if (!value.isEmpty()) {
			throw unknown(option, value);
		}
		return true;
	}

	private static List<Control> controls(String value) {
		if (value.isEmpty()) {
			return List.of(Control.values());
		}
		List<Control> controls = new ArrayList<>();
		if (!value.equals("none")) {
			Arrays.stream(value.split(",", -1)).forEach((name) -> controls.add(control("--controls", name)));
		}
		return controls;
	}

	private static Control control(String option, String value) {
		return Stream.of(Control.values())
			.filter((control) -> control.text().equals(value.toLowerCase(Locale.ROOT)))
			.findFirst()
			.orElseThrow(() -> unknown(option, value));
	}

	private static String names() {
		return Stream.of(Control.values()).map(Control::text).collect(Collectors.joining(", "));
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

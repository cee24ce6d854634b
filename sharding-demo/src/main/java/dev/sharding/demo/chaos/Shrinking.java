package dev.sharding.demo.chaos;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import dev.sharding.demo.Fault;
import dev.sharding.demo.Programs;
import dev.sharding.demo.ShardProgram;
import dev.sharding.demo.chaos.Shrink.Shrunk;

/**
 * Looks for the smallest part of a schedule with which the same goes wrong, first for
 * whole minutes, then for single faults. Each try is a run of its own.
 */
final class Shrinking {

	/** Name of the file with what is left. */
	static final String SHRUNK = "shrunk.jsonl";

	/** A run takes a minute at least. */
	private static final int MOST = 40;

	private final Programs programs;

	private final ShardProgram shard;

	private final Fault fault;

	private final Path folder;

	private final PrintStream out;

	private int tries;

	/**
	 * @param shard what the shards are
	 * @param fault what is wrong with the programs
	 * @param folder where each try gets a folder of its own
	 */
	Shrinking(Programs programs, ShardProgram shard, Fault fault, Path folder, PrintStream out) {
		this.programs = programs;
		this.shard = shard;
		this.fault = fault;
		this.folder = folder;
		this.out = out;
	}

	/**
	 * Shrinks.
	 * @param schedule what was played
	 * @param kinds what went wrong; a try in which none of that does fails not
	 */
	Shrunk<Planned> shrink(Schedule schedule, Set<String> kinds) throws Exception {
		List<Integer> minutes = List.copyOf(new TreeSet<>(schedule.faults().stream().map(Planned::minute).toList()));
		int candidates = 0;
		if (minutes.size() > 1) {
			Shrunk<Integer> ofMinutes = new Shrink<Integer>(
					(some) -> fails(schedule.with(faultsOf(schedule, new HashSet<>(some))), kinds), MOST)
				.of(minutes);
			minutes = ofMinutes.smallest();
			candidates = ofMinutes.candidates();
		}
		List<Planned> left = faultsOf(schedule, new HashSet<>(minutes));
		Shrunk<Planned> shrunk = new Shrink<Planned>((some) -> fails(schedule.with(some), kinds), MOST).of(left);
		Files.write(this.folder.resolve(SHRUNK), ScheduleLines.of(schedule.with(shrunk.smallest())));
		return new Shrunk<>(shrunk.smallest(), shrunk.rate(), candidates + shrunk.candidates());
	}

	private static List<Planned> faultsOf(Schedule schedule, Set<Integer> minutes) {
		return new ArrayList<>(schedule.faults().stream().filter((fault) -> minutes.contains(fault.minute())).toList());
	}

	private boolean fails(Schedule schedule, Set<String> kinds) throws Exception {
		Path own = Files.createDirectories(this.folder.resolve("try-%03d".formatted(++this.tries)));
		Outcome outcome = new Run(this.programs, this.shard, this.fault, own, this.out).play(schedule);
		boolean fails = outcome.kinds().stream().anyMatch(kinds::contains);
		this.out.println("try %d: %d faults, %s".formatted(this.tries, schedule.faults().size(),
				fails ? "fails: " + outcome.kinds() : "does not fail"));
		return fails;
	}

}

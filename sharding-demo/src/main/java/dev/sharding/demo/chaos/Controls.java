package dev.sharding.demo.chaos;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.sharding.demo.Programs;
import dev.sharding.demo.ShardProgram;

/**
 * Plays programs that are broken on purpose. What has to be seen of each must be the
 * first that is seen: a judge that does not see it proves nothing by its zeros, and one
 * that sees something else before it does not know what it looks at.
 */
final class Controls {

	/**
	 * A control that rests on a race gets a second turn; both are told. All is wrong for
	 * good there, so there is nothing to wait for but that what is late is later than it
	 * may be: the second turn is one for a machine that is slow.
	 */
	private static final List<Duration> QUIET_WITHIN = List.of(Duration.ofSeconds(12), Duration.ofSeconds(40));

	private final Programs programs;

	private final Path folder;

	private final PrintStream out;

	/**
	 * @param folder where each gets a folder of its own
	 */
	Controls(Programs programs, Path folder, PrintStream out) {
		this.programs = programs;
		this.folder = folder;
		this.out = out;
	}

	List<Seen> play(List<Control> controls, long seed) throws Exception {
		List<Seen> seen = new ArrayList<>();
		for (Control control : controls) {
			seen.add(play(control, seed));
			this.out.println("control " + seen.get(seen.size() - 1));
		}
		return seen;
	}

	private Seen play(Control control, long seed) throws Exception {
		Seen seen = new Seen(control, Set.of(), 0);
		while (!seen.caught() && seen.turns() < QUIET_WITHIN.size()) {
			Path own = Files.createDirectories(
					this.folder.resolve("control-" + control.text() + ((seen.turns() > 0) ? "-again" : "")));
			Run run = new Run(this.programs, ShardProgram.EXAMPLE, control.fault(), own, this.out)
				.with((control == Control.LEADER) ? 2 : 1, QUIET_WITHIN.get(seen.turns()));
			seen = new Seen(control, firstKinds(run, control.schedule(seed)), seen.turns() + 1);
		}
		return seen;
	}

	/* What was seen before is not to be lost by a control that cannot be played. */
	private Set<String> firstKinds(Run run, Schedule schedule) {
		try {
			return run.play(schedule).firstKinds();
		}
		catch (Exception ex) {
			this.out.println("It could not be played: " + ex);
			return Set.of();
		}
	}

	/**
	 * What was seen of a control.
	 *
	 * @param first the kinds of what was seen first
	 * @param turns how often it was played
	 */
	record Seen(Control control, Set<String> first, int turns) {

		Seen {
			first = Set.copyOf(first);
		}

		/** Whether it was what had to be seen. */
		boolean caught() {
			return this.first.contains(this.control.counter().key());
		}

		@Override
		public String toString() {
			return "%s: %s, first was %s (turn %d)".formatted(this.control.text(),
					caught() ? "caught" : "NOT caught, " + this.control.counter().key() + " was to be seen",
					this.first.isEmpty() ? "nothing" : String.join(" and ", this.first), this.turns);
		}

	}

}

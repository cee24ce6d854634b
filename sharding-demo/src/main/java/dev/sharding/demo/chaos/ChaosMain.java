package dev.sharding.demo.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.sharding.demo.Programs;
import dev.sharding.demo.chaos.Shrink.Shrunk;

/**
 * Plays chaos; {@code ./chaos} builds and calls it. The system property {@code demo.root}
 * is the folder of the project, {@code demo.logs} the one for what is kept.
 */
public final class ChaosMain {

	private static final int EXAMPLES = 10;

	private ChaosMain() {
	}

	/**
	 * Plays: status 0 if all was well, 1 with violations, 2 on failure, 3 if too little
	 * happened to prove anything.
	 */
	public static void main(String[] arguments) {
		int status = 2;
		try {
			status = play(Options.parse(List.of(arguments), System.currentTimeMillis()));
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
		}
		catch (Throwable ex) {
			// An error, too: the JVM would end with the status of violations.
			System.err.println("The run failed: " + ex);
			ex.printStackTrace();
		}
		System.exit(status);
	}

	private static int play(Options options) throws Exception {
		Path root = Path.of(System.getProperty("demo.root", ".")).toAbsolutePath();
		Path folder = Files
			.createDirectories(Path.of(System.getProperty("demo.logs", "target/chaos")).toAbsolutePath());
		PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
		Programs programs = laidOut(root);
		Run run = new Run(programs, options.shard(), options.fault(), folder, out);
		Schedule schedule = schedule(options);
		Outcome outcome = run.play(schedule);
		outcome.violations().stream().limit(EXAMPLES).forEach((violation) -> out.println("  " + violation));
		Shrunk<Planned> shrunk = null;
		if (!outcome.violations().isEmpty()) {
			out.println("All of them: " + folder.resolve("violations.txt"));
			out.println("Play it again with: " + run.repeat());
			if (options.shrink()) {
				shrunk = new Shrinking(programs, options.shard(), options.fault(), folder, out).shrink(schedule,
						outcome.kinds());
				out.println(
						"The smallest part that fails, " + shrunk.rate() + " times: " + run.repeat(Shrinking.SHRUNK));
			}
			else {
				out.println("Look for the smallest part that fails with: " + run.repeat() + " --shrink");
			}
		}
		List<Controls.Seen> controls = new Controls(programs, folder, out).play(options.controls(), schedule.seed());
		out.println("The run as a picture: " + folder.resolve("run.html"));
		Verdict verdict = new Verdict(outcome, controls, shrunk);
		Files.writeString(folder.resolve("verdict.json"), verdict.json() + "\n");
		out.println(verdict.json());
		return verdict.status();
	}

	private static Schedule schedule(Options options) throws IOException {
		Path replay = options.replay();
		return (replay != null) ? ScheduleLines.parse(Files.readAllLines(replay))
				: Schedule.of(options.extent(), options.seed(), options.kinds());
	}

	/**
	 * Programs that are laid out, with archives of their classes, start with less work.
	 * Other programs get another folder, as an archive fits these jars only.
	 */
	private static Programs laidOut(Path root) throws IOException, InterruptedException {
		Programs built = Programs.in(root);
		String stamp = built.stamp();
		Path folder = Files.createDirectories(
				root.resolve("sharding-demo/target/chaos-programs").resolve(Integer.toHexString(stamp.hashCode())));
		Path madeOf = folder.resolve("made-of");
		if (!Files.exists(madeOf)) {
			built.layOut(folder);
			built.laidOut(folder).archive();
			Files.writeString(madeOf, stamp);
		}
		return built.laidOut(folder);
	}

}

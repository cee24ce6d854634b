package dev.sharding.demo.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.sharding.demo.Programs;

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
		catch (Exception ex) {
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
		Run run = new Run(laidOut(root), options.shard(), options.fault(), folder, out);
		Outcome outcome = run.play(schedule(options));
		outcome.violations().stream().limit(EXAMPLES).forEach((violation) -> out.println("  " + violation));
		if (!outcome.violations().isEmpty()) {
			out.println("All of them: " + folder.resolve("violations.txt") + ". Play it again with: " + run.repeat());
		}
		out.println("The run as a picture: " + folder.resolve("run.html"));
		out.println(outcome.json());
		return outcome.status();
	}

	private static Schedule schedule(Options options) throws IOException {
		Path replay = options.replay();
		return (replay != null) ? ScheduleLines.parse(Files.readAllLines(replay))
				: Schedule.of(options.extent(), options.seed(), options.kinds());
	}

	/** Programs that are laid out start with less work. */
	private static Programs laidOut(Path root) throws IOException {
		Programs built = Programs.in(root);
		Path folder = Files.createDirectories(root.resolve("sharding-demo/target/chaos-programs"));
		built.layOut(folder);
		return built.laidOut(folder);
	}

}

package dev.sharding.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import dev.sharding.test.Access;

/**
 * Plays the demo; {@code ./demo} builds and calls it. The system property
 * {@code demo.root} is the folder of the project, {@code demo.columns} the width of the
 * terminal, absent or 0 where there is none.
 */
public final class DemoMain {

	private static final long FRAME_MILLIS = 200;

	private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

	private final DemoOptions options;

	private final Path root = Path.of(System.getProperty("demo.root", "."));

	private final Path logs = Path.of(System.getProperty("demo.logs", "sharding-demo/target/last-run"));

	private final int columns = Integer.getInteger("demo.columns", 0);

	private final long start = System.nanoTime();

	private DemoMain(DemoOptions options) {
		this.options = options;
	}

	/** Runs the demo: status 0 if the judge found nothing, 1 if it did, 2 on failure. */
	public static void main(String[] arguments) {
		int status = 2;
		try {
			status = new DemoMain(DemoOptions.parse(List.of(arguments))).run() ? 0 : 1;
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
		}
		catch (Exception ex) {
			System.err.println("The demo failed: " + ex);
			ex.printStackTrace();
		}
		System.exit(status);
	}

	private boolean run() throws Exception {
		boolean terminal = this.columns > 0 && !this.options.once();
		Screen screen = terminal ? new TerminalScreen(this.out, new Frame(Math.min(this.columns, 120), true))
				: new PlainScreen(this.out);
		screen.say("Starting etcd and kube-apiserver ...");
		Programs programs = Programs.in(this.root);
		try (Stage stage = Stage.open(programs, this.logs)) {
			stage.furnish();
			screen.say("API server ready after " + Text.seconds(running().toMillis()) + ", kubeconfig "
					+ stage.kubeconfig() + ", logs beside it");
			return play(stage, programs, screen, terminal);
		}
	}

	private boolean play(Stage stage, Programs programs, Screen screen, boolean terminal) throws Exception {
		Board board = new Board();
		Access writerUser = stage.user("writer", Permissions.writer());
		Access probeUser = stage.user("probe", Permissions.probe());
		try (Writer writer = new Writer(writerUser.client(), board.times(), this.options.objects());
				Probe probe = new Probe(probeUser.client());
				Observer observer = new Observer(stage.admin(), board);
				AutoCloseable ticker = ticker(() -> screen.frame(board.view(), running(), writer.updates()));
				Script script = new Script(stage, board, writer, screen, this.options)) {
			Figures figures = script.play();
			Verdict verdict = judge(programs, stage, screen);
			String json = figures.json(verdict.json());
			Files.writeString(this.logs.resolve("result.json"), json + "\n");
			if (terminal) {
				stayUntilInterrupted(screen, script, stage);
			}
			this.out.println(json);
			return verdict.clean();
		}
		finally {
			Files.copy(stage.auditLog(), this.logs.resolve("audit.jsonl"), StandardCopyOption.REPLACE_EXISTING);
		}
	}

	private Verdict judge(Programs programs, Stage stage, Screen screen) throws IOException, InterruptedException {
		String title = "The judge reads the audit log";
		screen.begin(title);
		long begin = System.nanoTime();
		Verdict verdict = Verdict.ask(programs, stage);
		screen.done(new StepResult(title, Duration.ofNanos(System.nanoTime() - begin).toMillis(),
				verdict.clean() ? "all zeros" : "not all zeros",
				verdict.clean() == (this.options.fault() == Fault.NONE)));
		verdict.lines((this.columns > 0) ? this.columns : 200, Verdict.report(stage)).forEach(screen::say);
		return verdict;
	}

	private static void stayUntilInterrupted(Screen screen, Script script, Stage stage) throws InterruptedException {
		screen.say("All still runs. Look around with: kubectl --kubeconfig " + stage.kubeconfig() + " -n "
				+ Names.NAMESPACE + " get leases -L alpha.sharding.timebertt.dev/state");
		screen.say("Add a shard from another terminal: " + stage.commandForShard("shard-5"));
		screen.say("Ctrl-C ends everything.");
		while (true) {
			script.checkAlive();
			TimeUnit.SECONDS.sleep(1);
		}
	}

	private Duration running() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

	private static AutoCloseable ticker(Runnable frame) {
		ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor((runnable) -> {
			Thread thread = new Thread(runnable, "screen");
			thread.setDaemon(true);
			return thread;
		});
		ScheduledFuture<?> unused = executor.scheduleWithFixedDelay(frame, 0, FRAME_MILLIS, TimeUnit.MILLISECONDS);
		return executor::shutdownNow;
	}

}

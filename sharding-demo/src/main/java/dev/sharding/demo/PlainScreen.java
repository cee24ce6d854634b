package dev.sharding.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** Plain lines, for pipes and logs: what changes, at most once a second. */
final class PlainScreen implements Screen {

	private final PrintStream out;

	private String last = "";

	private long lastSecond = -1;

	PlainScreen(PrintStream out) {
		this.out = out;
	}

	@Override
	public synchronized void say(String line) {
		this.out.println(line);
	}

	@Override
	public synchronized void begin(String title) {
		this.out.println("> " + title);
	}

	@Override
	public synchronized void done(StepResult step) {
		this.out.println((step.settled() ? "ok  " : "NOT OK  ") + step.title() + ": " + Text.seconds(step.millis())
				+ (step.note().isEmpty() ? "" : ", " + step.note()));
	}

	@Override
	public synchronized void frame(BoardView board, Duration running, int updates) {
		if (running.toSeconds() == this.lastSecond || board.rows().isEmpty()) {
			return;
		}
		this.lastSecond = running.toSeconds();
		String line = board.rows().entrySet().stream().map(PlainScreen::row).collect(Collectors.joining("  "))
				+ "  no owner " + board.unowned() + "  draining " + board.draining();
		if (!line.equals(this.last)) {
			this.last = line;
			this.out.println("  " + Text.clock(running) + "  " + line);
		}
	}

	private static String row(Map.Entry<String, BoardView.Row> row) {
		return row.getKey() + " " + row.getValue().state() + " " + row.getValue().owned();
	}

}

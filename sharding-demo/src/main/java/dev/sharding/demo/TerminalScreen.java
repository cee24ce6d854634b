package dev.sharding.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** A live view that is drawn over and over in the same place of a terminal. */
final class TerminalScreen implements Screen {

	private static final String UP_AND_CLEAR = "\u001B[%dF\u001B[0J";

	private final PrintStream out;

	private final Frame frame;

	private final List<StepResult> done = new ArrayList<>();

	private String now = "";

	private long nowSince = System.nanoTime();

	private int drawn;

	private @Nullable List<String> last;

	TerminalScreen(PrintStream out, Frame frame) {
		this.out = out;
		this.frame = frame;
	}

	@Override
	public synchronized void say(String line) {
		StringBuilder text = erase();
		text.append(line).append('\n');
		redraw(text);
	}

	@Override
	public synchronized void begin(String title) {
		this.now = title;
		this.nowSince = System.nanoTime();
	}

	@Override
	public synchronized void done(StepResult step) {
		this.done.add(step);
		this.now = "";
	}

	@Override
	public synchronized void frame(BoardView board, Duration running, int updates) {
		StringBuilder text = erase();
		this.last = this.frame.lines(board, running, updates, this.done, this.now,
				Duration.ofNanos(System.nanoTime() - this.nowSince));
		redraw(text);
	}

	private StringBuilder erase() {
		StringBuilder text = new StringBuilder();
		if (this.drawn > 0) {
			text.append(UP_AND_CLEAR.formatted(this.drawn));
		}
		return text;
	}

	private void redraw(StringBuilder text) {
		List<String> lines = (this.last != null) ? this.last : List.of();
		lines.forEach((line) -> text.append(line).append('\n'));
		this.drawn = lines.size();
		this.out.print(text);
		this.out.flush();
	}

}

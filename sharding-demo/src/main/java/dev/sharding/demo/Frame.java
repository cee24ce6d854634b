package dev.sharding.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Lays out the live view: the state of the play in, lines of text out.
 *
 * @param width columns of the terminal
 * @param colour whether to use colours
 */
record Frame(int width, boolean colour) {

	private static final int[] SHARD_COLOURS = { 39, 78, 214, 170, 45, 203, 148 };

	private static final int GREY = 245;

	private static final int RED = 203;

	private static final int GREEN = 78;

	List<String> lines(BoardView board, Duration running, int updates, List<StepResult> done, String now,
			Duration since) {
		List<String> lines = new ArrayList<>();
		lines.add("");
		lines.add(bold("  Who owns what") + paint(GREY, "   ring %s · %s Secrets · leases of 3 s · %s"
			.formatted(Names.RING, Text.count(board.objects()), Text.clock(running))));
		lines.add("");
		int index = 0;
		for (Map.Entry<String, BoardView.Row> row : board.rows().entrySet()) {
			lines.add(row(row.getKey(), row.getValue(), board.objects(), SHARD_COLOURS[index % SHARD_COLOURS.length]));
			index++;
		}
		lines.add(row("nobody", new BoardView.Row("", board.unowned()), board.objects(), RED));
		lines.add("");
		lines.add(paint(GREY, "  draining %d · checksums up to date %s of %s · %s updates by the writer".formatted(
				board.draining(), Text.count(board.current()), Text.count(board.objects()), Text.count(updates))));
		lines.add("");
		done.forEach((step) -> lines.add(step(step)));
		if (!now.isEmpty()) {
			lines.add("  " + paint(214, "▸") + " %-42s %8s".formatted(now, Text.seconds(since.toMillis())));
		}
		return lines;
	}

	private String row(String name, BoardView.Row row, int objects, int colour) {
		int room = Math.max(10, this.width - 40);
		int bar = (objects == 0) ? 0 : (int) Math.ceil((double) row.owned() * room / Math.max(objects, 1));
		return "  %-10s %s %s%s %6s".formatted(name, paint(stateColour(row.state()), "%-10s".formatted(row.state())),
				paint(colour, "█".repeat(bar)), paint(237, "·".repeat(room - bar)), Text.count(row.owned()));
	}

	private static int stateColour(String state) {
		return switch (state) {
			case "ready" -> GREEN;
			case "dead", "taken", "no Lease" -> RED;
			case "expired", "uncertain" -> 214;
			default -> GREY;
		};
	}

	String step(StepResult step) {
		String mark = step.settled() ? paint(GREEN, "✓") : paint(RED, "✗");
		String note = step.note();
		int room = Math.max(0, this.width - 58);
		return "  " + mark + " %-42s %8s  ".formatted(step.title(), Text.seconds(step.millis()))
				+ paint(GREY, (note.length() > room) ? note.substring(0, Math.max(0, room - 1)) + "…" : note);
	}

	String bold(String text) {
		return this.colour ? "\u001B[1m" + text + "\u001B[0m" : text;
	}

	String paint(int code, String text) {
		return (this.colour && !text.isEmpty()) ? "\u001B[38;5;" + code + "m" + text + "\u001B[0m" : text;
	}

}

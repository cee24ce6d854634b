package dev.sharding.demo.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sharding.judge.Course;

/**
 * A run as a page that needs nothing but itself: who had how many objects, which process
 * ran, what was done to whom, and what was wrong, all on one axis of time.
 */
final class Page {

	private static final int LEFT = 150;

	private static final int WIDTH = 1200;

	private static final int AREA = 130;

	private static final int LAG = 60;

	/** What the scale of lags ends at: it shows orders of magnitude. */
	private static final double LEAST_MILLIS = 10;

	private static final double MOST_MILLIS = 100_000;

	private static final int ROW = 18;

	private static final int GAP = 34;

	private static final String STYLE = """
			body{font:14px/1.45 system-ui,sans-serif;margin:24px;background:#fff;color:#1c2430}
			h1{font-size:20px;margin:0 0 4px}
			code{font:12px ui-monospace,monospace;background:#8881;padding:1px 4px;border-radius:3px}
			dl{display:flex;flex-wrap:wrap;gap:6px 22px;margin:10px 0 16px}dt{font-size:12px;opacity:.7}dd{margin:0;font-weight:600}
			dl div{min-width:60px}.bad{color:#c62828}.good{color:#2e7d32}.open{color:#b26a00}
			svg{max-width:100%;height:auto}text{font:11px system-ui,sans-serif;fill:currentColor}
			.run{fill:#9aa5b1;opacity:.35}.fault{fill:#e08a00;opacity:.85}.wrong{stroke:#c62828;stroke-width:1.5}
			.grid{stroke:currentColor;opacity:.12}.lag{stroke:#3567b0;stroke-width:1.5}.head{font-weight:600}.unowned{fill:#c62828}
			ul{padding-left:18px}li{margin:2px 0;word-break:break-word}
			@media(prefers-color-scheme:dark){body{background:#14181d;color:#dde3ea}}
			""";

	private final Story story;

	private final StringBuilder svg = new StringBuilder();

	private final double millis;

	private int y = 20;

	private Page(Story story) {
		this.story = story;
		this.millis = Math.max(1, Duration.between(story.from(), story.to()).toMillis());
	}

	static String of(Story story) {
		return new Page(story).page();
	}

	private String page() {
		this.story.courses().forEach(this::course);
		rows();
		String drawn = this.svg.toString();
		this.svg.setLength(0);
		axis();
		troubles();
		return """
				<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
				<title>%s</title><style>%s</style></head><body><h1>%s</h1><div>%s · again with <code>%s</code></div>%s
				<svg viewBox="0 0 %d %d" width="%d" role="img" aria-label="Timeline of the run">%s%s</svg>%s</body></html>
				"""
			.formatted(text(this.story.title()), STYLE, text(this.story.title()), text(this.story.from().toString()),
					text(this.story.repeat()), facts(), LEFT + WIDTH + 20, this.y + 10, LEFT + WIDTH + 20, drawn,
					this.svg, list());
	}

	/** The verdict, entry by entry. */
	private String facts() {
		StringBuilder facts = new StringBuilder("<dl>");
		this.story.verdict().forEach((name, value) -> {
			if (value.isEmpty()) {
				return;
			}
			boolean good = !name.equals("violations") || value.equals("0");
			String kind = name.equals("violations") ? (good ? "good" : "bad")
					: name.equals("inconclusive") && value.equals("true") ? "open" : "";
			facts.append("<div><dt>%s</dt><dd class=\"%s\">%s</dd></div>".formatted(text(name), kind, text(value)));
		});
		return facts.append("</dl>").toString();
	}

	/** Objects by owner, one on top of the other, and on top of all those without one. */
	private void course(Course course) {
		Set<String> owners = new TreeSet<>();
		int most = 1;
		for (Course.Point point : course.points()) {
			owners.addAll(point.owned().keySet());
			most = Math.max(most, total(point));
		}
		head("objects of " + course.ring() + " by owner (" + most + ")");
		int bottom = this.y + AREA;
		Map<Instant, Integer> below = new TreeMap<>();
		int colour = 0;
		for (String owner : owners) {
			area(course.points(), owner, below, most, bottom,
					"fill=\"hsl(" + (200 + colour * 137) % 360 + " 45% 55%)\"");
			colour++;
		}
		area(course.points(), "", below, most, bottom, "class=\"unowned\"");
		this.y = bottom + GAP;
		lags(course);
	}

	/** How long changes waited, a bar for each step in which there were some. */
	private void lags(Course course) {
		long most = course.points().stream().mapToLong(Page::lagMillis).max().orElse(0);
		head("lag of changes in " + course.ring() + ", p99 of each second (" + most + " ms)");
		int bottom = this.y + LAG;
		for (double line = LEAST_MILLIS; line <= MOST_MILLIS; line *= 10) {
			double at = bottom - LAG * lagShare(line);
			this.svg.append(String.format(Locale.ROOT,
					"<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s s</text>",
					LEFT, LEFT + WIDTH, at, at, LEFT - 8, at + 4, text(String.valueOf(line / 1000))));
		}
		for (Course.Point point : course.points()) {
			long millis = lagMillis(point);
			if (millis >= 0) {
				double x = x(point.at());
				this.svg.append(String.format(Locale.ROOT,
						"<line class=\"lag\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\"><title>%d ms</title></line>",
						x, x, bottom, bottom - LAG * lagShare(millis), millis));
			}
		}
		this.y = bottom + GAP;
	}

	private static long lagMillis(Course.Point point) {
		Duration lag = point.lag();
		return (lag != null) ? lag.toMillis() : -1;
	}

	private static double lagShare(double millis) {
		double share = Math.log10(Math.max(millis, LEAST_MILLIS) / LEAST_MILLIS)
				/ Math.log10(MOST_MILLIS / LEAST_MILLIS);
		return Math.min(1, share);
	}

	private static int total(Course.Point point) {
		return point.unowned() + point.owned().values().stream().mapToInt(Integer::intValue).sum();
	}

	private void area(List<Course.Point> points, String owner, Map<Instant, Integer> below, int most, int bottom,
			String how) {
		StringBuilder up = new StringBuilder();
		StringBuilder back = new StringBuilder();
		for (Course.Point point : points) {
			int from = below.getOrDefault(point.at(), 0);
			int to = from + (owner.isEmpty() ? point.unowned() : point.owned().getOrDefault(owner, 0));
			up.append(corner(point.at(), bottom - (double) AREA * to / most));
			back.insert(0, corner(point.at(), bottom - (double) AREA * from / most));
			below.put(point.at(), to);
		}
		this.svg.append("<polygon %s points=\"%s%s\"><title>%s</title></polygon>".formatted(how, up, back,
				text(owner.isEmpty() ? "no available owner" : owner)));
	}

	private String corner(Instant at, double y) {
		return String.format(Locale.ROOT, "%.1f,%.1f ", x(at), y);
	}

	/** A row for each process, and for whoever else was struck. */
	private void rows() {
		head("processes, and what was done to them");
		Map<String, Integer> rows = new TreeMap<>();
		this.story.bars()
			.stream()
			.sorted(Comparator.comparing((Story.Bar bar) -> !bar.what().equals("run")))
			.forEach((bar) -> rows.putIfAbsent(bar.who(), 0));
		int row = 0;
		for (Map.Entry<String, Integer> entry : rows.entrySet()) {
			int top = this.y + row++ * ROW;
			entry.setValue(top);
			this.svg.append("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>".formatted(LEFT - 8, top + 12,
					text(entry.getKey())));
		}
		this.story.bars().stream().filter((bar) -> bar.what().equals("run")).forEach((bar) -> bar(bar, rows, "run"));
		this.story.bars().stream().filter((bar) -> !bar.what().equals("run")).forEach((bar) -> bar(bar, rows, "fault"));
		this.y += rows.size() * ROW + GAP;
	}

	private void bar(Story.Bar bar, Map<String, Integer> rows, String kind) {
		int top = rows.getOrDefault(bar.who(), 0) + ((kind.equals("run")) ? 2 : 4);
		double from = Math.max(LEFT, x(bar.from()));
		double width = Math.max(3, x(bar.to()) - from);
		String tip = "%s, %.1f s".formatted(bar.text(), Duration.between(bar.from(), bar.to()).toMillis() / 1000.0);
		this.svg.append(String.format(Locale.ROOT,
				"<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"><title>%s</title></rect>",
				kind, from, top, width, kind.equals("run") ? ROW - 4 : ROW - 8, text(tip)));
		if (kind.equals("fault")) {
			boolean fits = from + width < LEFT + WIDTH * 0.9;
			this.svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>",
					fits ? from + width + 3 : from - 3, top + 8, fits ? "start" : "end", text(bar.what())));
		}
	}

	private void axis() {
		long seconds = (long) (this.millis / 1000);
		long step = Math.max(5, (seconds / 20 + 4) / 5 * 5);
		for (long at = 0; at <= seconds; at += step) {
			double x = x(this.story.from().plusSeconds(at));
			this.svg.append(String.format(Locale.ROOT,
					"<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"24\" y2=\"%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d:%02d</text>",
					x, x, this.y - GAP, x, this.y - GAP + 14, at / 60, at % 60));
		}
	}

	private void troubles() {
		for (Story.Trouble trouble : this.story.troubles()) {
			this.svg.append(String.format(Locale.ROOT,
					"<line class=\"wrong\" x1=\"%.1f\" x2=\"%.1f\" y1=\"24\" y2=\"%d\"><title>%s</title></line>",
					x(trouble.at()), x(trouble.at()), this.y - GAP, text(trouble.what())));
		}
	}

	private String list() {
		StringBuilder list = new StringBuilder("<h1>Violations: " + this.story.troubles().size() + "</h1><ul>");
		this.story.troubles()
			.forEach((trouble) -> list.append("<li class=\"bad\">%s</li>".formatted(text(trouble.what()))));
		return list.append("</ul>").toString();
	}

	private void head(String title) {
		this.svg.append("<text class=\"head\" x=\"%d\" y=\"%d\">%s</text>".formatted(LEFT, this.y, text(title)));
		this.y += 8;
	}

	private double x(Instant at) {
		double share = Duration.between(this.story.from(), at).toMillis() / this.millis;
		return LEFT + WIDTH * Math.min(1, Math.max(0, share));
	}

	private static String text(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
	}

}

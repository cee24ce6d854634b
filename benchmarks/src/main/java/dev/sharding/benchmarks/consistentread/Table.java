package dev.sharding.benchmarks.consistentread;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The table of the KEP, for a client. CPU time is the mean in cores, with what the
 * servers consume without any list.
 */
final class Table {

	private static final Path FILE = Path.of("benchmarks", "target", "consistent-read.md");

	private final List<Row> rows = new ArrayList<>();

	/**
	 * Adds a row.
	 * @param objects which are listed
	 * @param world what else happens in the cluster
	 * @param pace how the lists follow each other
	 * @param reads what answers them
	 */
	void add(String objects, String world, String pace, String reads, Sample sample) {
		this.rows.add(new Row(objects, world.isEmpty() ? "busy" : world.toLowerCase(Locale.ROOT), pace, reads, sample));
	}

	/** Prints the table as Markdown, and keeps it beside the results of the build. */
	void keep() {
		String text = """
				| objects | cluster | pace | lists | handled/s | API server, cores | etcd, cores | client, cores \
				| p50, ms | p99, ms | KB per list |
				| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
				""" + this.rows.stream().map(Row::markdown).collect(Collectors.joining());
		System.err.println(text);
		try {
			Files.createDirectories(FILE.getParent());
			Files.writeString(FILE, text);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Failed to write " + FILE, ex);
		}
		System.err.println("The table is in " + FILE);
	}

	String json() {
		return this.rows.stream().map(Row::json).collect(Collectors.joining(",", "[", "]"));
	}

	private record Row(String objects, String world, String pace, String reads, Sample sample) {

		/** CPU time is told in ticks, so a moment tells nothing. */
		private static final double LEAST_SECONDS = 2;

		String markdown() {
			return String
				.format(Locale.ROOT, "| %s | %s | %s | %s | %.2f | %s | %s |%n", this.objects, this.world, this.pace,
						this.reads, this.sample.handledPerSecond(), hasCpu() ? cpu("%.3f | %.3f | %.3f") : "| |",
						hasReads()
								? reads("%.1f | %.1f | ")
										+ String.format(Locale.ROOT, "%,.1f", this.sample.perRead().bytes() / 1e3)
								: "| |");
		}

		String json() {
			return String.format(Locale.ROOT,
					"{\"objects\":\"%s\",\"cluster\":\"%s\",\"pace\":\"%s\",\"lists\":\"%s\","
							+ "\"handledPerSecond\":%.3f%s%s}",
					this.objects, this.world, this.pace, this.reads, this.sample.handledPerSecond(),
					hasCpu() ? cpu(",\"apiServerCores\":%.4f,\"etcdCores\":%.4f,\"clientCores\":%.4f") : "",
					hasReads() ? reads(",\"p50Millis\":%.2f,\"p99Millis\":%.2f")
							+ ",\"bytes\":%.0f".formatted(this.sample.perRead().bytes()) : "");
		}

		private boolean hasCpu() {
			return this.sample.seconds() >= LEAST_SECONDS;
		}

		private boolean hasReads() {
			return this.sample.millis().length > 0;
		}

		private String cpu(String format) {
			Consumed second = this.sample.perSecond();
			return String.format(Locale.ROOT, format, second.apiServerMillis() / 1e3, second.etcdMillis() / 1e3,
					second.clientMillis() / 1e3);
		}

		private String reads(String format) {
			return String.format(Locale.ROOT, format, this.sample.p50(), this.sample.p99());
		}

	}

}

package dev.sharding.internal.sharder.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * How an answer is printed.
 */
final class Output {

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "table",
			description = "One of ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
	private Format format = Format.table;

	@Spec(Spec.Target.MIXEE)
	private CommandSpec command;

	Output() {
		this.command = CommandSpec.create();
	}

	boolean isTable() {
		return this.format == Format.table;
	}

	PrintWriter out() {
		return this.command.commandLine().getOut();
	}

	/** Prints an answer for programs. */
	void print(Map<String, Object> answer) {
		KubernetesSerialization serialization = new KubernetesSerialization();
		out().println((this.format == Format.json) ? serialization.asJson(answer) : serialization.asYaml(answer));
		out().flush();
	}

	/** Prints a line for people. */
	void line(String text) {
		out().println(text);
	}

	/** Prints rows for people, the first one being the heading. */
	void table(List<List<String>> rows) {
		int columns = rows.get(0).size();
		int[] widths = new int[columns];
		for (List<String> row : rows) {
			for (int i = 0; i < columns; i++) {
				widths[i] = Math.max(widths[i], row.get(i).length());
			}
		}
		for (List<String> row : rows) {
			StringBuilder line = new StringBuilder();
			for (int i = 0; i < columns; i++) {
				line.append((i < columns - 1) ? String.format("%-" + (widths[i] + 3) + "s", row.get(i)) : row.get(i));
			}
			out().println(line.toString().stripTrailing());
		}
	}

	/** How long ago something was, as kubectl says it. */
	static String age(@Nullable Instant since, Instant now) {
		if (since == null) {
			return "unknown";
		}
		Duration age = Duration.between(since, now);
		if (age.toDays() > 1) {
			return age.toDays() + "d";
		}
		if (age.toHours() > 1) {
			return age.toHours() + "h";
		}
		return (age.toSeconds() >= 120) ? age.toMinutes() + "m" : Math.max(0, age.toSeconds()) + "s";
	}

	/**
	 * What an answer looks like.
	 */
	enum Format {

		// CHECKSTYLE:OFF
		table, json, yaml
		// CHECKSTYLE:ON

	}

}

package dev.sharding.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the judge, a process of its own, said.
 *
 * @param json the counters as one JSON object
 * @param report the counters with examples
 */
record Verdict(String json, String report) {

	private static final int EXAMPLES = 3;

	static Verdict ask(Programs programs, Stage stage) throws IOException, InterruptedException {
		Path report = report(stage);
		Process judge = new ProcessBuilder(programs.runJudge("--audit", stage.auditLog().toString(), "--server-log",
				stage.serverLog().toString(), "--kubeconfig", stage.kubeconfig().toString(), "--ring", Names.RING,
				"--report", report.toString()))
			.redirectError(stage.logs().resolve("judge.log").toFile())
			.start();
		List<String> output = new String(judge.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
			.toList();
		if (judge.waitFor() != 0 || output.isEmpty()) {
			throw new IllegalStateException(
					"The judge could not judge: " + Files.readString(stage.logs().resolve("judge.log")));
		}
		return new Verdict(output.get(output.size() - 1), Files.readString(report));
	}

	static Path report(Stage stage) {
		return stage.logs().resolve("judge-report.txt");
	}

	boolean clean() {
		return !this.json.matches(".*:[1-9].*");
	}

	/** The report for a screen: a few examples of each finding, cut to the width. */
	List<String> lines(int width, Path file) {
		List<String> lines = new ArrayList<>(List.of("", "The judge, from the audit log:"));
		int examples = 0;
		for (String line : this.report.lines().toList()) {
			boolean example = line.startsWith("    ");
			examples = example ? examples + 1 : 0;
			if (examples <= EXAMPLES) {
				lines.add("  " + ((line.length() > width - 2) ? line.substring(0, width - 3) + "…" : line));
			}
		}
		if (!clean()) {
			lines.add("  All findings: " + file);
		}
		return lines;
	}

}

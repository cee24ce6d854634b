package dev.sharding.example;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import com.jayway.jsonpath.JsonPath;
import io.fabric8.kubernetes.client.utils.Serialization;

import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Prometheus' own parser and engine, which are there in Go alone.
 */
final class PromqlEngine {

	/** What Prometheus adds to each sample of a pod. */
	private static final Map<String, String> TARGET = Map.of("namespace", "default", "pod", "checksums-0", "container",
			"checksums", "job", "checksums", "instance", "10.0.0.1:8080");

	private PromqlEngine() {
	}

	/**
	 * Evaluates queries. Where there is no Go, the test is skipped.
	 * @param scrapes two of one pod, each with all that is asked for
	 * @param queries without variables
	 * @return an answer for each query
	 */
	static List<Answer> evaluate(List<String> scrapes, List<String> queries) throws IOException, InterruptedException {
		assumeThat(Arrays.stream(System.getenv("PATH").split(":")).map((folder) -> Path.of(folder, "go")))
			.as("Go on the PATH")
			.anyMatch(Files::isExecutable);
		ProcessBuilder builder = new ProcessBuilder("go", "run", "-trimpath", "-buildvcs=false", ".")
			.directory(Path.of("src", "test", "go", "promql").toFile())
			.redirectError(ProcessBuilder.Redirect.INHERIT);
		builder.environment().put("GOWORK", "off");
		Process process = builder.start();
		try (OutputStream in = process.getOutputStream()) {
			in.write(Serialization.asJson(Map.of("target", TARGET, "scrapes", scrapes, "queries", queries))
				.getBytes(StandardCharsets.UTF_8));
		}
		String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (process.waitFor() != 0) {
			throw new IllegalStateException("The queries could not be evaluated");
		}
		return JsonPath.<List<Map<String, Object>>>read(out, "$").stream().map(Answer::of).toList();
	}

	/**
	 * What came of a query.
	 *
	 * @param query the query
	 * @param problems why it cannot be evaluated, and what Prometheus warns of
	 * @param series how many the result has
	 * @param labels those that all of them have
	 * @param compared what it compares with numbers
	 */
	record Answer(String query, List<String> problems, int series, Set<String> labels, List<Answer> compared) {

		@SuppressWarnings("unchecked")
		private static Answer of(Map<String, Object> said) {
			Object error = said.get("error");
			return new Answer((String) said.get("query"),
					(error != null) ? List.of(error.toString()) : (List<String>) said.get("warnings"),
					(Integer) said.get("series"), new TreeSet<>((List<String>) said.get("labels")),
					((List<Map<String, Object>>) said.get("compared")).stream().map(Answer::of).toList());
		}

	}

}

package dev.sharding.judge;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * Judges a finished run.
 * <p>
 * Arguments:
 * {@code --audit FILE --server-log FILE --kubeconfig FILE --ring NAME [--report FILE] [--since
 * INSTANT]}: what happened before that is not judged; several rings with commas between.
 * Prints the verdict as one JSON object on stdout, and writes the report with examples to
 * the file, or to stderr if a counter is not zero and no file was named. Ends with 0
 * whenever it could judge.
 */
public final class JudgeMain {

	private JudgeMain() {
	}

	/** Runs the judge. */
	public static void main(String[] args) throws IOException {
		Map<String, String> options = IntStream.range(0, args.length / 2)
			.boxed()
			.collect(Collectors.toMap((pair) -> args[2 * pair], (pair) -> args[2 * pair + 1]));
		Path audit = Path.of(required(options, "--audit"));
		Config config = Config.fromKubeconfig(Files.readString(Path.of(required(options, "--kubeconfig"))));
		try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
			String since = options.getOrDefault("--since", "");
			Findings findings = new Judge(client, List.of(required(options, "--ring").split(",")), audit,
					Path.of(required(options, "--server-log")))
				.findings(since.isEmpty() ? Instant.MIN : Instant.parse(since));
			String report = options.get("--report");
			if (report != null) {
				Files.writeString(Path.of(report), findings.report());
			}
			else if (!findings.clean()) {
				System.err.print(findings.report());
			}
			System.out.println(findings.json());
		}
	}

	private static String required(Map<String, String> options, String name) {
		String value = options.get(name);
		if (value == null) {
			throw new IllegalArgumentException("Missing argument " + name);
		}
		return value;
	}

	/** The audit policy that the API server has to run with. */
	public static String auditPolicy() throws IOException {
		try (InputStream file = JudgeMain.class.getResourceAsStream("audit-policy.yaml")) {
			if (file == null) {
				throw new IllegalStateException("'audit-policy.yaml' is not in the jar");
			}
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}

package dev.sharding.benchmarks.scale;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * What the sharder asked of Secrets and ConfigMaps since this was made, by the audit log
 * of the API server.
 */
final class Requests {

	/** Lists, watches and patches of objects, by the sharder and by the bare client. */
	static final String POLICY = """
			apiVersion: audit.k8s.io/v1
			kind: Policy
			omitStages: [RequestReceived]
			rules:
			- level: Metadata
			  users: ["system:serviceaccount:default:sharder", "system:serviceaccount:default:bare"]
			  verbs: [list, watch, patch]
			  resources: [{group: "", resources: [secrets, configmaps]}]
			- level: None
			""";

	private static final String BY_SHARDER = "\"username\":\"system:serviceaccount:default:sharder\"";

	private final Path log;

	private final long begin;

	Requests(Path log) throws IOException {
		this.log = log;
		this.begin = Files.exists(log) ? Files.size(log) : 0;
	}

	/**
	 * Lists, of however many pages; a watch that begins with all objects is one as well.
	 */
	long lists() throws IOException {
		return count(
				(line) -> (isA(line, "list") && !line.contains("continue=")) || (line.contains("\"verb\":\"watch\"")
						&& line.contains("sendInitialEvents=true") && line.contains("\"stage\":\"ResponseStarted\"")));
	}

	/** Pages of lists. */
	long pages() throws IOException {
		return count((line) -> isA(line, "list"));
	}

	/** Patches that the API server took. */
	long patches() throws IOException {
		return count((line) -> isA(line, "patch") && line.contains("\"code\":200"));
	}

	private static boolean isA(String line, String verb) {
		return line.contains("\"verb\":\"" + verb + "\"") && line.contains("\"stage\":\"ResponseComplete\"");
	}

	private long count(Predicate<String> wanted) throws IOException {
		try (InputStream file = Files.newInputStream(this.log)) {
			file.skipNBytes(this.begin);
			return new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8)).lines()
				.filter((line) -> line.contains(BY_SHARDER) && wanted.test(line))
				.count();
		}
	}

}

package dev.sharding.judge;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
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

	/** How long derived objects may lag behind once all is quiet. */
	private static final Duration SETTLE = Duration.ofSeconds(10);

	private static final Duration PAUSE = Duration.ofMillis(250);

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
			Findings findings = judge(new Api(client), List.of(required(options, "--ring").split(",")),
					new Logs(audit, Path.of(required(options, "--server-log"))),
					since.isEmpty() ? Instant.MIN : Instant.parse(since));
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

	/**
	 * Judges what has happened since a moment, from within another program.
	 * @param client may read everything
	 * @param rings names of the ControllerRings
	 * @param audit the audit log
	 * @param serverLog the API server's own log
	 * @param since what happened before is not judged
	 * @return what was found by counter; empty if all counters are zero
	 */
	public static Map<Counter, List<String>> judge(KubernetesClient client, List<String> rings, Path audit,
			Path serverLog, Instant since) throws IOException {
		return judge(new Api(client), rings, new Logs(audit, serverLog), since).all();
	}

	private static Findings judge(Api api, List<String> rings, Logs logs, Instant since) throws IOException {
		Findings findings = new Findings(since);
		for (String ring : rings) {
			findings.add(judge(api, ring, logs, since));
		}
		return findings;
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

	private static Findings judge(Api api, String ringName, Logs logs, Instant since) throws IOException {
		RingUnderTest ring = api.ring(ringName);
		Instant quiet = Mark.of(logs.read())
			.stream()
			.filter(Mark::quiescent)
			.map(Mark::at)
			.reduce((first, second) -> second)
			.orElseGet(Instant::now);
		List<String> lost = lost(api, ring);
		while (!lost.isEmpty() && Instant.now().isBefore(quiet.plus(SETTLE))) {
			LockSupport.parkNanos(PAUSE.toNanos());
			lost = lost(api, ring);
		}
		Findings findings = Judgement.of(ring, complete(api, ring, logs), since);
		lost.forEach((sentence) -> findings.add(Counter.LOST_UPDATES, Instant.MAX, sentence));
		return findings;
	}

	private static List<String> lost(Api api, RingUnderTest ring) {
		return Checksums.lost(live(api, ring, ring.main()), live(api, ring, ring.controlled()));
	}

	private static List<LiveObject> live(Api api, RingUnderTest ring, List<ResourceId> ids) {
		List<LiveObject> live = new ArrayList<>();
		ids.forEach((id) -> live.addAll(api.list(ring, id)));
		return live;
	}

	/**
	 * Reads the log once more and makes sure that it tells of the last version of every
	 * object: from a log with gaps no zero would mean anything.
	 */
	private static List<AuditEvent> complete(Api api, RingUnderTest ring, Logs logs) throws IOException {
		List<LiveObject> live = live(api, ring, ring.main());
		live.addAll(live(api, ring, ring.controlled()));
		Instant deadline = Instant.now().plus(SETTLE);
		while (true) {
			List<AuditEvent> events = logs.read();
			List<ObjectRef> untold = untold(live, History.of(events));
			if (untold.isEmpty()) {
				return events;
			}
			if (Instant.now().isAfter(deadline)) {
				throw new IllegalStateException(
						"Failed to judge: the audit log %s lacks the last write of %s".formatted(logs.audit(), untold));
			}
			LockSupport.parkNanos(PAUSE.toNanos());
		}
	}

	private static List<ObjectRef> untold(List<LiveObject> live, History history) {
		return live.stream()
			.filter((object) -> history.of(object.ref())
				.stream()
				.noneMatch((revision) -> revision.body() != null
						&& revision.body().resourceVersion().equals(object.resourceVersion())))
			.map(LiveObject::ref)
			.limit(5)
			.toList();
	}

	/** What the API server wrote. */
	private record Logs(Path audit, Path server) {

		List<AuditEvent> read() throws IOException {
			return AuditLog.read(this.audit, this.server);
		}

	}

}

package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Judges a run, as often as one asks. It reads each line of the audit log once, and each
 * verdict is on the whole log. Not for several threads.
 */
public final class Judge {

	/** How long derived objects may lag behind once all is quiet. */
	private static final Duration SETTLE = Duration.ofSeconds(10);

	private static final Duration PAUSE = Duration.ofMillis(250);

	private static final int EXAMPLES = 5;

	private final Api api;

	private final List<String> rings;

	private final AuditLog log;

	private List<ReadRecord> reads = List.of();

	private boolean full;

	/**
	 * @param client may read everything
	 * @param rings names of the ControllerRings
	 * @param audit the audit log
	 * @param serverLog the API server's own log
	 */
	public Judge(KubernetesClient client, List<String> rings, Path audit, Path serverLog) {
		this.api = new Api(client);
		this.rings = List.copyOf(rings);
		this.log = new AuditLog(audit, serverLog);
	}

	/**
	 * Judges what the run cost, what the processes read, what is left of deleted objects,
	 * and labels as well: the shards have to clean up after their objects themselves, and
	 * what they make of one has the labels that its users gave it.
	 * @param folder where the processes have written down what theirs showed, in files
	 * {@code reads*.jsonl}
	 */
	public void inFull(Path folder) throws IOException {
		this.full = true;
		this.reads = ReadRecord.in(folder, Instant.now());
	}

	/**
	 * Judges what has happened since a moment.
	 * @param since what happened before is not judged; it still counts as the past of
	 * what came after
	 * @return what was found by counter; empty if all counters are zero
	 */
	public Map<Counter, List<String>> judge(Instant since) throws IOException {
		return findings(since).all();
	}

	/**
	 * Judges what has happened since a moment, and says what it saw.
	 * @param since what happened before is not judged
	 * @param step time between two points of the course
	 * @return what was found, and in what
	 */
	public Judged judged(Instant since, Duration step) throws IOException {
		Findings findings = findings(since);
		List<AuditEvent> events = this.log.read();
		Exposure exposure = new Exposure(0, 0, 0, 0, 0, 0);
		List<Course> courses = new ArrayList<>();
		for (String name : this.rings) {
			RingUnderTest ring = this.api.ring(name);
			exposure = exposure.plus(Exposure.of(ring, events, this.reads, since));
			courses.add(Course.of(ring, events, since, step));
		}
		return new Judged(findings.list(), exposure, courses);
	}

	Findings findings(Instant since) throws IOException {
		Findings findings = new Findings(since);
		for (String ring : this.rings) {
			findings.add(judge(ring, since));
		}
		return findings;
	}

	private Findings judge(String ringName, Instant since) throws IOException {
		RingUnderTest ring = this.api.ring(ringName);
		Instant quiet = Mark.of(this.log.read())
			.stream()
			.filter(Mark::quiescent)
			.map(Mark::at)
			.reduce((first, second) -> second)
			.orElseGet(Instant::now);
		List<String> lost = lost(ring);
		while (!lost.isEmpty() && Instant.now().isBefore(quiet.plus(SETTLE))) {
			LockSupport.parkNanos(PAUSE.toNanos());
			lost = lost(ring);
		}
		Findings findings = judgeAll(ring, since);
		lost.forEach((sentence) -> findings.add(Counter.LOST_UPDATES, Instant.MAX, sentence));
		if (this.full) {
			LeftOvers.of(live(ring, ring.main()), live(ring, ring.controlled()))
				.forEach((sentence) -> findings.add(Counter.LEFT_BEHIND, Instant.MAX, sentence));
		}
		return findings;
	}

	private Findings judgeAll(RingUnderTest ring, Instant since) throws IOException {
		List<LiveObject> last = live(ring, ring.main());
		last.addAll(live(ring, ring.controlled()));
		return Judgement.of(ring, complete(last), last, since, this.reads, this.full);
	}

	private List<String> lost(RingUnderTest ring) {
		List<ResourceId> secrets = ring.main().stream().filter((id) -> id.kind().equals("Secret")).toList();
		List<ResourceId> configMaps = ring.controlled()
			.stream()
			.filter((id) -> id.kind().equals("ConfigMap"))
			.distinct()
			.toList();
		return Checksums.lost(live(ring, secrets), live(ring, configMaps), this.full);
	}

	private List<LiveObject> live(RingUnderTest ring, List<ResourceId> ids) {
		List<LiveObject> live = new ArrayList<>();
		ids.forEach((id) -> live.addAll(this.api.list(ring, id)));
		return live;
	}

	/**
	 * Reads the log once more and makes sure that it tells of the last version of every
	 * object: from a log with gaps no zero would mean anything. The line of an answer may
	 * come a little later, so what was stored without one is let pass at the end alone.
	 */
	private List<AuditEvent> complete(List<LiveObject> live) throws IOException {
		Instant deadline = Instant.now().plus(SETTLE);
		while (true) {
			List<AuditEvent> events = this.log.read();
			Gaps gaps = Gaps.of(live, events);
			if (gaps.untold().isEmpty()) {
				return events;
			}
			if (Instant.now().isAfter(deadline)) {
				List<ObjectRef> lacking = gaps.unexplained(events);
				if (lacking.isEmpty()) {
					return events;
				}
				throw new IllegalStateException("Failed to judge: the audit log %s lacks the last write of %s"
					.formatted(this.log.file(), lacking.subList(0, Math.min(EXAMPLES, lacking.size()))));
			}
			LockSupport.parkNanos(PAUSE.toNanos());
		}
	}

}

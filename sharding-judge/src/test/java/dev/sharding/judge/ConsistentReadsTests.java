package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A read, and writes before, within and after it. Each write takes 10 ms. */
class ConsistentReadsTests {

	private static final String SHARDER = "system:serviceaccount:default:sharder.process-1";

	private final AuditLines lines = new AuditLines();

	@TempDir
	Path directory;

	/** The versions of the states of s: owned by a, changed at 1,000 and at 2,000. */
	private final long first;

	private final long second;

	private final long third;

	ConsistentReadsTests() {
		this.lines.own(0, SHARDER, "s", "a");
		this.first = this.lines.versionOf("s");
		this.lines.change(1000, "s", "two");
		this.second = this.lines.versionOf("s");
		this.lines.change(2000, "s", "three");
		this.third = this.lines.versionOf("s");
	}

	@Test
	void acceptsWhatWasTheLatestAtSomeMomentOfTheRead() throws IOException {
		assertThat(judge(500, 900, this.first)).isEmpty();
		assertThat(judge(1500, 1600, this.second)).isEmpty();
		assertThat(judge(900, 1100, this.first)).isEmpty();
		assertThat(judge(900, 1100, this.second)).isEmpty();
		assertThat(judge(500, 2500, this.second)).isEmpty();
		assertThat(judge(1005, 1008, this.first)).isEmpty();
		assertThat(judge(1005, 1008, this.second)).isEmpty();
	}

	@Test
	void findsWhatWasOvertakenBeforeTheReadBegan() throws IOException {
		assertThat(judge(1011, 1900, this.first)).hasSize(1);
		assertThat(judge(2500, 2600, this.second)).hasSize(1);
	}

	@Test
	void findsWhatCameAfterTheReadHadEnded() throws IOException {
		assertThat(judge(1500, 1999, this.third)).hasSize(1);
		assertThat(judge(1500, 2001, this.third)).isEmpty();
	}

	@Test
	void findsWhatIsLeftOut() throws IOException {
		assertThat(judge(read("a", 500, 600, Map.of()))).hasSize(1);
		assertThat(judge(read("b", 500, 600, Map.of()))).isEmpty();
	}

	@Test
	void leavesOutWhatMayHaveGoneToAnotherMeanwhile() throws IOException {
		this.lines.own(3000, SHARDER, "s", "b");
		assertThat(judge(read("a", 2500, 3005, Map.of()))).isEmpty();
		assertThat(judge(read("a", 2500, 2999, Map.of()))).hasSize(1);
		assertThat(judge(3500, 3600, this.third)).hasSize(1);
	}

	@Test
	void isNotMisledByTheEndOfAnObjectWhichHasTheVersionOfItsLastState() throws IOException {
		this.lines.deleteSlowly(3000, "s");
		long version = this.lines.versionOf("s");
		this.lines.letGoAt(4000, "system:serviceaccount:default:shard.a", "s", version);
		assertThat(judge(3500, 3600, version)).isEmpty();
		assertThat(judge(2500, 2600, version)).hasSize(1);
		assertThat(judge(3500, 3600, version - 1)).hasSize(1);
		assertThat(judge(4500, 4600, version)).hasSize(1);
	}

	@Test
	void findsWhatWasDeleted() throws IOException {
		this.lines.deleteSecret(3000, "s");
		assertThat(judge(2500, 3005, this.third)).isEmpty();
		assertThat(judge(3500, 3600, this.third)).hasSize(1);
		this.lines.createSecret(4000, "s").own(4100, SHARDER, "s", "a");
		assertThat(judge(4500, 4600, this.lines.versionOf("s"))).isEmpty();
	}

	@Test
	void findsWhatSomebodyElseHadAndWhatNeverWas() throws IOException {
		this.lines.own(3000, SHARDER, "s", "b");
		// What a watch with a selector tells last of an object bears this version.
		assertThat(judge(3500, 3600, this.lines.versionOf("s"))).hasSize(1);
		assertThat(judge(2500, 2600, this.third + 1000)).hasSize(1);
		this.lines.unanswered(2400, "writer", "patch", "secrets", "s");
		assertThat(judge(2500, 2600, this.third + 1000)).as("that may have been it").isEmpty();
	}

	@Test
	void doesNotKnowTheVersionOfWhatNobodyAnswered() throws IOException {
		this.lines.own(2200, SHARDER, "s", "b");
		// Answered while the next one is under way, which stores a later version.
		this.lines.change(2395, "other", "x");
		this.lines.abandonedPatch(2400, SHARDER, "s", "a", true);
		long stored = this.lines.version();
		this.lines.change(2600, "s", "four");
		assertThat(judge(2450, 2500, stored)).isEmpty();
		assertThat(judge(2300, 2399, stored)).hasSize(1);
	}

	@Test
	void doesNotTakeAnAnswerWithNothingNewForTheWriteOfItsVersion() throws IOException {
		this.lines.abandonedPatch(2400, SHARDER, "s", "a", true);
		long stored = this.lines.version();
		this.lines.repeated(2600, "s");
		assertThat(judge(2450, 2500, stored)).isEmpty();
		assertThat(judge(2300, 2399, stored)).hasSize(1);
	}

	@Test
	void saysNothingOfWhatAReadThatFailedShowed() throws IOException {
		assertThat(judge(new ReadRecord("checksums", "a", "shard.a", AuditLines.START.plusMillis(500),
				AuditLines.START.plusMillis(600), Map.of(), "it was late")))
			.isEmpty();
	}

	@Test
	void readsWhatProcessesHaveWrittenDownAndNoHalfLine() throws IOException {
		// The second was over when its process was that shard no more.
		Files.writeString(this.directory.resolve("reads-a.jsonl"), """
				{"ring":"r","shard":"a","user":"u","begin":"2026-11-21T12:00:00Z"}
				{"ring":"r","shard":"a","user":"u","begin":"2026-11-21T12:00:00Z","end":"2026-11-21T12:00:01Z",\
				"versions":{"n/s":"7"}}
				{"ring":"r","shard":"a","user":"u","begin":"2026-11-21T12:00:02Z"}
				{"ring":"r","shard":"a","user":"u","begin":"2026-11-21T12:00:02Z","end":"2026-11-21T12:00:03Z"}
				{"ring":"r","shard":"a","user":"u","begin":"2026-11-21T12:00:04Z"}
				{"ring":"r","shard":"a","user":"u","begin":"2026-11-21T12:00:04Z","end":"2026-11-21T12:00:05Z",\
				"failure":"late"}
				{"ring":"r","shard":"a","user":"u","begin":"2026-11-21T12:00:06Z"}
				{"ring":"r","shard":"a","begin":"2026""");
		assertThat(ReadRecord.in(this.directory, AuditLines.START.plusSeconds(9))).containsExactly(
				new ReadRecord("r", "a", "u", AuditLines.START, AuditLines.START.plusSeconds(1), Map.of("n/s", "7"),
						""),
				new ReadRecord("r", "a", "u", AuditLines.START.plusSeconds(4), AuditLines.START.plusSeconds(5),
						Map.of(), "late"),
				new ReadRecord("r", "a", "u", AuditLines.START.plusSeconds(6), AuditLines.START.plusSeconds(9),
						Map.of(), ReadRecord.OPEN));
	}

	private List<Finding> judge(long begin, long end, long version) throws IOException {
		return judge(read("a", begin, end, Map.of("default/s", String.valueOf(version))));
	}

	private List<Finding> judge(ReadRecord read) throws IOException {
		Findings findings = new Findings(Instant.MIN);
		List<AuditEvent> events = this.lines.read(this.directory);
		new ConsistentReads(EachCounterTests.RING, History.of(Outcomes.told(events, List.of())), events, findings)
			.judge(List.of(read));
		assertThat(findings.list()).allMatch((finding) -> finding.counter() == Counter.STALE_READS);
		return findings.list();
	}

	private static ReadRecord read(String shard, long begin, long end, Map<String, String> versions) {
		return new ReadRecord("checksums", shard, "shard." + shard, AuditLines.START.plusMillis(begin),
				AuditLines.START.plusMillis(end), versions, "");
	}

}

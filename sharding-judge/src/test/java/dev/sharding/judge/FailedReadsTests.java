package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Reads of a shard that renews its Lease each second from 0 to 20,000. */
class FailedReadsTests {

	private final AuditLines lines = new AuditLines();

	@TempDir
	Path directory;

	FailedReadsTests() {
		for (int at = 0; at <= 20_000; at += 1000) {
			this.lines.lease(at, "a", 3);
		}
	}

	@Test
	void findsAReadThatFailed() throws IOException {
		assertThat(judge(read(5000, 5100, "refused"))).singleElement()
			.satisfies((finding) -> assertThat(finding.sentence()).endsWith("failed: refused"))
			.extracting(Finding::at)
			.isEqualTo(at(5100));
		assertThat(judge(read(5000, 5100, ""))).isEmpty();
	}

	@Test
	void findsAReadThatLastedLongerThanItMay() throws IOException {
		assertThat(judge(read(5000, 6999, ""))).isEmpty();
		assertThat(judge(read(5000, 7001, ""))).hasSize(1);
	}

	@Test
	void findsAReadThatIsNeverOver() throws IOException {
		assertThat(judge(read(5000, 60_000, ReadRecord.OPEN))).singleElement()
			.satisfies((finding) -> assertThat(finding.sentence()).contains("13000 ms", ReadRecord.OPEN));
		assertThat(judge(read(5000, 6500, ReadRecord.OPEN))).isEmpty();
		// It ended when its process did.
		assertThat(judge(read(19_000, 60_000, ReadRecord.OPEN))).isEmpty();
	}

	@Test
	void excusesTheTimeInWhichItsProcessWasDisturbed() throws IOException {
		this.lines.mark(5000, "minute", "disturbed", "shard.a", 0).mark(8000, "minute", "calm", "shard.a", 0);
		assertThat(judge(read(4500, 5100, "refused"))).isEmpty();
		assertThat(judge(read(4500, 4600, "refused"))).hasSize(1);
		assertThat(judge(read(4500, 9499, ""))).isEmpty();
		assertThat(judge(read(4500, 9501, ""))).hasSize(1);
		assertThat(judge(read(7500, 10_501, "refused"))).hasSize(1);
	}

	@Test
	void asksForNothingOfAProcessThatDidNotHoldItsLeaseAllThatTime() throws IOException {
		assertThat(judge(read(20_500, 20_600, "refused"))).isEmpty();
		assertThat(judge(read(19_900, 20_100, "refused"))).isEmpty();
		assertThat(
				judge(new ReadRecord("checksums", "a", "shard.a.process-2", at(5000), at(5100), Map.of(), "refused")))
			.isEmpty();
		assertThat(judge(new ReadRecord("others", "a", "shard.a", at(5000), at(5100), Map.of(), "refused"))).isEmpty();
	}

	@Test
	void countsWhatWasAnsweredInTheRing() throws IOException {
		List<ReadRecord> reads = List.of(read(1000, 1100, ""), read(5000, 5100, ""), read(6000, 6100, "refused"),
				new ReadRecord("others", "a", "shard.a", at(5000), at(5100), Map.of(), ""));
		assertThat(Exposure.of(EachCounterTests.RING, this.lines.read(this.directory), reads, at(1100)).reads())
			.isEqualTo(1);
	}

	private List<Finding> judge(ReadRecord read) throws IOException {
		List<AuditEvent> events = this.lines.read(this.directory);
		Findings findings = new Findings(Instant.MIN);
		new FailedReads(EachCounterTests.RING, new ShardLeases(EachCounterTests.RING, History.of(events)),
				new Injected(Mark.of(events)), BareClient.of(events), findings)
			.judge(List.of(read));
		assertThat(findings.list()).allMatch((finding) -> finding.counter() == Counter.FAILED_READS);
		return findings.list();
	}

	private static ReadRecord read(long begin, long end, String failure) {
		return new ReadRecord("checksums", "a", "shard.a", at(begin), at(end), Map.of(), failure);
	}

	private static Instant at(long millis) {
		return AuditLines.START.plusMillis(millis);
	}

}

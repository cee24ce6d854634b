package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Marks that are lost: what they would have ended. */
class InjectedTests {

	private final AuditLines lines = new AuditLines();

	@TempDir
	Path directory;

	@Test
	void endsADisturbanceAtTheQuiescentPointAndSaysThatNoMarkDid() throws IOException {
		this.lines.mark(1000, "cut", "disturbed", "a", 0).quiescent(3000, "cut").mark(9000, "cut", "calm", "a", 0);
		assertThat(disturbed()).isEqualTo(Duration.ofSeconds(2));
		assertThat(found()).singleElement().asString().contains("a was disturbed", "by the quiescent point");
	}

	@Test
	void saysThatADisturbanceLastsUntilTheEnd() throws IOException {
		this.lines.quiescent(500, "begin").mark(1000, "cut", "disturbed", "a", 0);
		assertThat(disturbed()).isEqualTo(Duration.ofSeconds(9));
		assertThat(found()).singleElement().asString().contains("a was disturbed", "by the end");
	}

	@Test
	void findsNothingWhereEachDisturbanceHasItsEnd() throws IOException {
		this.lines.mark(1000, "cut", "disturbed", "a", 0)
			.mark(2000, "cut", "calm", "a", 0)
			.quiescent(3000, "cut")
			.mark(4000, "cut", "disturbed", "a", 0)
			.mark(4500, "cut", "calm", "a", 0);
		assertThat(disturbed()).isEqualTo(Duration.ofMillis(1500));
		assertThat(found()).isEmpty();
	}

	@Test
	void explainsNothingByAStopAfterTheQuiescentPoint() throws IOException {
		this.lines.mark(1000, "pause", "stopped", "shard.a", 2).quiescent(3000, "pause");
		assertThat(stopAt(2900)).isNotNull();
		assertThat(stopAt(3100)).isNull();
		assertThat(found()).isEmpty();
	}

	private Duration disturbed() throws IOException {
		return injected().disturbed(Set.of("a"), AuditLines.START, AuditLines.START.plusSeconds(10));
	}

	private Injected.Window stopAt(int received) throws IOException {
		Instant due = AuditLines.START.plusMillis(1500);
		return injected().stopOf("shard.a", due, AuditLines.START.plusMillis(received), Duration.ZERO);
	}

	private List<String> found() throws IOException {
		Findings findings = new Findings(Instant.MIN);
		injected().judge(findings);
		return findings.of(Counter.OPEN_EXCUSES);
	}

	private Injected injected() throws IOException {
		return new Injected(Mark.of(this.lines.read(this.directory)));
	}

}

package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A store that is copied at 3,000 and is that copy again at 6,000. */
class RestoresTests {

	private static final String SHARDER = "system:serviceaccount:default:sharder.process-1";

	private static final ObjectRef SECRET = new ObjectRef("", "secrets", "default", "s");

	private final AuditLines lines = new AuditLines();

	@TempDir
	Path directory;

	@Test
	void forgetsWhatCameAfterTheCopy() throws IOException {
		this.lines.own(1000, SHARDER, "s", "a").mark(3000, "restore", "snapshot");
		// Its version is in the copy: it came just before it.
		this.lines.own(3001, SHARDER, "s", "b");
		long copied = this.lines.version();
		this.lines.own(4000, SHARDER, "s", "c").deleteSecret(5000, "s");
		// Users come back before the mark is there.
		this.lines.own(5900, SHARDER, "s", "d")
			.mark(6000, "restore", "restored", copied + " " + AuditLines.START.plusMillis(5500), 0)
			.own(7000, SHARDER, "s", "e");
		List<Revision> states = History.of(this.lines.read(this.directory)).of(SECRET);
		assertThat(states.stream().map((state) -> state.label(EachCounterTests.LABEL))).containsExactly("a", "b", "d",
				"e");
	}

	@Test
	void judgesNothingFromTheCopyUntilAllIsCalm() throws IOException {
		restored();
		this.lines.mark(9000, "restore", "calm", Mark.ALL, 0);
		assertThat(found(List.of(2999, 3000, 8999, 9000, 9001))).containsExactly("at 2999", "at 9001", "at the end");
	}

	@Test
	void judgesEverythingFromTheQuiescentPointOnAlthoughNothingSaysThatAllIsCalm() throws IOException {
		restored();
		this.lines.quiescent(9000, "restore");
		assertThat(found(List.of(3000, 8999, 9000, 9001))).containsExactly("at 9000", "at 9001", "at the end");
	}

	@Test
	void judgesWhatIsSoAtTheEndAlthoughNothingSaysThatAllIsCalm() throws IOException {
		restored();
		assertThat(found(List.of(3000, 9000))).containsExactly("at the end");
	}

	private void restored() {
		this.lines.mark(2900, "restore", "disturbed", Mark.ALL, 0)
			.mark(3000, "restore", "snapshot")
			.mark(6000, "restore", "restored", "100 " + AuditLines.START, 0);
	}

	private List<String> found(List<Integer> times) throws IOException {
		Findings findings = new Findings(AuditLines.START, Restores.of(Mark.of(this.lines.read(this.directory))));
		times.forEach((at) -> findings.add(Counter.UNSERVED, AuditLines.START.plusMillis(at), "at " + at));
		findings.add(Counter.UNSERVED, Instant.MAX, "at the end");
		return findings.of(Counter.UNSERVED);
	}

	@Test
	void isNothingWithoutACopy() throws IOException {
		this.lines.own(1000, SHARDER, "s", "a").mark(6000, "cut", "cut");
		assertThat(Restores.of(Mark.of(this.lines.read(this.directory))).inconclusive()).isEmpty();
		assertThat(History.of(this.lines.read(this.directory)).of(SECRET)).hasSize(1);
	}

}

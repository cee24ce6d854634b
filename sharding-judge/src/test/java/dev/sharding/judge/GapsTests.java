package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What the log must tell of an object that has another version at the end. */
class GapsTests {

	private static final String SHARD = "system:serviceaccount:default:shard.a";

	private static final ObjectRef SECRET = new ObjectRef("", "secrets", "default", "s");

	private final AuditLines log = new AuditLines().createSecret(100, "s").own(200, SHARD, "s", "a");

	@TempDir
	Path directory;

	@Test
	void asksForTheLastVersionOfEachObject() throws IOException {
		assertThat(gaps(this.log.version()).untold()).isEmpty();
		assertThat(unexplained()).containsExactly(SECRET);
	}

	@Test
	void doesNotAskForWhatMayHaveBeenStoredWithoutAnAnswer() throws IOException {
		this.log.unanswered(300, SHARD, "patch", "secrets", "s");
		assertThat(unexplained()).isEmpty();
	}

	@Test
	void doesNotAskForWhatTheApiServerGaveUpOn() throws IOException {
		this.log.abandonedPatch(300, SHARD, "s", "", true);
		assertThat(unexplained()).isEmpty();
	}

	@Test
	void asksForWhatNoSuchRequestCanHaveStored() throws IOException {
		this.log.abandonedPatch(300, SHARD, "s", "", true)
			.own(400, SHARD, "s", "")
			.abandonedPatch(500, SHARD, "another", "", true)
			.unanswered(600, SHARD, "get", "secrets", "s")
			.request(700, SHARD, "patch", "secrets", "s", 409)
			.unanswered(800, SHARD, "create", "secrets", "");
		assertThat(unexplained()).containsExactly(SECRET);
	}

	@Test
	void doesNotAskForWhatACreateWithoutAnAnswerMayHaveMade() throws IOException {
		this.log.deleteSecret(300, "s").unanswered(400, SHARD, "create", "secrets", "");
		assertThat(unexplained()).isEmpty();
	}

	/** With a version at the end that no answer has. */
	private List<ObjectRef> unexplained() throws IOException {
		return gaps(this.log.version() + 1).unexplained(this.log.read(this.directory));
	}

	private Gaps gaps(long version) throws IOException {
		LiveObject live = new LiveObject(SECRET, "s-0", String.valueOf(version), null, false, Map.of(), Map.of());
		return Gaps.of(List.of(live), this.log.read(this.directory));
	}

}

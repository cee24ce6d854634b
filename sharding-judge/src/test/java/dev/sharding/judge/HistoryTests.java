package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class HistoryTests {

	private static final String SHARD = "system:serviceaccount:default:shard.a";

	private static final ObjectRef SECRET = new ObjectRef("", "secrets", "default", "s");

	private final AuditLines lines = new AuditLines();

	@TempDir
	Path directory;

	@Test
	void doesNotReviveWhatWasDeletedOnceMoreWhileItsOwnerLetItGo() throws IOException {
		this.lines.createSecret(1000, "s").own(2000, SHARD, "s", "a").deleteSlowly(3000, "s");
		long version = this.lines.version();
		this.lines.letGoAt(4000, SHARD, "s", version).deleteAgainAt(4005, "s", version);
		History history = History.of(this.lines.read(this.directory));
		List<Revision> states = history.of(SECRET);
		assertThat(states.get(states.size() - 1).body()).isNull();
		List<Revision> visible = history.visible(SECRET);
		assertThat(visible.get(visible.size() - 1).body()).isNull();
	}

	/*
	 * Whoever takes the last finalizer off is asked whether it knows the version, and
	 * then the object is deleted, in whichever it is in by then.
	 */
	@Test
	void endsWhatWasAskedForBackWhileItsOwnerLetItGo() throws IOException {
		this.lines.createSecret(1000, "s").own(2000, SHARD, "s", "a").deleteSlowly(3000, "s");
		long version = this.lines.version();
		this.lines.drain(4000, "sharder", "s").letGoAt(4010, SHARD, "s", version).createSecret(5000, "s");
		List<Revision> states = History.of(this.lines.read(this.directory)).of(SECRET);
		assertThat(states).hasSize(6);
		assertThat(states.get(4).body()).isNull();
		assertThat(states.get(5).body()).isNotNull();
	}

	@Test
	void whoDeletesOnceMoreHasStoredNothingOfWhatIsAnswered() throws IOException {
		this.lines.createSecret(1000, "s").own(2000, SHARD, "s", "a").deleteSlowly(3000, "s");
		long version = this.lines.version();
		// It came before the write, and read after it.
		this.lines.deleteAgainAt(4000, "s", version + 2).drain(4010, "sharder", "s");
		assertThat(History.of(this.lines.read(this.directory)).of(SECRET))
			.extracting((revision) -> revision.cause().verb())
			.endsWith("delete", "patch", "delete");
	}

}

package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class AuditLogTests {

	private static final String SHARD = "system:serviceaccount:default:shard.a";

	@TempDir
	private Path directory;

	@Test
	void readsOnWhereItWasWithWhatItHasReadAndLeavesALineThatIsBeingWritten() throws IOException {
		String text = Files.readString(new AuditLines().createSecret(0, "ä")
			.createSecret(10, "two")
			.unanswered(20, SHARD, "patch", "secrets", "two")
			.createSecret(30, "three")
			.write(this.directory));
		List<String> lines = text.lines().toList();
		Path file = Files.writeString(this.directory.resolve("growing.jsonl"), "");
		Path server = Files.writeString(this.directory.resolve("server.log"), "");
		AuditLog log = new AuditLog(file, server);
		for (String line : lines) {
			List<AuditEvent> before = log.read();
			int half = line.indexOf('}') + 1;
			append(file, line.substring(0, half));
			assertThat(log.read()).isEqualTo(before);
			append(file, line.substring(half) + "\n");
			assertThat(log.read()).isEqualTo(new AuditLog(file, server).read()).isNotEmpty();
		}
		assertThat(log.read()).hasSize(4);
	}

	private static void append(Path file, String text) throws IOException {
		Files.writeString(file, text, StandardOpenOption.APPEND);
	}

}

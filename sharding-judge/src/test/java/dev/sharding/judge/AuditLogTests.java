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

	@Test
	void passesOverTheHalfOfALineThatAKilledServerLeft() throws IOException {
		List<String> lines = Files
			.readAllLines(new AuditLines().createSecret(0, "one").createSecret(10, "two").write(this.directory))
			.stream()
			.map((line) -> "{\"kind\":\"Event\"," + line.substring(1))
			.toList();
		Path server = Files.writeString(this.directory.resolve("server.log"), "");
		String cut = lines.get(0).substring(0, lines.get(0).length() / 2);
		Path torn = Files.writeString(this.directory.resolve("torn.jsonl"), cut + String.join("\n", lines) + "\n");
		Path whole = Files.writeString(this.directory.resolve("whole.jsonl"), String.join("\n", lines) + "\n");
		assertThat(new AuditLog(torn, server).read()).isEqualTo(new AuditLog(whole, server).read()).isNotEmpty();
	}

	private static void append(Path file, String text) throws IOException {
		Files.writeString(file, text, StandardOpenOption.APPEND);
	}

}

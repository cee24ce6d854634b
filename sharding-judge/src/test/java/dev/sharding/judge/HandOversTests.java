package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Two objects that have one name in turn. */
class HandOversTests {

	private static final String OF_A = JudgementTests.ownedBy("a");

	@TempDir
	Path directory;

	@Test
	void whatAFormerObjectLeftIsNotDerivedFromTheOneThatHasItsNameNow() throws IOException {
		AuditLines log = new AuditLines().lease(0, "a", 3)
			.lease(10, "b", 3)
			.createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.deleteSecret(300, OF_A)
			.createSecret(400, OF_A)
			.own(450, "sharder", OF_A, "b");
		assertThat(Judgement.of(EachCounterTests.RING, log.read(this.directory)).json())
			.isEqualTo(JudgementTests.zerosBut("", 0));
	}

}

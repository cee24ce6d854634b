package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** In which order objects change hands, and two that have one name in turn. */
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
		assertVerdict(log, "", 0);
	}

	@Test
	void aMoveBeforeADerivedObjectCountsAlsoIfThatIsDeletedLater() throws IOException {
		AuditLines log = takenFromA().own(1050, "sharder", OF_A, "b")
			.derive(1100, "sharder", OF_A, "b", 200)
			.deleteSecret(1200, OF_A)
			.deleteDerived(1250, OF_A);
		assertVerdict(log, "movedBeforeDerived", 1);
	}

	@Test
	void whatIsStoredCountsWhereItsAnswerIsCompleteLate() throws IOException {
		AuditLines log = takenFromA().derive(1050, "sharder", OF_A, "b", 200).own(1055, "sharder", OF_A, "b");
		assertVerdict(log, "", 0);
	}

	@Test
	void whoHadAnObjectLastGetsItAgainWithWhatIsMadeOfIt() throws IOException {
		assertVerdict(givenUpByA().own(400, "sharder", OF_A, "a"), "", 0);
		assertVerdict(givenUpByA().derive(350, "sharder", OF_A, "b", 200).own(400, "sharder", OF_A, "a"),
				"movedBeforeDerived", 1);
	}

	private static AuditLines givenUpByA() {
		return new AuditLines().lease(0, "a", 3)
			.lease(10, "b", 3)
			.createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.own(300, "system:serviceaccount:default:shard.a", OF_A, "");
	}

	private static AuditLines takenFromA() {
		return new AuditLines().lease(0, "a", 3)
			.lease(10, "b", 3)
			.createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.lease(950, "system:serviceaccount:default:shard.a", "a", "", 1)
			.lease(1000, "sharder", "a", "shardlease-controller", 6);
	}

	private void assertVerdict(AuditLines log, String counter, int found) throws IOException {
		assertThat(Judgement.of(EachCounterTests.RING, log.read(this.directory)).json())
			.isEqualTo(JudgementTests.zerosBut(counter, found));
	}

}

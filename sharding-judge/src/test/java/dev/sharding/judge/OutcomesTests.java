package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What the judge makes of requests whose sender was killed before the answer. */
class OutcomesTests {

	private static final String A = "system:serviceaccount:default:shard.a";

	private static final String B = "system:serviceaccount:default:shard.b";

	private static final String LEADER = "system:serviceaccount:default:sharder.process-1";

	private static final String OF_B = JudgementTests.ownedBy("b");

	private final TreeMap<Integer, Consumer<AuditLines>> log = EachCounterTests.valid();

	@TempDir
	Path directory;

	@Test
	void believesAnAcknowledgementThatTheNextRequestHasSeen() throws IOException {
		this.log.put(2500, (lines) -> lines.abandonedPatch(2500, B, OF_B, "", true));
		this.log.put(2590, (lines) -> lines.serve(2590, LEADER, "a", OF_B));
		this.log.put(2600, (lines) -> lines.patch(2600, LEADER, OF_B, "a").serve(2650, "a", OF_B));
		assertThat(judge()).containsKey(Counter.WRONG_OWNER).doesNotContainKey(Counter.TAKEN_FROM_LIVE_OWNER);
	}

	@Test
	void believesNoAcknowledgementThatTheNextRequestHasNotSeen() throws IOException {
		this.log.put(2500, (lines) -> lines.abandonedPatch(2500, B, OF_B, "", false));
		this.log.put(2590, (lines) -> lines.serve(2590, LEADER, "a", OF_B));
		this.log.put(2600, (lines) -> lines.patch(2600, LEADER, OF_B, "a").serve(2650, "a", OF_B));
		// What it controls, and the object.
		assertThat(judge().get(Counter.TAKEN_FROM_LIVE_OWNER)).hasSize(2);
	}

	@Test
	void believesAnAssignmentThatTheOwnersAcknowledgementHasSeen() throws IOException {
		this.log.put(2500, (lines) -> lines.patch(2500, B, OF_B, ""));
		this.log.put(2550, (lines) -> lines.abandonedPatch(2550, LEADER, OF_B, "a", true));
		this.log.put(2600, (lines) -> lines.patch(2600, A, OF_B, ""));
		this.log.put(2650, (lines) -> lines.patch(2650, LEADER, OF_B, "b").serve(2660, "b", OF_B));
		assertThat(judge().keySet()).doesNotContain(Counter.TAKEN_FROM_LIVE_OWNER, Counter.DOUBLE_RECONCILED);
	}

	@Test
	void believesAnAssignmentThatAChangeByOthersHasMet() throws IOException {
		assignAndChange(true);
		assertThat(judge().keySet()).doesNotContain(Counter.TAKEN_FROM_LIVE_OWNER, Counter.DOUBLE_RECONCILED);
	}

	@Test
	void believesNoAssignmentThatAChangeByOthersHasNotMet() throws IOException {
		assignAndChange(false);
		// Two writes of what it controls, and its acknowledgement.
		assertThat(judge().get(Counter.DOUBLE_RECONCILED)).hasSize(3);
	}

	@Test
	void believesAnAssignmentThatAnotherLabelHasMet() throws IOException {
		assignAndRelabel(true);
		assertThat(judge().keySet()).doesNotContain(Counter.TAKEN_FROM_LIVE_OWNER, Counter.DOUBLE_RECONCILED);
	}

	@Test
	void believesNoAssignmentThatAnotherLabelHasNotMet() throws IOException {
		assignAndRelabel(false);
		assertThat(judge().get(Counter.DOUBLE_RECONCILED)).hasSize(3);
	}

	@Test
	void believesAnAssignmentThatADeletionHasMet() throws IOException {
		assignAndDelete(true);
		assertThat(judge().keySet()).doesNotContain(Counter.TAKEN_FROM_LIVE_OWNER, Counter.DOUBLE_RECONCILED);
	}

	@Test
	void believesNoAssignmentThatADeletionHasNotMet() throws IOException {
		assignAndDelete(false);
		// A write of what it controls, and that of its finalizer.
		assertThat(judge().get(Counter.DOUBLE_RECONCILED)).hasSize(2);
	}

	@Test
	void believesADeletionThatIsAnsweredAfterTheEndOfItsObject() throws IOException {
		assignAndDelete(true);
		// Its answer has the version that the deletion stores.
		this.log.put(2640, (lines) -> lines.letGoAt(2700, A, OF_B, lines.version() + 2));
		this.log.remove(2700);
		assertThat(judge().keySet()).doesNotContain(Counter.TAKEN_FROM_LIVE_OWNER, Counter.DOUBLE_RECONCILED);
	}

	@Test
	void believesAnAssignmentThatIsThereAtTheEnd() throws IOException {
		assignAndEnd();
		assertThat(judge("a").keySet()).doesNotContain(Counter.TAKEN_FROM_LIVE_OWNER, Counter.DOUBLE_RECONCILED);
	}

	@Test
	void believesNoAssignmentThatIsNotThereAtTheEnd() throws IOException {
		assignAndEnd();
		assertThat(judge("").get(Counter.DOUBLE_RECONCILED)).hasSize(1);
		assertThat(judge("b").get(Counter.DOUBLE_RECONCILED)).hasSize(1);
	}

	@Test
	void leavesTheLeadToWhomHadItWhenTheRequestCame() throws IOException {
		this.log.put(2500, (lines) -> lines.patch(2500, B, OF_B, ""));
		this.log.put(11_990, (lines) -> lines.serve(11_990, LEADER, "a", OF_B));
		// Nine seconds and nine renewals after the version that it was decided on.
		this.log.put(12_020, (lines) -> lines.abandonedPatch(12_020, LEADER, OF_B, "a", true));
		this.log.put(12_060, (lines) -> lines.change(12_060, OF_B, "three").serve(12_100, "a", OF_B));
		assertThat(judge().keySet()).doesNotContain(Counter.LATE_WRITES, Counter.MOVED_BEFORE_DERIVED);
	}

	@Test
	void isNotMisledByARequestThatStoresNothingNew() throws IOException {
		this.log.put(2500, (lines) -> lines.patch(2500, B, OF_B, ""));
		this.log.put(2550, (lines) -> lines.abandonedPatch(2550, LEADER, OF_B, "a", false));
		this.log.put(2600, (lines) -> lines.serve(2600, "a", OF_B));
		this.log.put(2650, (lines) -> lines.patch(2650, LEADER, OF_B, "a").repeated(2700, OF_B));
		// The one that was given up on has stored nothing, so this was too early.
		assertThat(judge().get(Counter.DOUBLE_RECONCILED)).isNotEmpty();
	}

	/** Nobody writes the object any more. */
	private void assignAndEnd() {
		this.log.put(2500, (lines) -> lines.patch(2500, B, OF_B, ""));
		this.log.put(2550, (lines) -> lines.abandonedPatch(2550, LEADER, OF_B, "a", true));
		this.log.put(2600, (lines) -> lines.serve(2600, "a", OF_B));
	}

	private void assignAndDelete(boolean stored) {
		this.log.put(2500, (lines) -> lines.patch(2500, B, OF_B, ""));
		this.log.put(2550, (lines) -> lines.abandonedPatch(2550, LEADER, OF_B, "a", stored));
		this.log.put(2600, (lines) -> lines.serve(2600, "a", OF_B));
		this.log.put(2650, (lines) -> lines.deleteSlowly(2650, OF_B));
		this.log.put(2700, (lines) -> lines.letGoAt(2700, A, OF_B, lines.versionOf(OF_B)));
	}

	private void assignAndRelabel(boolean stored) {
		assignAndMeet(stored, (lines) -> lines.relabel(2650, OF_B, "four"));
	}

	/** The change says nothing of the labels, nor which version it was decided on. */
	private void assignAndChange(boolean stored) {
		assignAndMeet(stored, (lines) -> lines.change(2650, OF_B, "three"));
	}

	private void assignAndMeet(boolean stored, Consumer<AuditLines> next) {
		this.log.put(2500, (lines) -> lines.patch(2500, B, OF_B, ""));
		this.log.put(2550, (lines) -> lines.abandonedPatch(2550, LEADER, OF_B, "a", stored));
		this.log.put(2600, (lines) -> lines.serve(2600, "a", OF_B));
		this.log.put(2650, next);
		this.log.put(2700, (lines) -> lines.serve(2700, "a", OF_B));
		this.log.put(2750, (lines) -> lines.patch(2750, A, OF_B, ""));
		this.log.put(2800, (lines) -> lines.patch(2800, LEADER, OF_B, "b").serve(2850, "b", OF_B));
	}

	private Map<Counter, List<String>> judge() throws IOException {
		return Judgement.of(EachCounterTests.RING, lines().read(this.directory)).all();
	}

	/** Judges, when the object has that owner at the end. */
	private Map<Counter, List<String>> judge(String owner) throws IOException {
		AuditLines lines = lines();
		Map<String, String> labels = owner.isEmpty() ? Map.of() : Map.of(EachCounterTests.RING.shardLabel(), owner);
		LiveObject last = new LiveObject(new ObjectRef("", "secrets", "default", OF_B), OF_B + "-0",
				String.valueOf(lines.versionOf(OF_B)), null, false, labels, Map.of());
		return Judgement
			.of(EachCounterTests.RING, lines.read(this.directory), List.of(last), Instant.EPOCH, List.of(), true)
			.all();
	}

	private AuditLines lines() {
		AuditLines lines = new AuditLines();
		this.log.values().forEach((line) -> line.accept(lines));
		return lines;
	}

}

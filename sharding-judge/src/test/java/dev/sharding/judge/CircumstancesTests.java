package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What excuses a delay and what does not, and what the judge must not take for another.
 */
class CircumstancesTests {

	private static final String A = "system:serviceaccount:default:shard.a";

	private static final String B = "system:serviceaccount:default:shard.b";

	private static final String LEADER = "system:serviceaccount:default:sharder.process-1";

	private static final String OTHER = "system:serviceaccount:default:sharder.process-2";

	private static final String OF_A = JudgementTests.ownedBy("a");

	private static final String OF_B = JudgementTests.ownedBy("b");

	private final TreeMap<Integer, Consumer<AuditLines>> log = EachCounterTests.valid();

	private List<Consumer<AuditLines>> disturbance = List.of();

	@TempDir
	Path directory;

	@Test
	void asksForNoRightsOfThoseWhoHaveHadThemTaken() throws IOException {
		this.log.put(400, (lines) -> lines.mark(400, "revoke", "disturbed", "a", 0));
		this.log.put(500, (lines) -> lines.derive(500, A, OF_A, "a", 403));
		this.log.put(600, (lines) -> lines.mark(600, "revoke", "calm", "a", 0));
		assertThat(judge()).isEmpty();
		this.log.put(700, (lines) -> lines.derive(700, A, OF_A, "a", 403));
		assertThat(judge()).containsOnlyKeys(Counter.FORBIDDEN);
	}

	@Test
	void countsWhatWasRefusedOnceAndForTheRingOfWhoAsked() throws IOException {
		this.log.put(500, (lines) -> lines.request(500, LEADER, "patch", "controllerrings", "checksums", 403));
		RingUnderTest others = new RingUnderTest("others", EachCounterTests.RING.main(),
				EachCounterTests.RING.controlled(), Set.of("elsewhere"));
		Findings all = findings(EachCounterTests.RING);
		all.add(findings(others));
		assertThat(all.of(Counter.FORBIDDEN)).hasSize(1);
		this.log.put(500, (lines) -> lines.request(500, A, "get", "namespaces", "default", 403));
		assertThat(judge()).containsOnlyKeys(Counter.FORBIDDEN);
		assertThat(judge(others)).isEmpty();
	}

	@Test
	void letsAShardTouchWhatComesBeforeTheObjectThatItIsMadeOf() throws IOException {
		this.log.put(10_110, (lines) -> lines.touch(10_110, B, OF_A, "b"));
		assertThat(judge()).isEmpty();
		this.log.put(10_110, (lines) -> lines.touch(10_110, B, OF_A, "a"));
		assertThat(judge()).containsKey(Counter.DOUBLE_RECONCILED);
		this.log.put(10_110, (lines) -> lines.derive(10_110, B, OF_A, "b", 200));
		assertThat(judge()).containsKey(Counter.DOUBLE_RECONCILED);
	}

	@Test
	void expectsOneLateWriteOfEachWorkerOfAStoppedProcess() throws IOException {
		this.log.put(5000, (lines) -> lines.mark(5000, "pause", "stopped", "shard.a", 2));
		this.log.put(8000, (lines) -> lines.mark(8000, "pause", "resumed", "shard.a", 0));
		this.log.put(7990, (lines) -> lines.serve(7990, "a", OF_A).derive(7995, A, OF_A, "a", 409));
		assertThat(judge()).isEmpty();
		this.log.put(7999, (lines) -> lines.derive(7999, A, OF_A, "a", 409));
		assertThat(judge().get(Counter.LATE_WRITES)).hasSize(1);
	}

	@Test
	void expectsNoLateWriteAfterTheStopNorOfAnotherProcess() throws IOException {
		this.log.put(5000, (lines) -> lines.mark(5000, "pause", "stopped", "shard.a", 2));
		this.log.put(7500, (lines) -> lines.mark(7500, "pause", "resumed", "shard.a", 0));
		this.log.put(7600, (lines) -> lines.derive(7600, A, OF_A, "a", 409));
		assertThat(judge()).containsOnlyKeys(Counter.LATE_WRITES);
		this.log.put(6900, (lines) -> lines.probe(6900, 0, 200));
		assertThat(judge()).isEmpty();
		this.log.put(5000, (lines) -> lines.mark(5000, "pause", "stopped", "shard.b", 2));
		assertThat(judge()).containsOnlyKeys(Counter.LATE_WRITES);
	}

	@Test
	void expectsWhatWasOnItsWayForAsLongAsABareClientsRequestTakes() throws IOException {
		this.log.put(7100, (lines) -> lines.derive(7100, A, OF_A, "a", 409).derive(7101, A, OF_A, "a", 409));
		this.log.put(6000, (lines) -> lines.probe(6000, 0, 200));
		assertThat(judge().get(Counter.LATE_WRITES)).hasSize(2);
		this.log.put(3600, (lines) -> lines.mark(3600, "step", "begin", "", 1));
		assertThat(judge().get(Counter.LATE_WRITES)).hasSize(1);
		this.log.put(3600, (lines) -> lines.mark(3600, "step", "begin", "", 2));
		assertThat(judge()).isEmpty();
	}

	@Test
	void excusesNoWriteThatTookEffectWhenAnotherCouldAct() throws IOException {
		this.log.put(5000, (lines) -> lines.mark(5000, "pause", "stopped", "shard.a", 2));
		this.log.put(10_110, (lines) -> lines.serve(10_110, A, "b", OF_A));
		this.log.put(12_000, (lines) -> lines.mark(12_000, "pause", "resumed", "shard.a", 0));
		assertThat(judge()).containsOnlyKeys(Counter.WRITES_AFTER_LEASE_END);
	}

	@Test
	void believesTheWorstOfWhatWasNeverAnswered() throws IOException {
		this.log.put(6900, (lines) -> lines.unanswered(6900, A, "update", "configmaps", "checksums-" + OF_A));
		assertThat(judge()).containsOnlyKeys(Counter.DOUBLE_RECONCILED, Counter.WRITES_AFTER_LEASE_END);
		this.log.put(8001, (lines) -> lines.mark(8001, "restart", "cut"));
		assertThat(judge()).isEmpty();
	}

	@Test
	void asksNothingOfACreateOfWhichTheLogSaysOnlyThatItCame() throws IOException {
		this.log.put(1500, (lines) -> lines.unanswered(1500, A, "create", "configmaps", ""));
		this.log.put(1600, (lines) -> lines.mark(1600, "restart", "cut"));
		assertThat(judge()).isEmpty();
		this.log.put(1500, (lines) -> lines.unanswered(1500, A, "create", "configmaps", "checksums-" + OF_B));
		assertThat(judge()).containsOnlyKeys(Counter.DOUBLE_RECONCILED);
	}

	@Test
	void believesTheApiServerThatThereWasNoBody() throws IOException {
		this.log.put(6900, (lines) -> lines.unanswered(6900, A, "patch", "secrets", OF_A));
		AuditLines lines = new AuditLines();
		this.log.values().forEach((line) -> line.accept(lines));
		Path audit = lines.write(this.directory);
		Path server = Files.writeString(this.directory.resolve("kube-apiserver.log"), "Impacted events:\n");
		assertThat(Judgement.of(EachCounterTests.RING, new AuditLog(audit, server).read()).clean()).isFalse();
		Files.writeString(server, "2026-11-21T12:00:06Z AUDIT: id=\"%d\" stage=\"ResponseComplete\" response=\"504\"\n"
			.formatted(lines.lastUnanswered()));
		assertThat(Judgement.of(EachCounterTests.RING, new AuditLog(audit, server).read()).all()).isEmpty();
	}

	@Test
	void countsWhatTookEffectLateAlthoughItCameInTime() throws IOException {
		// The version says that it was stored after the new owner had got the object.
		this.log.put(2000,
				(lines) -> lines.own(2000, A, OF_A, "")
					.serve(2050, LEADER, "b", OF_A)
					.own(2100, LEADER, OF_A, "b")
					.serve(1995, A, "b", OF_A));
		this.log.put(2200, (lines) -> lines.serve(2200, "b", OF_A));
		this.log.remove(10_050);
		this.log.remove(10_100);
		this.log.remove(10_120);
		this.log.remove(3500);
		assertThat(judge()).containsOnlyKeys(Counter.DOUBLE_RECONCILED);
	}

	@Test
	void believesThatAUserWroteWhatChangedIfNobodyKnowsWhatBecameOfAWrite() throws IOException {
		this.log.put(1300, (lines) -> lines.writeBack(1300, A, OF_A, "one").serve(1320, "a", OF_A));
		this.log.put(1270, (lines) -> lines.unanswered(1270, "writer", "patch", "secrets", OF_A));
		this.log.put(1290, (lines) -> lines.mark(1290, "restart", "cut"));
		assertThat(judge()).isEmpty();
		// It had its effect before what was there was answered.
		this.log.put(1170, (lines) -> lines.unanswered(1170, "writer", "patch", "secrets", OF_A));
		this.log.remove(1270);
		this.log.remove(1290);
		this.log.put(1190, (lines) -> lines.mark(1190, "restart", "cut"));
		assertThat(judge()).containsOnlyKeys(Counter.LOST_UPDATES);
	}

	@Test
	void asksAProcessToKnowAnAnswerThatCameBeforeItWasDisturbed() throws IOException {
		this.log.put(2300, (lines) -> lines.serveFrom(2300, "a", OF_A, lines.versionOf(OF_A)));
		assertThat(judge()).containsOnlyKeys(Counter.OWN_WRITES_UNREAD);
		disturbA(1700, 1900);
		assertThat(judge()).containsOnlyKeys(Counter.OWN_WRITES_UNREAD);
		// When the second one is sent, and when the first one is answered.
		disturbA(2290, 2320);
		assertThat(judge()).isEmpty();
		disturbA(1240, 1255);
		assertThat(judge()).isEmpty();
		// The answer has as long as a bare client's request takes.
		disturbA(1270, 1290);
		assertThat(judge()).containsOnlyKeys(Counter.OWN_WRITES_UNREAD);
		this.log.put(900, (lines) -> lines.probe(900, 0, 20));
		assertThat(judge()).isEmpty();
	}

	private void disturbA(int from, int to) {
		this.log.values().removeIf(this.disturbance::contains);
		this.disturbance = List.of((lines) -> lines.mark(from, "cut", "disturbed", "a", 0),
				(lines) -> lines.mark(to, "cut", "calm", "a", 0));
		this.log.put(from, this.disturbance.get(0));
		this.log.put(to, this.disturbance.get(1));
	}

	@Test
	void asksForNoProgressOfWhatIsDisturbed() throws IOException {
		this.log.put(5500, (lines) -> lines.change(5500, OF_B, "four"));
		this.log.put(8500, (lines) -> lines.serve(8500, "b", OF_B));
		this.log.put(5400, (lines) -> lines.mark(5400, "hold", "disturbed", "default/" + OF_B, 0));
		this.log.put(8000, (lines) -> lines.mark(8000, "hold", "calm", "default/" + OF_B, 0));
		assertThat(judge()).isEmpty();
		this.log.put(5400, (lines) -> lines.mark(5400, "hold", "disturbed", "default/another", 0));
		this.log.put(8000, (lines) -> lines.mark(8000, "hold", "calm", "default/another", 0));
		assertThat(judge()).containsOnlyKeys(Counter.UNSERVED);
	}

	@Test
	void letsGoOfAnObjectWhenWhatItControlledMayBeGone() throws IOException {
		this.log.put(5500, (lines) -> lines.deleteSlowly(5500, OF_B));
		this.log.put(5600, (lines) -> lines.letGo(5600, B, OF_B));
		assertThat(judge()).containsOnlyKeys(Counter.LEFT_BEHIND);
		this.log.put(5595, (lines) -> lines.deleteDerived(5595, B, OF_B));
		assertThat(judge()).isEmpty();
		this.log.put(5595, (lines) -> lines.unanswered(5595, B, "delete", "configmaps", "checksums-" + OF_B));
		this.log.put(5610, (lines) -> lines.mark(5610, "restart", "cut"));
		assertThat(judge()).isEmpty();
		this.log.put(5595, (lines) -> lines.request(5595, B, "delete", "configmaps", "checksums-" + OF_B, 404));
		assertThat(judge()).isEmpty();
		// Another of that name was made since.
		this.log.remove(5595);
		this.log.put(5550, (lines) -> lines.deleteDerived(5550, B, OF_B));
		this.log.put(5570, (lines) -> lines.serve(5570, "b", OF_B));
		assertThat(judge()).containsOnlyKeys(Counter.LEFT_BEHIND);
	}

	@Test
	void takesWhatDoesNotSayItsVersionForServedAsLongAsItHasTheData() throws IOException {
		this.log.put(210, (lines) -> lines.serve(210, B, "b", OF_B, 0));
		this.log.put(5500, (lines) -> lines.change(5500, OF_B, "four"));
		this.log.put(7400, (lines) -> lines.change(7400, OF_B, "two").relabel(7450, OF_B, "one"));
		assertThat(judge()).isEmpty();
		this.log.remove(7400);
		this.log.put(7600, (lines) -> lines.change(7600, OF_B, "two"));
		assertThat(judge()).containsOnlyKeys(Counter.UNSERVED);
	}

	@Test
	void addsWhatABareClientSufferedForEachOfSevenSteps() throws IOException {
		this.log.put(5500, (lines) -> lines.change(5500, OF_B, "four"));
		this.log.put(8000, (lines) -> lines.serve(8000, "b", OF_B));
		this.log.put(4500, (lines) -> lines.probe(4500, 30, 40));
		assertThat(judge()).containsOnlyKeys(Counter.UNSERVED);
		this.log.put(4500, (lines) -> lines.probe(4500, 30, 42));
		assertThat(judge()).isEmpty();
	}

	@Test
	void addsFourMillisecondsForEachOtherObjectThatTheOwnerWroteMeanwhile() throws IOException {
		this.log.put(5500, (lines) -> lines.change(5500, OF_B, "four"));
		this.log.put(8000, (lines) -> lines.serve(8000, "b", OF_B));
		this.log.put(5400, (lines) -> IntStream.range(0, 130)
			.forEach((i) -> lines.own(5400, LEADER, "other-" + i, "b").derive(5450, B, "other-" + i, "b", 200)));
		writeMeanwhile((i) -> "other-" + i, 200);
		assertThat(judge()).isEmpty();
		writeMeanwhile((i) -> "other-" + i, 409);
		assertThat(judge()).containsOnlyKeys(Counter.UNSERVED);
		writeMeanwhile((i) -> "other-1", 200);
		assertThat(judge()).containsOnlyKeys(Counter.UNSERVED);
		writeMeanwhile((i) -> OF_B, 200);
		assertThat(judge()).containsOnlyKeys(Counter.UNSERVED);
	}

	private void writeMeanwhile(IntFunction<String> object, int code) {
		this.log.put(6500, (lines) -> IntStream.range(0, 130)
			.forEach((i) -> lines.derive(6500 + i, B, object.apply(i), "b", code)));
	}

	@Test
	void addsNothingThatABareClientSufferedAtAnotherTime() throws IOException {
		this.log.put(5500, (lines) -> lines.change(5500, OF_B, "four"));
		this.log.put(8000, (lines) -> lines.serve(8000, "b", OF_B));
		this.log.put(13_050, (lines) -> lines.probe(13_050, 0, 500));
		assertThat(judge()).containsOnlyKeys(Counter.UNSERVED);
		this.log.remove(13_050);
		this.log.put(12_950, (lines) -> lines.probe(12_950, 0, 500));
		assertThat(judge()).isEmpty();
	}

	@Test
	void asksForNoOwnerWhileNobodyLeads() throws IOException {
		this.log.keySet().removeIf((at) -> at % 1000 == 0 && at > 8000);
		for (int at : List.of(10_050, 10_100, 10_120, 10_200)) {
			this.log.remove(at);
		}
		// The other leads when the term has ended, and sees a Lease that is not renewed.
		this.log.put(14_100, (lines) -> lines.lead(14_100, OTHER, "two"));
		for (int second = 15; second <= 36; second++) {
			int at = 1000 * second;
			this.log.put(at + 2, (lines) -> lines.lease(at + 2, "b", 3));
			this.log.put(at, (lines) -> lines.lead(at, OTHER, "two"));
		}
		this.log.put(29_120, (lines) -> lines.lease(29_120, OTHER, "a", "shardlease-controller", 6));
		// Fifteen seconds, and one more, after it began it must have acted.
		movesToB(30_010, OTHER);
		assertThat(judge()).isEmpty();
		this.log.remove(30_010);
		movesToB(30_110, OTHER);
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
	}

	@Test
	void countsTheSecondsAfterTwoChangesOfTheLeaderOnce() throws IOException {
		for (int second = 15; second <= 34; second++) {
			int at = 1000 * second;
			String leader = (second < 20) ? OTHER : LEADER;
			this.log.put(at + 2, (lines) -> lines.lease(at + 2, "b", 3));
			this.log.put(at, (lines) -> lines.lead(at, leader, leader));
		}
		this.log.put(14_500, (lines) -> lines.createSecret(14_500, "new"));
		this.log.put(14_600, (lines) -> lines.acquired(14_600).lead(14_600, LEADER, ""));
		this.log.put(14_620, (lines) -> lines.acquired(14_620).lead(14_620, OTHER, OTHER));
		this.log.put(19_600, (lines) -> lines.acquired(19_600).lead(19_600, OTHER, ""));
		this.log.put(19_620, (lines) -> lines.acquired(19_620).lead(19_620, LEADER, LEADER));
		// Two durations of six seconds after the second change end at 31,610.
		assignsToB(32_500);
		assertThat(judge()).isEmpty();
		this.log.remove(32_500);
		assignsToB(32_520);
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
	}

	private void assignsToB(int at) {
		this.log.put(at, (lines) -> lines.own(at, LEADER, "new", "b").derive(at + 50, B, "new", "b", 200));
	}

	@Test
	void asksForNoOwnerWhileTheSameLeaderBeginsAnewAndHasSeenNoRenewal() throws IOException {
		for (int second = 9; second <= 24; second++) {
			int at = 1000 * second;
			this.log.put(at + 2, (lines) -> lines.lease(at + 2, "b", 3));
			this.log.put(at, (lines) -> lines.lead(at, LEADER, "one"));
		}
		List.of(10_050, 10_100, 10_120, 10_200).forEach(this.log::remove);
		this.log.put(21_100, (lines) -> lines.lease(21_100, LEADER, "a", "shardlease-controller", 6));
		movesToB(21_900, LEADER);
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
		this.log.put(6000, (lines) -> lines.acquired(6000).lead(6000, LEADER, "one"));
		assertThat(judge()).isEmpty();
	}

	@Test
	void letsALeaderLookForItselfThatBeginsBeforeTheOneBeforeActed() throws IOException {
		this.log.keySet().removeIf((at) -> at % 1000 == 0 && at > 10_000);
		List.of(10_050, 10_100, 10_120, 10_200).forEach(this.log::remove);
		// It leads for 399 ms after the death.
		this.log.put(10_400, (lines) -> lines.lead(10_400, LEADER, "one"));
		for (int second = 15; second <= 36; second++) {
			int at = 1000 * second;
			this.log.put(at + 2, (lines) -> lines.lease(at + 2, "b", 3));
			if (second >= 17) {
				this.log.put(at, (lines) -> lines.lead(at, OTHER, "two"));
			}
		}
		this.log.put(32_020, (lines) -> lines.lease(32_020, OTHER, "a", "shardlease-controller", 6));
		movesToB(32_850, OTHER);
		assertThat(judge()).isEmpty();
		this.log.remove(32_850);
		movesToB(33_050, OTHER);
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
	}

	private void movesToB(int at, String sharder) {
		this.log.put(at,
				(lines) -> lines.serve(at, sharder, "b", OF_A)
					.own(at + 50, sharder, OF_A, "b")
					.serve(at + 90, "b", OF_A));
	}

	@Test
	void waitsForTwoDurationsAfterSomebodyHasEditedALease() throws IOException {
		this.log.put(4500, (lines) -> lines.lease(4500, "admin", "a", "somebody", 3));
		assertThat(judge()).isEmpty();
		this.log.put(3900, (lines) -> lines.lease(3900, A, "a", "", 1));
		this.log.remove(4001);
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
	}

	@Test
	void findsASharderThatTakesALeaseWhoseDeletionItsShardCannotHaveNoticed() throws IOException {
		moveAfterADeletion(7010);
		assertThat(judge()).isEmpty();
		moveAfterADeletion(6990);
		assertThat(judge()).containsOnlyKeys(Counter.LEASE_STOLEN);
		// It had given it back.
		this.log.put(4500, (lines) -> lines.lease(4500, A, "a", "", 1).deleteLease(4510, "admin", "a"));
		moveAfterADeletion(4550);
		assertThat(judge()).isEmpty();
	}

	@Test
	void letsTheSharderMakeALeaseForAShardThatNeverHadOne() throws IOException {
		this.log.put(2500, (lines) -> lines.createLease(2500, LEADER, "c", "shardlease-controller", 6));
		assertThat(judge()).isEmpty();
	}

	/** The sharder makes the Lease of a again, which somebody has deleted. */
	private void moveAfterADeletion(int at) {
		this.log.putIfAbsent(4500, (lines) -> lines.deleteLease(4500, "admin", "a"));
		this.log.keySet().removeIf((key) -> key > 4500 && key % 1000 > 2);
		this.log.put(at, (lines) -> lines.createLease(at, LEADER, "a", "shardlease-controller", 6));
		movesToB(at + 20, LEADER);
	}

	@Test
	void takesNoLabelOfTheSharderForATakeOfALeaseThatSomebodyHasEdited() throws IOException {
		this.log.put(4500, (lines) -> lines.lease(4500, "admin", "a", "somebody", 3));
		this.log.put(4510, (lines) -> lines.lease(4510, LEADER, "a", "somebody", 3));
		assertThat(judge()).isEmpty();
		this.log.put(4510, (lines) -> lines.lease(4510, LEADER, "a", "shardlease-controller", 6));
		assertThat(judge()).containsKey(Counter.LEASE_STOLEN);
	}

	@Test
	void doesNotTakeAShardOfAnotherRingForOneOfThis() throws IOException {
		String namesake = "system:serviceaccount:default:shard.a.process-9";
		this.log.put(9000,
				(lines) -> lines.leasesOf("others", "elsewhere")
					.lease(9000, namesake, "a", "a", 3)
					.request(9100, namesake, "patch", "secrets", OF_A)
					.list(9200, namesake, "secrets", "shard.alpha.sharding.timebertt.dev/others=a")
					.leasesOf("checksums", "default")
					.lead(9300, LEADER, "one"));
		assertThat(judge()).isEmpty();
	}

	@Test
	void findsAShardOfAnotherRingInTheNamespacesOfThis() throws IOException {
		RingUnderTest ring = new RingUnderTest("checksums", EachCounterTests.RING.main(),
				EachCounterTests.RING.controlled(), Set.of("default"));
		String stranger = "system:serviceaccount:default:shard.c";
		this.log.put(9000,
				(lines) -> lines.leasesOf("others", "elsewhere")
					.lease(9000, stranger, "c", "c", 3)
					.leasesOf("checksums", "default")
					.list(9200, stranger, "secrets", "shard.alpha.sharding.timebertt.dev/others=c"));
		assertThat(judge(ring)).isEmpty();
		this.log.put(9100, (lines) -> lines.request(9100, stranger, "patch", "secrets", OF_A));
		this.log.put(9110, (lines) -> lines.request(9110, stranger, "get", "configmaps", "checksums-" + OF_A));
		assertThat(judge(ring)).containsOnlyKeys(Counter.DOUBLE_RECONCILED);
		assertThat(judge(ring).get(Counter.DOUBLE_RECONCILED)).hasSize(2);
	}

	@Test
	void judgesAShardWhoseLeaseIsInAnotherNamespace() throws IOException {
		this.log.put(-1, (lines) -> lines.leasesOf("checksums", "elsewhere"));
		assertThat(judge()).isEmpty();
		this.log.put(7500, (lines) -> lines.serve(7500, "a", OF_A));
		assertThat(judge()).containsOnlyKeys(Counter.LATE_WRITES);
	}

	@Test
	void believesAShardWhoseClockIsAheadForAsMuchLonger() throws IOException {
		List.of(10_050, 10_100, 10_120, 10_200).forEach(this.log::remove);
		this.log.put(13_050,
				(lines) -> lines.lease(13_050, LEADER, "a", "shardlease-controller", 6)
					.serve(13_100, LEADER, "b", OF_A)
					.own(13_120, LEADER, OF_A, "b")
					.serve(13_200, "b", OF_A));
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
		this.log.put(-1, (lines) -> lines.clock(A, 3000));
		assertThat(judge()).isEmpty();
	}

	@Test
	void takesAListOfOneObjectForARead() throws IOException {
		this.log.put(1500, (lines) -> lines.request(1500, A, "list", "secrets", OF_A));
		// What bears a shard's own label is its own, whatever it is called.
		this.log.put(1600, (lines) -> lines.list(1600, A, "secrets", OF_B, EachCounterTests.LABEL + "=a"));
		assertThat(judge()).isEmpty();
		this.log.put(1600, (lines) -> lines.list(1600, A, "secrets", OF_B, EachCounterTests.LABEL));
		assertThat(judge()).containsOnlyKeys(Counter.READS_OF_OTHERS);
		this.log.remove(1600);
		this.log.put(1500, (lines) -> lines.request(1500, A, "list", "secrets", OF_B));
		assertThat(judge()).containsOnlyKeys(Counter.DOUBLE_RECONCILED);
	}

	@Test
	void knowsWhoseADerivedObjectWasThatIsDeleted() throws IOException {
		this.log.put(1500,
				(lines) -> lines.deleteDerived(1500, OF_A)
					.request(1600, A, "patch", "configmaps", "checksums-" + OF_A, 404)
					.serve(1700, "a", OF_A));
		assertThat(judge()).isEmpty();
		this.log.put(1650, (lines) -> lines.request(1650, B, "patch", "configmaps", "checksums-" + OF_A, 404));
		assertThat(judge()).containsOnlyKeys(Counter.DOUBLE_RECONCILED);
	}

	@Test
	void givesAShardASecondToSeeThatAnObjectIsDeleted() throws IOException {
		this.log.put(1500, (lines) -> lines.deleteSecret(1500, OF_A));
		this.log.put(2300, (lines) -> lines.derive(2300, A, OF_A, "a", 200));
		this.log.tailMap(10_000, true).keySet().removeIf((at) -> at % 1000 > 2);
		this.log.remove(3500);
		assertThat(judge()).isEmpty();
		this.log.put(2700, (lines) -> lines.derive(2700, A, OF_A, "a", 200));
		assertThat(judge()).containsOnlyKeys(Counter.LATE_WRITES);
	}

	private Map<Counter, List<String>> judge() throws IOException {
		return judge(EachCounterTests.RING);
	}

	private Map<Counter, List<String>> judge(RingUnderTest ring) throws IOException {
		return findings(ring).all();
	}

	private Findings findings(RingUnderTest ring) throws IOException {
		AuditLines lines = new AuditLines();
		this.log.values().forEach((line) -> line.accept(lines));
		return Judgement.of(ring, lines.read(this.directory));
	}

}

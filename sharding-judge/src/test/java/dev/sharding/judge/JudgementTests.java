package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class JudgementTests {

	private static final RingUnderTest RING = new RingUnderTest("checksums",
			List.of(new ResourceId("", "secrets", "Secret")), List.of(new ResourceId("", "configmaps", "ConfigMap")));

	/** With shards a and b the ring gives these to a and to b. */
	private static final String OF_A = ownedBy("a");

	private static final String OF_B = ownedBy("b");

	@TempDir
	Path directory;

	private final AuditLines log = new AuditLines();

	@Test
	void findsNothingInARunWithoutAFault() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.quiescent(1000, "create")
			.begin(1010, "stop")
			.drain(1100, "sharder", OF_A)
			.lease(2000, "system:serviceaccount:default:shard.a", "a", "", 1)
			.lease(2020, "sharder", "a", "shardlease-controller", 15)
			.derive(2050, "sharder", OF_A, "b", 200)
			.own(2070, "sharder", OF_A, "b")
			.lease(2100, "b", 3)
			.derive(2200, "b", OF_A)
			.quiescent(3000, "stop");
		assertThat(verdict()).isEqualTo(zerosBut("", 0));
	}

	@Test
	void countsObjectsInTheWrongPlaceOnce() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "b")
			.quiescent(1000, "one")
			.begin(1001, "two")
			.quiescent(2000, "two");
		assertThat(verdict()).isEqualTo(zerosBut("wrongOwner", 1));
	}

	/* Its answer has the version that it was asked for. */
	@Test
	void theEndOfAnObjectComesAfterAllThatWasWrittenOfIt() throws IOException {
		AuditLines lines = new AuditLines().createSecret(100, OF_A)
			.deleteSlowly(300, OF_A)
			.own(450, "sharder", OF_A, "b");
		lines.letGoAt(480, "system:serviceaccount:default:shard.a", OF_A, lines.versionOf(OF_A));
		lines.createSecret(481, OF_A).own(485, "sharder", OF_A, "b");
		List<AuditEvent> events = lines.read(this.directory);
		assertThat(events.get(3).mayHaveTakenEffectAfter(events.get(2))).isTrue();
		assertThat(events.get(3).mayHaveTakenEffectAfter(events.get(5))).as("another one of that name").isFalse();
	}

	@Test
	void countsDerivedObjectsThatAreNotWithTheirMainObject() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "system:serviceaccount:default:shard.a", OF_A, "b", 200)
			.quiescent(1000, "create");
		assertThat(verdict()).isEqualTo(zerosBut("wrongOwner", 1));
	}

	@Test
	void doesNotAskForThePlaceOfAnObjectBeforeAllIsQuiet() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "b")
			.own(280, "system:serviceaccount:default:shard.b", OF_A, "")
			.own(300, "sharder", OF_A, "a");
		this.log.quiescent(1000, "create");
		assertThat(verdict()).isEqualTo(zerosBut("", 0));
	}

	@Test
	void countsObjectsWithoutOwner() throws IOException {
		twoShards().createSecret(100, OF_A).own(1200, "sharder", OF_A, "a").lease(1300, "a", 3);
		assertThat(verdict()).isEqualTo(zerosBut("unassigned", 1));
	}

	@Test
	void allowsMoreTimeWhenManyObjectsChangeTheirOwner() throws IOException {
		twoShards();
		for (int i = 0; i < 40; i++) {
			this.log.createSecret(100, "many-" + i);
		}
		this.log.createSecret(100, OF_A);
		for (int i = 0; i < 40; i++) {
			this.log.own(1000, "sharder", "many-" + i, "a");
		}
		this.log.own(1150, "sharder", OF_A, "a");
		assertThat(verdict()).isEqualTo(zerosBut("", 0));
		// Nobody else moved while it waited.
		this.log.createSecret(1200, OF_B).own(2350, "sharder", OF_B, "b");
		assertThat(verdict()).isEqualTo(zerosBut("unassigned", 1));
	}

	@Test
	void countsObjectsOfAShardThatLeft() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.lease(950, "system:serviceaccount:default:shard.a", "a", "", 1)
			.lease(1000, "sharder", "a", "shardlease-controller", 6)
			.lease(1500, "b", 3)
			.lease(2500, "b", 3);
		assertThat(verdict()).isEqualTo(zerosBut("unassigned", 1));
	}

	@Test
	void expectsNoOwnerWhileThereIsNoShard() throws IOException {
		this.log.createSecret(100, OF_A).lease(9000, "a", 3).own(9100, "sharder", OF_A, "a").lease(9900, "a", 3);
		assertThat(verdict()).isEqualTo(zerosBut("", 0));
	}

	@Test
	void expectsNoOwnerOfADeletedObject() throws IOException {
		twoShards().createSecret(100, OF_A).deleteSecret(500, OF_A).lease(2500, "b", 3).lease(5000, "b", 3);
		assertThat(verdict()).isEqualTo(zerosBut("", 0));
	}

	@Test
	void countsWritesAfterOwnershipEnded() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.own(300, "system:serviceaccount:default:shard.a", OF_A, "")
			.derive(305, "a", OF_A)
			.derive(320, "system:serviceaccount:default:shard.a", OF_A, "a", 409)
			.derive(335, "sharder", OF_A, "b", 200)
			.own(350, "sharder", OF_A, "b")
			.derive(380, "b", OF_A)
			.own(395, "system:serviceaccount:default:shard.b", OF_A, "")
			.derive(410, "sharder", OF_A, "a", 200)
			.own(425, "sharder", OF_A, "a")
			.derive(440, "a", OF_A);
		assertThat(verdict()).isEqualTo(zerosBut("lateWrites", 1));
	}

	@Test
	void countsWritesOfMainObjectsAfterOwnershipEnded() throws IOException {
		String former = "system:serviceaccount:default:shard.a";
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.request(200, former, "patch", "secrets", OF_A)
			.own(300, former, OF_A, "")
			.request(305, former, "patch", "secrets", OF_A)
			.request(320, former, "get", "secrets", OF_A)
			.request(330, former, "patch", "secrets", OF_A)
			.own(350, "sharder", OF_A, "b")
			.request(400, former, "update", "secrets", OF_A, 500);
		assertThat(verdict()).isEqualTo(zerosBut(Map.of("doubleReconciled", 1, "lateWrites", 1)));
	}

	@Test
	void doesNotCountAnAcknowledgementThatLostARace() throws IOException {
		String former = "system:serviceaccount:default:shard.a";
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.own(300, former, OF_A, "")
			.request(320, former, "patch", "secrets", OF_A, 409)
			.own(350, "sharder", OF_A, "b")
			.request(400, former, "patch", "secrets", OF_A, 409)
			.deleteSecret(500, OF_A)
			.request(600, former, "patch", "secrets", OF_A, 404);
		assertThat(verdict()).isEqualTo(zerosBut("", 0));
	}

	@Test
	void countsRequestsForObjectsNeverOwned() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "b", OF_A)
			.request(210, "system:serviceaccount:default:shard.b", "get", "secrets", OF_A)
			.request(220, "system:serviceaccount:default:shard.b", "delete", "configmaps", "nobody-knows")
			.request(230, "system:serviceaccount:default:shard.a.process-2", "get", "secrets", OF_A);
		assertThat(verdict()).isEqualTo(zerosBut("doubleReconciled", 3));
	}

	@Test
	void countsWritesAfterTheEndOfTheLease() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.derive(3000, "a", OF_A)
			.derive(3100, "a", OF_A)
			.lease(3200, "a", 3)
			.derive(3300, "a", OF_A);
		assertThat(verdict()).isEqualTo(zerosBut("lateWrites", 1));
	}

	@Test
	void doesNotCountARequestWhoseBodyWasKeptBack() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.withoutBody(3100, "a", OF_A);
		assertThat(verdict()).isEqualTo(zerosBut("", 0));
	}

	@Test
	void endsALeaseAtItsRelease() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.lease(200, "system:serviceaccount:default:shard.a", "a", "", 1)
			.derive(205, "a", OF_A)
			.derive(300, "a", OF_A);
		// Both were stored after the release, also the one that was on its way with it.
		assertThat(verdict()).isEqualTo(zerosBut("writesAfterLeaseEnd", 2));
	}

	@Test
	void countsWritesOfAProcessThatAnotherOfItsNameHasReplaced() throws IOException {
		String second = "system:serviceaccount:default:shard.a.process-2";
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.lease(3200, second, "a", "a", 3)
			.derive(3300, second, OF_A, "a", 200)
			.derive(3400, "a", OF_A);
		assertThat(verdict()).isEqualTo(zerosBut("writesAfterLeaseEnd", 1));
	}

	@Test
	void countsObjectsThatAreTakenFromAShardThatHoldsItsLease() throws IOException {
		twoShards().createSecret(100, OF_A).own(150, "sharder", OF_A, "a").own(300, "sharder", OF_A, "");
		this.log.lease(350, "system:serviceaccount:default:shard.a", "a", "", 1);
		this.log.lease(400, "sharder", "a", "shardlease-controller", 6).own(500, "sharder", OF_A, "b");
		assertThat(verdict()).isEqualTo(zerosBut("takenFromLiveOwner", 1));
	}

	@Test
	void countsObjectsThatAreTakenAlthoughTheSharderHoldsNothing() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.lease(1000, "system:serviceaccount:default:shard.a", "a", "", 1)
			.derive(1050, "sharder", OF_A, "b", 200)
			.own(1100, "sharder", OF_A, "b");
		assertThat(verdict()).isEqualTo(zerosBut("takenFromLiveOwner", 2));
	}

	@Test
	void countsObjectsThatAreTakenAfterTheHoldOfTheSharderRanOut() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.lease(1000, "sharder", "a", "shardlease-controller", 6)
			.lease(6900, "b", 3)
			.own(7100, "sharder", OF_A, "b");
		assertThat(Judgement.of(RING, this.log.read(this.directory)).of(Counter.TAKEN_FROM_LIVE_OWNER)).hasSize(1);
	}

	@Test
	void countsDerivedObjectsThatMoveWhileTheirMainObjectHasItsOwner() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.derive(300, "sharder", OF_A, "b", 200)
			.own(400, "system:serviceaccount:default:shard.a", OF_A, "")
			.own(450, "sharder", OF_A, "b");
		assertThat(verdict()).isEqualTo(zerosBut("takenFromLiveOwner", 1));
	}

	@Test
	void countsMainObjectsThatMoveBeforeTheirDerivedOnes() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "a", OF_A)
			.lease(950, "system:serviceaccount:default:shard.a", "a", "", 1)
			.lease(1000, "sharder", "a", "shardlease-controller", 6)
			.own(1050, "sharder", OF_A, "b")
			.derive(1100, "sharder", OF_A, "b", 200);
		assertThat(verdict()).isEqualTo(zerosBut("movedBeforeDerived", 1));
	}

	@Test
	void judgesOnlyWhatHappenedSinceThen() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(150, "sharder", OF_A, "a")
			.derive(200, "b", OF_A)
			.derive(900, "b", OF_A);
		Instant since = AuditLines.START.plusMillis(500);
		assertThat(Judgement.of(RING, this.log.read(this.directory), since).json())
			.isEqualTo(zerosBut("doubleReconciled", 1));
	}

	@Test
	void countsWritesWithoutALease() throws IOException {
		twoShards().request(500, "system:serviceaccount:default:shard.c", "create", "events", "e")
			.request(600, "system:serviceaccount:default:shard.c", "list", "events", "")
			.request(700, "sharder", "create", "events", "e");
		assertThat(verdict()).isEqualTo(zerosBut("writesAfterLeaseEnd", 1));
	}

	@Test
	void leavesOutALineThatIsStillBeingWritten() throws IOException {
		twoShards().createSecret(100, OF_A).own(150, "sharder", OF_A, "a").unfinished("{\"kind\":\"Event\",\"lev");
		assertThat(verdict()).isEqualTo(zerosBut("", 0));
	}

	@Test
	void ordersStatesByVersionNotByTheEndOfTheirRequests() throws IOException {
		twoShards().createSecret(100, OF_A)
			.own(160, "writer", OF_A, "")
			.own(155, "sharder", OF_A, "a")
			.quiescent(1000, "create");
		assertThat(verdict()).isEqualTo(zerosBut("", 0));
	}

	@Test
	void explainsWhatItFound() throws IOException {
		twoShards().createSecret(100, OF_A).own(150, "sharder", OF_A, "a").derive(200, "b", OF_A);
		assertThat(Judgement.of(RING, this.log.read(this.directory)).report())
			.contains("update configmaps default/checksums-" + OF_A)
			.contains("by system:serviceaccount:default:shard.b")
			.contains("b had not owned secrets default/" + OF_A);
	}

	private AuditLines twoShards() {
		return this.log.lease(0, "a", 3).lease(10, "b", 3);
	}

	private String verdict() throws IOException {
		return Judgement.of(RING, this.log.read(this.directory)).json();
	}

	static String zerosBut(String counter, int count) {
		return zerosBut(Map.of(counter, count));
	}

	private static String zerosBut(Map<String, Integer> counts) {
		return Stream.of(Counter.values())
			.map((counter) -> "\"" + counter.key() + "\":" + counts.getOrDefault(counter.key(), 0))
			.collect(Collectors.joining(",", "{", "}"));
	}

	static String ownedBy(String shard) {
		JudgeRing ring = new JudgeRing(List.of("a", "b"));
		for (int i = 0;; i++) {
			if (shard.equals(ring.owner("/Secret/default/secret-" + i))) {
				return "secret-" + i;
			}
		}
	}

}

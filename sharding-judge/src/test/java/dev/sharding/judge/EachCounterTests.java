package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A log of a run without a fault, and one change to it: each change trips one counter and
 * no other. There is no bare client in it, so the bounds in time are those of the
 * contract; what comes to them otherwise is said by {@link BareClient}.
 */
class EachCounterTests {

	static final RingUnderTest RING = new RingUnderTest("checksums", List.of(new ResourceId("", "secrets", "Secret")),
			List.of(new ResourceId("", "configmaps", "ConfigMap")));

	private static final String A = "system:serviceaccount:default:shard.a";

	private static final String B = "system:serviceaccount:default:shard.b";

	private static final String LEADER = "system:serviceaccount:default:sharder.process-1";

	private static final String OTHER = "system:serviceaccount:default:sharder.process-2";

	private static final String SHARDER = "shardlease-controller";

	static final String LABEL = "shard.alpha.sharding.timebertt.dev/checksums";

	private static final String OF_A = JudgementTests.ownedBy("a");

	private static final String OF_B = JudgementTests.ownedBy("b");

	@TempDir
	Path directory;

	@Test
	void findsNothingInARunWithoutAFault() throws IOException {
		assertThat(judge(new TreeMap<>(valid()))).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void tripsOneCounter(Change change) throws IOException {
		TreeMap<Integer, Consumer<AuditLines>> log = valid();
		change.what.accept(log);
		assertThat(judge(log).keySet()).isEqualTo(change.counters);
	}

	@Test
	void hasAChangeForEachCounterOfTheLog() {
		// What was read shows in the reads: ConsistentReadsTests, FailedReadsTests.
		assertThat(Stream.of(Change.values()).flatMap((change) -> change.counters.stream()))
			.containsAll(Stream.of(Counter.values())
				.filter((one) -> one != Counter.STALE_READS && one != Counter.FAILED_READS)
				.toList());
	}

	/** Two shards; a dies after four seconds, and b gets what it had. */
	static TreeMap<Integer, Consumer<AuditLines>> valid() {
		TreeMap<Integer, Consumer<AuditLines>> log = new TreeMap<>();
		for (int second = 0; second <= 14; second++) {
			int at = 1000 * second;
			log.put(at, (lines) -> lines.lead(at, LEADER, "one"));
			log.put(at + 2, (lines) -> lines.lease(at + 2, "b", 3));
			if (second <= 4) {
				log.put(at + 1, (lines) -> lines.lease(at + 1, "a", 3));
			}
		}
		log.put(50, (lines) -> lines.list(50, A, "secrets", LABEL + "=a"));
		log.put(100, (lines) -> lines.change(100, OF_A, "one"));
		log.put(110, (lines) -> lines.change(110, OF_B, "two"));
		log.put(150, (lines) -> lines.own(150, LEADER, OF_A, "a"));
		log.put(160, (lines) -> lines.own(160, LEADER, OF_B, "b"));
		log.put(200, (lines) -> lines.serve(200, "a", OF_A));
		log.put(210, (lines) -> lines.serve(210, "b", OF_B));
		log.put(1200, (lines) -> lines.change(1200, OF_A, "three"));
		log.put(1250, (lines) -> lines.serve(1250, "a", OF_A));
		log.put(3500, (lines) -> lines.quiescent(3500, "create"));
		log.put(10_050, (lines) -> lines.lease(10_050, LEADER, "a", SHARDER, 6));
		log.put(10_100, (lines) -> lines.serve(10_100, LEADER, "b", OF_A));
		log.put(10_120, (lines) -> lines.own(10_120, LEADER, OF_A, "b"));
		log.put(10_200, (lines) -> lines.serve(10_200, "b", OF_A));
		return log;
	}

	private Map<Counter, List<String>> judge(TreeMap<Integer, Consumer<AuditLines>> log) throws IOException {
		AuditLines lines = new AuditLines();
		log.values().forEach((line) -> line.accept(lines));
		return Judgement.of(RING, lines.read(this.directory)).all();
	}

	/** What is changed, and what the judge must say to it. */
	enum Change {

		ASSIGNS_TO_THE_WRONG_SHARD(Counter.WRONG_OWNER, (log) -> {
			log.put(160, (lines) -> lines.own(160, LEADER, OF_B, "a"));
			log.put(210, (lines) -> lines.serve(210, "a", OF_B));
			log.put(3600,
					(lines) -> lines.own(3600, A, OF_B, "")
						.serve(3620, LEADER, "b", OF_B)
						.own(3650, LEADER, OF_B, "b")
						.serve(3700, "b", OF_B));
		}),

		LEAVES_WHAT_A_DEAD_SHARD_HAD(Counter.UNASSIGNED, (log) -> {
			log.remove(10_050);
			log.remove(10_100);
			log.remove(10_120);
			log.remove(10_200);
		}),

		ASSIGNS_AFTER_MORE_THAN_A_SECOND(Counter.UNASSIGNED, (log) -> {
			log.put(1150, (lines) -> lines.own(1150, LEADER, OF_B, "b").serve(1160, "b", OF_B));
			log.remove(160);
			log.remove(210);
		}),

		WRITES_FOR_AN_OBJECT_OF_ANOTHER(Counter.DOUBLE_RECONCILED,
				(log) -> log.put(500, (lines) -> lines.serve(500, B, "a", OF_A))),

		WRITES_WHEN_ITS_LEASE_IS_TAKEN(Counter.WRITES_AFTER_LEASE_END,
				(log) -> log.put(10_080, (lines) -> lines.serve(10_080, "a", OF_A))),

		TAKES_AN_OBJECT_WITHOUT_A_DRAIN(Counter.TAKEN_FROM_LIVE_OWNER, (log) -> log.put(2500,
				(lines) -> lines.own(2500, LEADER, OF_B, "").own(2600, LEADER, OF_B, "b").serve(2650, "b", OF_B))),

		MOVES_THE_MAIN_OBJECT_FIRST(Counter.MOVED_BEFORE_DERIVED, (log) -> {
			log.put(10_090, (lines) -> lines.own(10_090, LEADER, OF_A, "b"));
			log.remove(10_120);
		}),

		STEALS_A_LEASE_JUST_AFTER_A_RENEWAL(Counter.LEASE_STOLEN,
				(log) -> log.put(2101, (lines) -> lines.lease(2101, LEADER, "a", SHARDER, 6).lease(2200, "a", 3))),

		TAKES_A_LEASE_AFTER_LESS_THAN_TWO_DURATIONS(Counter.LEASE_STOLEN, (log) -> {
			log.put(8050, (lines) -> lines.lease(8050, LEADER, "a", SHARDER, 6));
			log.put(8100, (lines) -> lines.serve(8100, LEADER, "b", OF_A));
			log.put(8120, (lines) -> lines.own(8120, LEADER, OF_A, "b"));
			log.put(8200, (lines) -> lines.serve(8200, "b", OF_A));
			log.remove(10_050);
			log.remove(10_100);
			log.remove(10_120);
			log.remove(10_200);
		}),

		DELETES_A_LEASE_THAT_IS_HELD(Counter.LEASE_STOLEN,
				(log) -> log.put(2101, (lines) -> lines.deleteLease(2101, LEADER, "a").createLease(2200, A, "a", 3))),

		ACTS_WHILE_ANOTHER_LEADS(Counter.ACTED_WITHOUT_LEAD,
				(log) -> log.put(2500, (lines) -> lines.drain(2500, OTHER, OF_B))),

		IS_REFUSED_AFTER_THE_END_OF_ITS_LEASE(Counter.LATE_WRITES,
				(log) -> log.put(7500, (lines) -> lines.derive(7500, A, OF_A, "a", 409))),

		WRITES_AFTER_THE_END_OF_ITS_LEASE_BEFORE_ANYBODY_HAS_IT(Counter.LATE_WRITES,
				(log) -> log.put(7500, (lines) -> lines.serve(7500, "a", OF_A))),

		ACTS_WHEN_ITS_LEAD_HAS_RUN_OUT_AND_NOBODY_ELSE_LEADS(Counter.LATE_WRITES, (log) -> {
			for (int second = 3; second <= 14; second++) {
				log.remove(1000 * second);
			}
		}),

		NEVER_SERVES_A_CHANGE(Counter.UNSERVED, (log) -> log.put(5500, (lines) -> lines.change(5500, OF_B, "four"))),

		SERVES_A_CHANGE_LATE(Counter.UNSERVED, (log) -> {
			log.put(5500, (lines) -> lines.change(5500, OF_B, "four"));
			log.put(8500, (lines) -> lines.serve(8500, "b", OF_B));
		}),

		NEVER_SERVES_A_CHANGE_AND_LETS_ITS_LEASE_LAPSE_AGAIN_AND_AGAIN(Counter.UNSERVED, (log) -> {
			for (int second = 1; second <= 14; second++) {
				if (second % 4 != 0) {
					log.remove(1000 * second + 2);
				}
			}
			log.put(5500, (lines) -> lines.change(5500, OF_B, "four"));
		}),

		NEVER_SERVES_A_LABEL(Counter.UNSERVED, (log) -> log.put(5500, (lines) -> lines.relabel(5500, OF_B, "one"))),

		NEVER_SERVES_A_CHANGE_THAT_IS_TAKEN_BACK(Counter.UNSERVED,
				(log) -> log.put(5500, (lines) -> lines.change(5500, OF_B, "four").change(5600, OF_B, "two"))),

		NEVER_TOUCHES_WHAT_IT_TAKES_OVER(Counter.UNTOUCHED, (log) -> {
			log.remove(10_200);
			// What moved it does not touch what it says of its origin.
			log.put(10_100, (lines) -> lines.serve(10_100, LEADER, "b", OF_A, lines.versionOf(OF_A)));
		}),

		TOUCHES_LATE_WHAT_IT_TAKES_OVER(Counter.UNTOUCHED, (log) -> {
			log.remove(10_200);
			log.put(13_500, (lines) -> lines.serve(13_500, "b", OF_A));
		}),

		LISTS_WHAT_OTHERS_HAVE(Counter.READS_OF_OTHERS,
				(log) -> log.put(60, (lines) -> lines.list(60, A, "configmaps", ""))),

		ASKS_FOR_WHAT_IT_MAY_NOT(Counter.FORBIDDEN,
				(log) -> log.put(500, (lines) -> lines.derive(500, A, OF_A, "a", 403))),

		ASKS_FOR_WHAT_IT_MAY_NOT_AS_SHARDER(Counter.FORBIDDEN,
				(log) -> log.put(500, (lines) -> lines.derive(500, LEADER, OF_A, "a", 403))),

		ASKS_FOR_WHAT_IS_OF_NO_RING_AND_MAY_NOT_AS_SHARDER(Counter.FORBIDDEN,
				(log) -> log.put(500,
						(lines) -> lines.request(500, LEADER, "patch", "controllerrings", "checksums", 403))),

		ASKS_BEFORE_ITS_FIRST_SLOT_FOR_WHAT_IT_MAY_NOT(Counter.FORBIDDEN,
				(log) -> log.put(500, (lines) -> lines.request(500, "shard.pod-1", "list", "namespaces", "", 403))),

		WRITES_WHAT_IT_READ_BEFORE_ITS_LAST_WRITE(Counter.OWN_WRITES_UNREAD,
				(log) -> log.put(1300, (lines) -> lines.serveFrom(1300, "a", OF_A, lines.version() - 1))),

		CREATES_WHAT_IT_HAS_CREATED(Counter.OWN_WRITES_UNREAD,
				(log) -> log.put(1300, (lines) -> lines.createAgain(1300, "a", OF_A))),

		MAKES_IT_FROM_AN_OLDER_VERSION_THAN_BEFORE(Counter.WENT_BACK,
				(log) -> log.put(1300, (lines) -> lines.serve(1300, A, "a", OF_A, lines.versionOf(OF_A) - 3))),

		MAKES_IT_FROM_WHAT_IT_KNEW_BEFORE_IT_GOT_IT(Counter.WENT_BACK, (log) -> log.put(10_200,
				(lines) -> lines.serve(10_200, B, "b", OF_A, lines.versionOf(OF_A) - 1).serve(10_300, "b", OF_A))),

		NEVER_LETS_GO_WHAT_IS_DELETED(Counter.LEFT_BEHIND,
				(log) -> log.put(5500, (lines) -> lines.deleteSlowly(5500, OF_B))),

		LETS_GO_LATE_WHAT_IS_DELETED(Counter.LEFT_BEHIND, (log) -> {
			log.put(5500, (lines) -> lines.deleteSlowly(5500, OF_B));
			log.put(8450, (lines) -> lines.deleteDerived(8450, B, OF_B));
			log.put(8500, (lines) -> lines.letGo(8500, B, OF_B));
		}),

		LETS_GO_WHAT_IS_DELETED_AND_LEAVES_WHAT_IT_MADE_OF_IT(Counter.LEFT_BEHIND, (log) -> {
			log.put(5500, (lines) -> lines.deleteSlowly(5500, OF_B));
			log.put(5600, (lines) -> lines.letGo(5600, B, OF_B));
			log.put(5700, (lines) -> lines.deleteDerived(5700, "writer", OF_B));
		}),

		MOVES_AN_OBJECT_WITHOUT_SAYING_OF_WHICH_VERSION(Counter.WITHOUT_VERSION,
				(log) -> log.put(10_120, (lines) -> lines.patchBlindly(10_120, LEADER, OF_A, "b"))),

		LISTS_AGAIN_AND_AGAIN(Counter.TOO_MANY_LISTS, (log) -> {
			for (int at = 4010; at < 9000; at += 100) {
				int when = at;
				log.put(at, (lines) -> lines.list(when, B, "secrets", LABEL + "=b"));
			}
		}),

		MOVES_WHAT_IS_IN_ITS_PLACE(Counter.NEEDLESS_WRITES,
				(log) -> log.put(2500, (lines) -> lines.own(2500, LEADER, OF_B, "b"))),

		WRITES_BACK_WHAT_A_USER_HAS_CHANGED(Counter.LOST_UPDATES,
				(log) -> log.put(1300, (lines) -> lines.writeBack(1300, A, OF_A, "one").serve(1320, "a", OF_A))),

		SENDS_BACK_WHAT_A_USER_HAS_CHANGED(Counter.LOST_UPDATES,
				(log) -> log.put(1300, (lines) -> lines.sendBack(1300, A, OF_A, "one").serve(1320, "a", OF_A))),

		TAKES_A_LABEL_OF_A_USER(Counter.LOST_UPDATES,
				(log) -> log.put(1300,
						(lines) -> lines.relabel(1300, OF_A, "one")
							.serve(1310, "a", OF_A)
							.takeLabel(1320, A, OF_A)
							.serve(1330, "a", OF_A))),

		EMPTIES_WHAT_A_SHARD_HAS_MADE(Counter.LOST_UPDATES,
				(log) -> log.put(10_100, (lines) -> lines.derive(10_100, LEADER, OF_A, "b", 200))),

		TAKES_AN_ANNOTATION_OF_A_USER(Counter.LOST_UPDATES,
				(log) -> log.put(10_110, (lines) -> lines.annotate(10_110, OF_A).takeAnnotation(OF_A))),

		NEVER_SAYS_THAT_ONE_IS_CALM_AGAIN(Counter.OPEN_EXCUSES,
				(log) -> log.put(2500, (lines) -> lines.mark(2500, "hold", "disturbed", "default/another", 0)));

		private final Set<Counter> counters;

		private final Consumer<TreeMap<Integer, Consumer<AuditLines>>> what;

		Change(Counter counter, Consumer<TreeMap<Integer, Consumer<AuditLines>>> what) {
			this.counters = Set.of(counter);
			this.what = what;
		}

	}

}

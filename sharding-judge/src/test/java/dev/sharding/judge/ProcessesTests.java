package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With slots, a process has the name of the Lease that it took, and another one in its
 * next term.
 */
class ProcessesTests {

	private static final String ONE = "system:serviceaccount:default:shard.pod-1.process-1";

	private static final String TWO = "system:serviceaccount:default:shard.pod-2.process-2";

	private final AuditLines lines = new AuditLines();

	@TempDir
	Path directory;

	@Test
	void tellsProcessesApartByWhoTheyAreAndCallsThemByTheLeaseThatTheyTook() throws IOException {
		this.lines.list(10, ONE, "secrets", "")
			.lease(100, ONE, "r-000", "r-000", 3)
			.request(200, ONE, "patch", "secrets", "s")
			.lease(300, ONE, "r-000", "", 1)
			.request(350, ONE, "patch", "secrets", "s")
			.lease(400, TWO, "r-000", "r-000", 3)
			.lease(500, ONE, "r-001", "r-001", 3)
			.request(600, ONE, "patch", "secrets", "s")
			.request(700, TWO, "patch", "secrets", "s");
		assertThat(this.lines.read(this.directory).stream().map(AuditEvent::shard)).containsExactly("pod-1", "r-000",
				"r-000", "r-000", "r-000", "r-000", "r-001", "r-001", "r-000");
	}

	@Test
	void letsWhoeverTakesASlotNextReadWhatThatHas() throws IOException {
		this.lines.list(10, ONE, "secrets", "shard=r-000")
			.lease(100, ONE, "r-000", "r-000", 3)
			.list(200, ONE, "secrets", "shard=r-001")
			.list(210, ONE, "secrets", "shard=r-002")
			.lease(300, ONE, "r-001", "r-001", 3)
			.list(400, ONE, "secrets", "shard=r-002")
			.lease(500, ONE, "r-001", "r-001", 3);
		assertThat(this.lines.read(this.directory).stream().filter(AuditEvent::listsOrWatches).map(AuditEvent::shard))
			.containsExactly("r-000", "r-001", "r-000", "r-001");
	}

	@Test
	void judgesSlotsAsShardsWhoeverHasThem() throws IOException {
		TreeMap<Integer, Consumer<AuditLines>> log = EachCounterTests.valid();
		assertThat(judge(log)).isEmpty();
		// Whoever had the slot goes on when another process has it.
		log.put(5000, (lines) -> lines.serve(5000, "a", JudgementTests.ownedBy("a")));
		assertThat(judge(log)).isEmpty();
		log.put(4900, (lines) -> lines.lease(4900, TWO, "a", "a", 3));
		assertThat(judge(log)).containsKey(Counter.WRITES_AFTER_LEASE_END);
	}

	@Test
	void letsWhoStandsByReadWhatOneOtherHasAndNothingElse() throws IOException {
		TreeMap<Integer, Consumer<AuditLines>> log = EachCounterTests.valid();
		log.put(3000, (lines) -> lines.lead(3000, "system:serviceaccount:default:sharder.process-1", "one")
			.list(3000, TWO, "secrets", EachCounterTests.LABEL + "=a"));
		assertThat(judge(log)).isEmpty();
		log.put(3010, (lines) -> lines.list(3010, TWO, "secrets", ""));
		assertThat(judge(log)).containsOnlyKeys(Counter.READS_OF_OTHERS);
		log.remove(3010);
		log.put(2500, (lines) -> lines.lease(2500, TWO, "c", "c", 3));
		assertThat(judge(log)).containsKey(Counter.READS_OF_OTHERS);
		// By its own write, which met another state, it knows that it has lost the slot.
		log.put(2700, (lines) -> lines.leaseRefused(2700, TWO, "c"));
		assertThat(judge(log)).doesNotContainKey(Counter.READS_OF_OTHERS);
		log.put(2700, (lines) -> lines.leaseRefused(2700, TWO, "a"));
		assertThat(judge(log)).containsKey(Counter.READS_OF_OTHERS);
	}

	@Test
	void letsWhatWasOnItsWayWhenASlotWasTakenBeOfBefore() throws IOException {
		TreeMap<Integer, Consumer<AuditLines>> log = EachCounterTests.valid();
		log.put(2980, (lines) -> lines.lease(2980, TWO, "c", "c", 3));
		log.put(3000, (lines) -> lines.list(3000, TWO, "secrets", EachCounterTests.LABEL + "=a"));
		assertThat(judge(log)).containsKey(Counter.READS_OF_OTHERS);
		log.put(2900, (lines) -> lines.probe(2900, 0, 30));
		assertThat(judge(log)).doesNotContainKey(Counter.READS_OF_OTHERS);
		log.put(3011, (lines) -> lines.list(3011, TWO, "secrets", EachCounterTests.LABEL + "=a"));
		assertThat(judge(log)).containsKey(Counter.READS_OF_OTHERS);
	}

	private Map<Counter, ?> judge(TreeMap<Integer, Consumer<AuditLines>> log) throws IOException {
		AuditLines written = new AuditLines();
		log.values().forEach((line) -> line.accept(written));
		return Judgement.of(EachCounterTests.RING, written.read(this.directory)).all();
	}

}

package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A holder gives its Lease back with a mark, and its objects wait for the next one as
 * long as the grace lasts: until then nobody else may have them, and after that somebody
 * must.
 */
class WaitsTests {

	private static final String ONE = "system:serviceaccount:default:shard.pod-1.process-1";

	private static final String TWO = "system:serviceaccount:default:shard.pod-2.process-2";

	private static final String LEADER = "system:serviceaccount:default:sharder.process-1";

	private static final String SHARDER = "shardlease-controller";

	private static final String OF_A = JudgementTests.ownedBy("a");

	private final TreeMap<Integer, Consumer<AuditLines>> log = EachCounterTests.valid();

	@TempDir
	Path directory;

	@Test
	void findsNothingWhenTheNextHolderComesWithinTheGrace() throws IOException {
		giveBack(8, 4500);
		nextHolder(8900);
		assertThat(judge()).isEmpty();
		// Without the mark somebody would have had to have them.
		giveBack(8, 4400);
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
	}

	@Test
	void findsWhatWaitsForLongerThanTheGrace() throws IOException {
		giveBack(4, 4500);
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
		move(8600);
		assertThat(judge()).isEmpty();
	}

	@Test
	void findsASharderThatDoesNotLeaveTheObjectsToTheNextHolder() throws IOException {
		giveBack(4, 4500);
		move(8400);
		assertThat(judge()).containsOnlyKeys(Counter.LEASE_STOLEN);
	}

	@Test
	void countsTheGraceOverTermsThatEndBeforeTheyHaveServed() throws IOException {
		giveBack(6, 4500);
		nextHolder(5400);
		this.log.keySet().removeIf((at) -> at > 5400 && at % 1000 == 400);
		this.log.put(6500, (lines) -> lines.giveBack(6500, TWO, "a", 6, 4500, 6500));
		move(10_600);
		assertThat(judge()).isEmpty();
		this.log.remove(10_600);
		move(11_700);
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
	}

	@Test
	void doesNotCountTheGraceWhileNobodyElseCouldHaveTheObjects() throws IOException {
		giveBack(2, 4500);
		this.log.keySet().removeIf((at) -> at > 4000 && at % 1000 == 2);
		this.log.put(4510,
				(lines) -> lines.giveBack(4510, "system:serviceaccount:default:shard.b", "b", 2, 4510, 4510));
		assertThat(judge()).isEmpty();
		for (int at = 9002; at < 14_500; at += 1000) {
			int renewal = at;
			this.log.put(renewal, (lines) -> lines.lease(renewal, "b", 3));
		}
		assertThat(judge()).containsOnlyKeys(Counter.UNASSIGNED);
		move(11_050);
		assertThat(judge()).isEmpty();
	}

	@Test
	void findsAnotherHolderThatComesBeforeTheLeaseHasRunOut() throws IOException {
		this.log.keySet().removeIf((at) -> at >= 10_050 && at < 11_000);
		nextHolder(7100);
		assertThat(judge()).isEmpty();
		nextHolder(6900);
		assertThat(judge()).containsOnlyKeys(Counter.LEASE_STOLEN);
	}

	@Test
	void findsAnotherHolderThatComesBeforeAHolderCanHaveNoticedAnEdit() throws IOException {
		this.log.keySet().removeIf((at) -> at >= 10_050 && at < 11_000);
		this.log.put(4500, (lines) -> lines.lease(4500, "admin", "a", "", 1));
		nextHolder(7100);
		assertThat(judge()).isEmpty();
		nextHolder(6900);
		assertThat(judge()).containsOnlyKeys(Counter.LEASE_STOLEN);
	}

	@Test
	void findsAnotherHolderThatMakesALeaseAgainBeforeItsHolderCanHaveNoticed() throws IOException {
		this.log.keySet().removeIf((at) -> at >= 10_050 && at < 11_000);
		this.log.put(4500, (lines) -> lines.deleteLease(4500, "admin", "a"));
		this.log.put(7005, (lines) -> lines.createLease(7005, TWO, "a", 3));
		nextHolder(8000);
		assertThat(judge()).isEmpty();
		this.log.put(6995, (lines) -> lines.createLease(6995, TWO, "a", 3));
		assertThat(judge()).containsOnlyKeys(Counter.LEASE_STOLEN);
	}

	private void giveBack(int grace, long marked) {
		for (int second = 0; second <= 4; second++) {
			int at = 1000 * second + 1;
			this.log.put(at, (lines) -> lines.lease(at, ONE, "a", "a", 3));
		}
		this.log.put(200, (lines) -> lines.serve(200, ONE, "a", OF_A));
		this.log.put(1250, (lines) -> lines.serve(1250, ONE, "a", OF_A));
		this.log.keySet().removeIf((at) -> at >= 10_050 && at < 11_000);
		this.log.put(4500, (lines) -> lines.giveBack(4500, ONE, "a", grace, 4500, marked));
	}

	private void nextHolder(int from) {
		for (int at = from; at < 14_500; at += 1000) {
			int renewal = at;
			this.log.put(renewal, (lines) -> lines.lease(renewal, TWO, "a", "a", 3));
		}
	}

	private void move(int at) {
		this.log.put(at,
				(lines) -> lines.lease(at, LEADER, "a", SHARDER, 6)
					.serve(at + 50, LEADER, "b", OF_A)
					.own(at + 70, LEADER, OF_A, "b")
					.serve(at + 150, "b", OF_A));
	}

	private Map<Counter, List<String>> judge() throws IOException {
		AuditLines lines = new AuditLines();
		this.log.values().forEach((line) -> line.accept(lines));
		return Judgement.of(EachCounterTests.RING, lines.read(this.directory)).all();
	}

}

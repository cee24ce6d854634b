package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A write is after the end of its process's term if it was stored after that, whenever it
 * came: one process has a slot, and another one takes it.
 */
class TermsTests {

	private static final String ONE = "system:serviceaccount:default:shard.pod-1.process-1";

	private static final String TWO = "system:serviceaccount:default:shard.pod-2.process-2";

	private static final String OF_A = JudgementTests.ownedBy("a");

	private final TreeMap<Integer, Consumer<AuditLines>> log = EachCounterTests.valid();

	@TempDir
	Path directory;

	@BeforeEach
	void oneHasTheSlot() {
		for (int second = 0; second <= 4; second++) {
			int at = 1000 * second + 1;
			this.log.put(at, (lines) -> lines.lease(at, ONE, "a", "a", 3));
		}
		write(200, 200, ONE);
		write(1250, 1250, ONE);
		this.log.keySet().removeIf((at) -> at >= 10_050 && at < 11_000);
	}

	@Test
	void countsWhatWasOnItsWayWhenTheLeaseWasGivenBack() throws IOException {
		this.log.put(4500, (lines) -> lines.giveBack(4500, ONE, "a", 8, 4500, 4500));
		nextHolder(4600);
		write(4450, 4490, ONE);
		assertThat(judge()).isEmpty();
		this.log.remove(4450);
		write(4550, 4490, ONE);
		assertThat(judge()).containsOnlyKeys(Counter.WRITES_AFTER_LEASE_END);
		this.log.remove(4550);
		write(4650, 4490, ONE);
		assertThat(judge()).containsOnlyKeys(Counter.WRITES_AFTER_LEASE_END);
	}

	@Test
	void countsWhatComesWhileTheNextHolderRenews() throws IOException {
		nextHolder(7100);
		assertThat(judge()).isEmpty();
		write(8106, 8105, ONE);
		assertThat(judge()).containsOnlyKeys(Counter.WRITES_AFTER_LEASE_END);
	}

	@Test
	void countsWhatAProcessWritesThatNeverHadTheLeaseWhileItsHolderRenews() throws IOException {
		nextHolder(7100);
		write(8106, 8105, "system:serviceaccount:default:shard.a.process-3");
		assertThat(judge()).containsOnlyKeys(Counter.WRITES_AFTER_LEASE_END);
	}

	@Test
	void countsWhatIsWrittenWhenAnotherHasALeaseOfThatNameElsewhere() throws IOException {
		this.log.put(2500,
				(lines) -> lines.leasesOf("checksums", "elsewhere")
					.lease(2500, TWO, "a", "a", 3)
					.leasesOf("checksums", "default"));
		write(2600, 2600, ONE);
		assertThat(judge()).containsKey(Counter.WRITES_AFTER_LEASE_END);
	}

	private void nextHolder(int from) {
		for (int at = from; at < 14_500; at += 1000) {
			int renewal = at;
			this.log.put(renewal, (lines) -> lines.lease(renewal, TWO, "a", "a", 3));
		}
	}

	/**
	 * @param stored its place among what is stored
	 * @param received when it came
	 */
	private void write(int stored, long received, String user) {
		this.log.put(stored, (lines) -> lines.serve(received, user, "a", OF_A));
	}

	private Map<Counter, ?> judge() throws IOException {
		AuditLines lines = new AuditLines();
		this.log.values().forEach((line) -> line.accept(lines));
		return Judgement.of(EachCounterTests.RING, lines.read(this.directory)).all();
	}

}

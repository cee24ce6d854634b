package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the judge says it saw, of a log in which one shard dies and another has its
 * object.
 */
class CourseTests {

	private static final RingUnderTest RING = EachCounterTests.RING;

	@TempDir
	private Path directory;

	@Test
	void countsWhatCouldHaveGoneWrong() throws IOException {
		assertThat(Exposure.of(RING, valid(), List.of(), AuditLines.START)).isEqualTo(new Exposure(1, 1, 1, 0, 3, 0));
	}

	@Test
	void countsNothingOfWhatHappenedBefore() throws IOException {
		assertThat(Exposure.of(RING, valid(), List.of(), AuditLines.START.plusSeconds(20)))
			.isEqualTo(new Exposure(0, 0, 0, 0, 0, 0));
	}

	@Test
	void countsTheLossOfALeaseThatTheNextProcessTakesByItself() throws IOException {
		AuditLines log = new AuditLines();
		String first = "system:serviceaccount:default:shard.a.process-1";
		String second = "system:serviceaccount:default:shard.a.process-2";
		log.lease(0, first, "a", "a", 6)
			.lease(2000, first, "a", "a", 6)
			.lease(9000, second, "a", "a", 6)
			.lease(10_000, second, "a", "", 1)
			.lease(11_000, first, "a", "a", 6);
		assertThat(Exposure.of(RING, log.read(this.directory), List.of(), AuditLines.START.plusMillis(1)).losses())
			.isEqualTo(1);
	}

	@Test
	void showsWhoHadHowManyObjectsWhen() throws IOException {
		List<Course.Point> points = Course.of(RING, valid(), AuditLines.START, Duration.ofMillis(100)).points();
		assertThat(points).hasSize(102);
		assertThat(points.get(0)).isEqualTo(new Course.Point(AuditLines.START, Map.of(), 0, null));
		assertThat(points.get(10).owned()).isEqualTo(Map.of("a", 1, "b", 1));
		// The sharder has its Lease, and nobody its object yet.
		Course.Point last = points.get(points.size() - 1);
		assertThat(last.owned()).isEqualTo(Map.of("b", 1));
		assertThat(last.unowned()).isEqualTo(1);
	}

	@Test
	void showsHowLongChangesWaitedUntilTheyWereServed() throws IOException {
		List<Course.Point> points = Course.of(RING, valid(), AuditLines.START, Duration.ofMillis(100)).points();
		assertThat(points.get(1).lag()).isEqualTo(Duration.ofMillis(100));
		assertThat(points.get(12).lag()).isEqualTo(Duration.ofMillis(50));
		// Moves change nothing.
		assertThat(points.stream().filter((point) -> point.lag() != null)).hasSize(2);
	}

	@Test
	void knowsTheNamespacesOfARing() {
		RingUnderTest some = new RingUnderTest("checksums", RING.main(), RING.controlled(), Set.of("one"));
		assertThat(some.isMain(secret("one"))).isTrue();
		assertThat(some.isMain(secret("two"))).isFalse();
		assertThat(RING.isMain(secret("two"))).isTrue();
		assertThat(RING.isMain(secret("sharding-system"))).isFalse();
		// A list of all namespaces.
		assertThat(some.isMain(secret(""))).isTrue();
	}

	private static ObjectRef secret(String namespace) {
		return new ObjectRef("", "secrets", namespace, "a-secret");
	}

	private List<AuditEvent> valid() throws IOException {
		AuditLines lines = new AuditLines();
		EachCounterTests.valid().values().forEach((line) -> line.accept(lines));
		return lines.read(this.directory);
	}

}

package dev.sharding.shard;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.InformerStatus;

import static org.assertj.core.api.Assertions.assertThat;

class IsolationTests {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	@Test
	void bearsAFailureForAWhile() {
		assertThat(blind(failing(PATIENCE.minusNanos(1), false), true)).isNull();
		assertThat(blind(failing(PATIENCE, false), true)).contains("secrets.v1").contains("why");
		assertThat(blind(status(null, Duration.ZERO, false), true)).isNull();
	}

	/** The status tells the time by the wall clock as well, which may jump. */
	@Test
	void measuresByTheMonotonicClock() {
		InformerStatus jumped = status(Instant.EPOCH, Duration.ofSeconds(1), false);
		assertThat(blind(jumped, true)).isNull();
		InformerStatus future = status(Instant.MAX, PATIENCE, false);
		assertThat(blind(future, true)).isNotNull();
	}

	@Test
	void zeroIsForEver() {
		assertThat(Isolation.blind(Map.of("secrets.v1", failing(PATIENCE, false)), Duration.ZERO, true)).isNull();
	}

	/** All shards have the same rights: with all isolated nothing would be reconciled. */
	@Test
	void bearsWhatIsSoForAllShardsWhileItReconciles() {
		assertThat(blind(failing(PATIENCE, true), true)).isNull();
		assertThat(blind(failing(PATIENCE, true), false)).isNotNull();
	}

	@Test
	void looksAgainWhenSomethingMayBeDue() {
		assertThat(untilDue(status(null, Duration.ZERO, false), PATIENCE)).isEqualTo(PATIENCE);
		assertThat(untilDue(failing(Duration.ZERO, false), PATIENCE)).isEqualTo(Isolation.PACE);
		assertThat(untilDue(failing(PATIENCE, true), PATIENCE)).isEqualTo(Isolation.PACE);
		assertThat(untilDue(failing(Duration.ZERO, false), Duration.ZERO)).isNull();
	}

	private static @Nullable Duration untilDue(InformerStatus status, Duration patience) {
		return Isolation.untilDue(Map.of("secrets.v1", status), patience);
	}

	@Test
	void joinsAgainWhenItSees() {
		assertThat(Isolation.seesAll(Map.of("a", status(null, Duration.ZERO, false)))).isTrue();
		assertThat(Isolation.seesAll(Map.of("a", failing(Duration.ZERO, true)))).isFalse();
	}

	private static @Nullable String blind(InformerStatus status, boolean reconciling) {
		return Isolation.blind(Map.of("secrets.v1", status), PATIENCE, reconciling);
	}

	private static InformerStatus failing(Duration age, boolean refused) {
		return status(Instant.EPOCH, age, refused);
	}

	private static InformerStatus status(@Nullable Instant since, Duration age, boolean refused) {
		return new InformerStatus(true, false, since, age, refused, false, "why", "1", 0, 1, 0, 0);
	}

}

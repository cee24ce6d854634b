package dev.sharding.internal.kubernetes.slot;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.sharding.internal.kubernetes.informer.InformerStatus;

import static org.assertj.core.api.Assertions.assertThat;

class FillingTests {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	@ParameterizedTest
	@CsvSource({ "false, false, 300, false", "false, false, 301, true", "false, true, 0, false",
			"false, true, 30, false", "false, true, 31, true", "true, false, 0, true" })
	void isGivenUpAtOnceWhereTheListIsRefusedSoonWhereItIsNotAnsweredElseLater(boolean refused, boolean unanswered,
			long seconds, boolean givenUp) {
		assertThat(problem(failing(false, refused, unanswered, seconds), PATIENCE) != null).isEqualTo(givenUp);
	}

	@Test
	void whatIsUnderWayIsWaitedFor() {
		assertThat(problem(new InformerStatus(false, false, null, Duration.ZERO, false, false, null, null, 0, 1, 0, 0),
				PATIENCE))
			.isNull();
	}

	@Test
	void whatHasBeenFilledIsNoProblem() {
		assertThat(problem(failing(true, true, true, 3_600), PATIENCE)).isNull();
	}

	@Test
	void nobodyIsGivenUpForFailuresWhereNoneShouldBe() {
		assertThat(problem(failing(false, false, false, 3_600), Duration.ZERO)).isNull();
		assertThat(problem(failing(false, false, true, 31), Duration.ZERO)).isNotNull();
	}

	@Test
	void oneOfSeveralSuffices() {
		assertThat(Filling
			.problem(Map.of("a", failing(true, false, false, 3_600), "b", failing(false, false, true, 31)), PATIENCE))
			.isEqualTo("lists of b have failed for 31 s: why");
	}

	private static @Nullable String problem(InformerStatus status, Duration patience) {
		return Filling.problem(Map.of("secrets.v1", status), patience);
	}

	private static InformerStatus failing(boolean synced, boolean refused, boolean unanswered, long seconds) {
		return new InformerStatus(synced, false, Instant.EPOCH, Duration.ofSeconds(seconds), refused, unanswered, "why",
				null, 0, 1, 0, 0);
	}

}

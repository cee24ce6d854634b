package dev.sharding.internal.sharder;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SharderOptionsTests {

	@Test
	@DisplayName("Scenario 9: sync period 5 min, 100 moves at a time")
	void hasTheDefaultsOfTheProtocol() {
		assertThat(SharderOptions.DEFAULT.syncPeriod()).isEqualTo(Duration.ofMinutes(5));
		assertThat(SharderOptions.DEFAULT.concurrentMoves()).isEqualTo(100);
		assertThat(SharderOptions.DEFAULT.excludedNamespaces()).containsExactlyInAnyOrder("kube-system",
				"sharding-system");
	}

	@Test
	void refusesWhatCannotWork() {
		assertThatIllegalArgumentException().isThrownBy(() -> SharderOptions.DEFAULT.withConcurrentMoves(0))
			.withMessage("'concurrentMoves' must be positive (is 0)");
		assertThatIllegalArgumentException().isThrownBy(() -> SharderOptions.DEFAULT.withSyncPeriod(Duration.ZERO))
			.withMessage("'syncPeriod' must be positive (is PT0S)");
	}

}

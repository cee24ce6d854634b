package dev.sharding.core.lease;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static dev.sharding.core.lease.Observed.at;
import static dev.sharding.core.lease.Observed.lease;
import static org.assertj.core.api.Assertions.assertThat;

class VanishedLeaseTests {

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "ready and just gone, shard-a, 5, 5, 30", "ready and gone for long, shard-a, 5, 34, 1",
			"ready and gone for two durations, shard-a, 5, 35, 0", "expired, shard-a, 15, 15, 0",
			"released, '', 5, 5, 0", "taken, shardlease-controller, 5, 5, 0" })
	void countsReadyShardForTwoDurations(String scenario, String holder, int vanished, int now, int secondsLeft) {
		VanishedLease lease = new VanishedLease(lease(holder, "id", 0, 15), at(vanished));
		assertThat(lease.untilUnavailable(at(now))).isEqualTo(Duration.ofSeconds(secondsLeft));
		assertThat(lease.isAvailable(at(now))).isEqualTo(secondsLeft > 0);
	}

}

package dev.sharding.internal.core.lease;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static dev.sharding.internal.core.lease.Observed.SHARD;
import static dev.sharding.internal.core.lease.Observed.at;
import static dev.sharding.internal.core.lease.Observed.lease;
import static org.assertj.core.api.Assertions.assertThat;

class LeaseRecordTests {

	private static final Duration LONGEST = Duration.ofSeconds(60);

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "a shard, shard-a, 60, true", "one above the cap, shard-a, 61, false",
			"the sharder, shardlease-controller, 120, true", "nobody, '', 2147483647, true" })
	void isNotBelievedIfItsShardHoldsItForLongerThanIsAllowed(String scenario, String holder, int duration,
			boolean believed) {
		assertThat(lease(holder, "id", 0, duration).isBelieved(LONGEST)).isEqualTo(believed);
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "a former process of this name, shard-a, other, 2147483647, 60",
			"the sharder, shardlease-controller, other, 2147483647, 120",
			"somebody else by an edit, somebody, other, 2147483647, 60", "usual times, shard-a, other, 15, 15",
			"a Go process, shard-a,, 3600, 3600" })
	void aShardWaitsNoLongerForOthersThanTheyBelieveThemselves(String scenario, String holder, String instanceId,
			int duration, int waits) {
		LeaseRecord believed = lease(holder, instanceId, 0, duration).capped(LONGEST);
		LeaseObservation seen = LeaseObservation.first(believed, at(0));
		assertThat(AcquisitionDecision.of(SHARD, Duration.ofSeconds(1), seen, at(0)))
			.isEqualTo(new AcquisitionDecision.Wait(Duration.ofSeconds(waits)));
		assertThat(AcquisitionDecision.of(SHARD, Duration.ofSeconds(1), seen, at(waits)))
			.isInstanceOf(AcquisitionDecision.TakeOver.class);
	}

}

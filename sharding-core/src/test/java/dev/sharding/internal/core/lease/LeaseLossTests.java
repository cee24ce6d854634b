package dev.sharding.internal.core.lease;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static dev.sharding.internal.core.lease.Observed.SHARD;
import static dev.sharding.internal.core.lease.Observed.lease;
import static org.assertj.core.api.Assertions.assertThat;

class LeaseLossTests {

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "only a label changed, shard-a, me,", "another process, shard-a, other, OTHER_INSTANCE",
			"a process that is not ours, shard-a, , OTHER_INSTANCE",
			"the sharder, shardlease-controller, me, TAKEN_BY_SHARDER", "released, '', me, RELEASED",
			"released, , me, RELEASED", "another shard, shard-b, me, OTHER_HOLDER" })
	void judgesConflict(String scenario, String holder, String instanceId, LeaseLoss expected) {
		assertThat(LeaseLoss.of(SHARD, lease(holder, instanceId, 0, 15))).isEqualTo(expected);
	}

	@Test
	void absentLeaseIsLost() {
		assertThat(LeaseLoss.of(SHARD, null)).isEqualTo(LeaseLoss.ABSENT);
	}

}

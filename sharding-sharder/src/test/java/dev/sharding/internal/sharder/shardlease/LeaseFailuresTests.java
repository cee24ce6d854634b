package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.internal.sharder.shardlease.LeaseFailures.Operation;
import dev.sharding.resource.ObjectKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseFailuresTests {

	private static final ObjectKey LEASE = new ObjectKey("namespace", "shard-a");

	private final List<String> changed = new ArrayList<>();

	private final LeaseFailures failures = new LeaseFailures(this.changed::add);

	@Test
	void whatIsRefusedAgainAndAgainIsTriedMoreAndMoreSeldom() {
		assertThat(afterMany(403)).isEqualTo(Duration.ofSeconds(32));
	}

	@Test
	void whatTheApiServerCouldNotDoJustNowIsTriedAgainSoon() {
		assertThat(afterMany(500)).isEqualTo(Duration.ofSeconds(2));
		assertThat(this.failures.of("ring")).containsEntry("Lease namespace/shard-a", "Failed to PUT: 500");
	}

	@ParameterizedTest
	@ValueSource(ints = { 409, 429, 503 })
	void whatAWebhookDeniesIsRefusedWhateverItsStatus(int status) {
		ApiException denied = new ApiException(status, "Reason", null, "", true, true, "denied the request", null);
		for (int i = 0; i < 5; i++) {
			assertThat(this.failures.failed(LEASE, "ring", Operation.HOLD, denied))
				.isGreaterThanOrEqualTo(Duration.ofMillis(500));
		}
		assertThat(this.failures.of("ring")).containsEntry("Lease namespace/shard-a", "denied the request");
		assertThat(this.failures.failed(LEASE, "other", Operation.READ, failure(409)))
			.isLessThan(Duration.ofMillis(500));
		assertThat(this.failures.of("other")).isEmpty();
	}

	@Test
	void aLeaseThatHasToBeMadeNoMoreIsNoTrouble() {
		this.failures.failed(LEASE, "ring", Operation.CREATE, failure(403));
		this.failures.forget(LEASE);
		assertThat(this.failures.of("ring")).isNotEmpty();
		this.failures.forgetCreate(new ShardName("ring", "shard-b"));
		assertThat(this.failures.of("ring")).isNotEmpty();
		this.failures.forgetCreate(new ShardName("ring", "shard-a"));
		assertThat(this.failures.of("ring")).isEmpty();
		assertThat(this.changed).containsExactly("ring", "ring");
	}

	private Duration afterMany(int status) {
		Duration delay = Duration.ZERO;
		for (int i = 0; i < 10; i++) {
			delay = this.failures.failed(LEASE, "ring", Operation.HOLD, failure(status));
		}
		return delay;
	}

	private static ApiException failure(int status) {
		return new ApiException(status, "Reason", null, "Failed to PUT: " + status, null);
	}

}

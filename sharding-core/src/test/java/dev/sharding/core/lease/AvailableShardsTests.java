package dev.sharding.core.lease;

import java.util.List;

import dev.sharding.core.ring.HashRing;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static dev.sharding.core.lease.Observed.at;
import static org.assertj.core.api.Assertions.assertThat;

class AvailableShardsTests {

	private static final List<LeaseRecord> LEASES = List.of(lease("ready", "ready", 0),
			lease("expired", "expired", -20), lease("uncertain", "uncertain", -40), lease("released", "", 0),
			lease("foreign", "somebody", 0));

	@Test
	@DisplayName("31/50 only available shards are on the ring")
	void onlyAvailableShardsAreOnTheRing() {
		HashRing ring = HashRing.of(AvailableShards.of(LEASES, List.of(), at(0)));
		assertThat(ring.shards()).containsExactly("expired", "ready", "uncertain");
	}

	@Test
	@DisplayName("51/52 a ring without Leases has no shards")
	void noLeasesNoShards() {
		assertThat(AvailableShards.of(List.of(), List.of(), at(0))).isEmpty();
	}

	@Test
	void readyShardWhoseLeaseVanishedStaysForTwoDurations() {
		List<VanishedLease> vanished = List.of(new VanishedLease(lease("gone", "gone", 0), at(5)));
		assertThat(AvailableShards.of(LEASES, vanished, at(10))).contains("gone", "ready");
		assertThat(AvailableShards.of(LEASES, vanished, at(35))).doesNotContain("gone");
	}

	@Test
	void vanishedLeaseThatIsBackCountsOnce() {
		List<VanishedLease> vanished = List.of(new VanishedLease(lease("ready", "ready", 0), at(5)));
		assertThat(AvailableShards.of(LEASES, vanished, at(6))).containsExactly("expired", "ready", "uncertain");
	}

	private static LeaseRecord lease(String name, String holder, double renewed) {
		return new LeaseRecord(name, holder, at(renewed).wall(), at(renewed).wall(), 15, 0, null);
	}

}

package dev.sharding.autoconfigure;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.sharding.autoconfigure.RingMembers.HashOwners;
import dev.sharding.core.ring.HashRing;

import static org.assertj.core.api.Assertions.assertThat;

class RingMembersTests {

	@Test
	void knowsWhoseAHashIsIfAllShardsAreSeen() {
		HashOwners owners = HashOwners.of(HashRing.of(List.of("a", "b")), 2, "here");
		assertThat(owners.hashRing()).isNotNull();
		assertThat(owners.reason()).isNull();
	}

	@Test
	void doesNotGuessWhoseAHashIsIfLeasesAreElsewhere() {
		HashOwners owners = HashOwners.of(HashRing.of(List.of("a", "b")), 3, "here");
		assertThat(owners.hashRing()).isNull();
		assertThat(owners.reason()).contains("3 available shards", "of which 2", "'here'");
		assertThat(HashOwners.of(HashRing.of(List.of("a")), null, "here").reason()).contains("no sharder");
	}

}

package dev.sharding.sharder.shardlease;

import java.util.List;
import java.util.TreeMap;

import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.sharder.shardlease.MembershipLaw.Seat;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MembershipLawTests {

	@Test
	void hasTheAvailableShards() {
		Membership membership = of(List.of(seat("one", "b", true), seat("one", "a", true), seat("one", "dead", false)));
		assertThat(membership.available()).containsExactly("a", "b");
		assertThat(membership.leases()).isEqualTo(3);
		assertThat(membership.invalid()).isEmpty();
	}

	@Test
	void isEmptyWithoutLeases() {
		assertThat(of(List.of())).isEqualTo(Membership.EMPTY);
	}

	@Test
	void leavesOutNamesThatAreNoLabelValues() {
		String tooLong = "x".repeat(64);
		Membership membership = of(List.of(seat("one", "a", true), seat("one", tooLong, true)));
		assertThat(membership.available()).containsExactly("a");
		assertThat(membership.invalid().get("Lease one/" + tooLong)).contains("63 characters");
		assertThat(membership.leases()).isEqualTo(2);
	}

	@Test
	void takesTwoLeasesOfOneNameForOneShardAndReportsThem() {
		Membership membership = of(List.of(seat("two", "a", true), seat("one", "a", false)));
		assertThat(membership.available()).containsExactly("a");
		assertThat(membership.invalid().get("Lease two/a")).contains("one/a").contains("rename");
	}

	@Test
	void namesAvailableShardsThatDoNotStamp() {
		Membership membership = of(List.of(seat("one", "a", true), new Seat(new ObjectKey("one", "go-1"), true, false),
				new Seat(new ObjectKey("one", "go-2"), false, false)));
		assertThat(membership.unstamped()).containsExactly("go-1");
	}

	@Test
	void doesNotDependOnTheOrderOfTheLeases() {
		Seat one = seat("one", "a", true);
		Seat two = seat("two", "a", true);
		assertThat(of(List.of(one, two))).isEqualTo(of(List.of(two, one)));
	}

	private static Membership of(List<Seat> seats) {
		return MembershipLaw.of(seats, new TreeMap<>());
	}

	private static Seat seat(String namespace, String name, boolean available) {
		return new Seat(new ObjectKey(namespace, name), available, true);
	}

}

package dev.sharding.sharder.shardlease;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.sharder.shardlease.MembershipLaw.Seat;
import org.junit.jupiter.api.DisplayName;
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
		Membership membership = of(
				List.of(seat("one", "a", true), new Seat(new ObjectKey("one", "go-1"), true, false, false, null),
						new Seat(new ObjectKey("one", "go-2"), false, false, false, null)));
		assertThat(membership.unstamped()).containsExactly("go-1");
	}

	@Test
	@DisplayName("A Lease that is not believed is no member, whatever it is called, and is named")
	void leavesOutWhatIsNotBelieved() {
		Membership membership = of(
				List.of(seat("two", "a", true), new Seat(new ObjectKey("one", "a"), true, true, false, "too long"),
						new Seat(new ObjectKey("one", "b"), true, false, false, "too long")));
		assertThat(membership.available()).containsExactly("a");
		assertThat(membership.leases()).isEqualTo(1);
		assertThat(membership.unstamped()).isEmpty();
		assertThat(membership.invalid()).isEqualTo(Map.of("Lease one/a", "too long", "Lease one/b", "too long"));
	}

	@Test
	void namesAvailableShardsThatAreCordoned() {
		Membership membership = of(
				List.of(seat("one", "a", true), new Seat(new ObjectKey("one", "b"), true, true, true, null),
						new Seat(new ObjectKey("one", "c"), false, true, true, null)));
		assertThat(membership.available()).containsExactly("a", "b");
		assertThat(membership.cordoned()).containsExactly("b");
		assertThat(membership.hashRing().cordoned()).containsExactly("b");
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
		return new Seat(new ObjectKey(namespace, name), available, true, false, null);
	}

}

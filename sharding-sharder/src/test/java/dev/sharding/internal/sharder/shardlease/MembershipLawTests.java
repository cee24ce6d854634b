package dev.sharding.internal.sharder.shardlease;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.sharding.internal.core.slot.Seat;
import dev.sharding.internal.sharder.shardlease.MembershipLaw.SeatFacts;
import dev.sharding.resource.ObjectKey;
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
		Membership membership = of(List.of(seat("one", "a", true),
				new SeatFacts(new ObjectKey("one", "go-1"), Seat.AVAILABLE, null, false, false, null),
				new SeatFacts(new ObjectKey("one", "go-2"), Seat.NONE, null, false, false, null)));
		assertThat(membership.unstamped()).containsExactly("go-1");
	}

	@Test
	@DisplayName("A Lease that is not believed is no member, whatever it is called, and is named")
	void leavesOutWhatIsNotBelieved() {
		Membership membership = of(List.of(seat("two", "a", true),
				new SeatFacts(new ObjectKey("one", "a"), Seat.AVAILABLE, null, true, false, "too long"),
				new SeatFacts(new ObjectKey("one", "b"), Seat.AVAILABLE, null, false, false, "too long")));
		assertThat(membership.available()).containsExactly("a");
		assertThat(membership.leases()).isEqualTo(1);
		assertThat(membership.unstamped()).isEmpty();
		assertThat(membership.invalid()).isEqualTo(Map.of("Lease one/a", "too long", "Lease one/b", "too long"));
	}

	@Test
	void namesAvailableShardsThatAreCordoned() {
		Membership membership = of(List.of(seat("one", "a", true),
				new SeatFacts(new ObjectKey("one", "b"), Seat.AVAILABLE, null, true, true, null),
				new SeatFacts(new ObjectKey("one", "c"), Seat.NONE, null, true, true, null)));
		assertThat(membership.available()).containsExactly("a", "b");
		assertThat(membership.cordoned()).containsExactly("b");
		assertThat(membership.hashRing().cordoned()).containsExactly("b");
	}

	@Test
	void membersThatNobodyHoldsHaveTokensAndThoseThatCameLatelyHaveNone() {
		Membership membership = of(List.of(seat("one", "a", true), seat("one", "b", Seat.GIVEN_BACK),
				seat("one", "c", Seat.SETTLING), seat("one", "d", false)));
		assertThat(membership.available()).containsExactly("a", "c");
		assertThat(membership.settling()).containsExactly("c");
		assertThat(membership.givenBack()).containsExactly("b");
		assertThat(membership.settled()).containsExactly("a", "b");
		assertThat(membership.hashRing().shards()).containsExactly("a", "b", "c");
		assertThat(membership.hashRing().takers()).containsExactly("a", "b");
	}

	@Test
	void whoeverHoldsOneOfTwoLeasesOfANameIsThere() {
		for (List<Seat> seats : List.of(List.of(Seat.GIVEN_BACK, Seat.AVAILABLE),
				List.of(Seat.SETTLING, Seat.AVAILABLE))) {
			Membership membership = of(List.of(seat("one", "a", seats.get(0)), seat("two", "a", seats.get(1))));
			assertThat(membership.available()).containsExactly("a");
			assertThat(membership.givenBack()).isEmpty();
			assertThat(membership.settling()).isEmpty();
			assertThat(membership.invalid().get("Lease two/a")).contains("one/a");
		}
	}

	@Test
	void doesNotDependOnTheOrderOfTheLeases() {
		SeatFacts one = seat("one", "a", true);
		SeatFacts two = seat("two", "a", true);
		assertThat(of(List.of(one, two))).isEqualTo(of(List.of(two, one)));
	}

	private static Membership of(List<SeatFacts> seats) {
		return MembershipLaw.of(seats, new TreeMap<>());
	}

	private static SeatFacts seat(String namespace, String name, boolean available) {
		return new SeatFacts(new ObjectKey(namespace, name), available ? Seat.AVAILABLE : Seat.NONE, null, true, false,
				null);
	}

	private static SeatFacts seat(String namespace, String name, Seat seat) {
		return new SeatFacts(new ObjectKey(namespace, name), seat, null, true, false, null);
	}

}

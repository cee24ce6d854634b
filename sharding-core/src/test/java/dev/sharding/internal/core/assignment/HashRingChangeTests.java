package dev.sharding.internal.core.assignment;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A ring that is made out of the one before.
 */
class HashRingChangeTests {

	/* Web-1 and web-11, and other such pairs, share tokens. */
	private static final List<String> NAMES = IntStream.range(0, 24).mapToObj((i) -> "web-" + i).toList();

	@Property(tries = 200)
	void whoeverComesAndGoesItIsTheRingThatIsMadeAnew(@ForAll("changes") List<Change> changes) {
		HashRing ring = HashRing.of(Set.of());
		for (Change change : changes) {
			ring = ring.become(change.shards, change.cordoned, change.settling);
			HashRing anew = HashRing.of(change.shards, change.cordoned, change.settling);
			assertThat(ring.isSameAs(anew)).isTrue();
			assertThat(ring.takers()).isEqualTo(anew.takers());
			assertAgree(ring, owners(anew.takers()));
			assertAgree(anew, owners(anew.takers()));
		}
	}

	@Test
	void whoSharedTokensWithOneThatIsGoneHasThemAlone() {
		HashRing both = HashRing.of(List.of("web-1", "web-11"));
		assertThat(both.ownerOf(HashRing.token("web-1", 10))).isEqualTo("web-11");
		HashRing one = both.become(List.of("web-1"), Set.of(), Set.of());
		assertThat(one.ownerOf(HashRing.token("web-1", 10))).isEqualTo("web-1");
		HashRing again = one.become(List.of("web-1", "web-11"), Set.of(), Set.of());
		assertThat(again.ownerOf(HashRing.token("web-1", 10))).isEqualTo("web-11");
	}

	@Test
	void itStaysAsItIsWhenAnotherIsMadeOutOfIt() {
		HashRing ring = HashRing.of(NAMES);
		Map<Long, String> before = new HashMap<>();
		owners(ring.takers()).keySet().forEach((token) -> before.put(token, ring.ownerOf(token)));
		assertThat(ring.become(NAMES.subList(0, 3), Set.of(), Set.of()).takers()).hasSize(3);
		before.forEach((token, owner) -> assertThat(ring.ownerOf(token)).isEqualTo(owner));
		assertThat(ring.shards()).containsExactlyInAnyOrderElementsOf(NAMES);
	}

	/* By the protocol, in the plainest way. */
	private static TreeMap<Long, String> owners(Set<String> takers) {
		TreeMap<Long, String> owners = new TreeMap<>(Long::compareUnsigned);
		new TreeSet<>(takers)
			.forEach((shard) -> IntStream.range(0, 100).forEach((i) -> owners.put(HashRing.token(shard, i), shard)));
		return owners;
	}

	private static void assertAgree(HashRing ring, TreeMap<Long, String> owners) {
		assertThat(ring.isEmpty()).isEqualTo(owners.isEmpty());
		owners.forEach((token, owner) -> {
			assertThat(ring.ownerOf(token)).isEqualTo(owner);
			Map.Entry<Long, String> next = owners.higherEntry(token);
			assertThat(ring.ownerOf(token + 1))
				.isEqualTo((next != null) ? next.getValue() : owners.firstEntry().getValue());
		});
	}

	@Provide
	Arbitrary<List<Change>> changes() {
		Arbitrary<Set<String>> some = Arbitraries.of(NAMES).set().ofMaxSize(NAMES.size());
		Arbitrary<Set<String>> few = Arbitraries.of(NAMES).set().ofMaxSize(3);
		return Combinators.combine(some, few, few).as(Change::new).list().ofMinSize(1).ofMaxSize(6);
	}

	private record Change(Set<String> shards, Set<String> cordoned, Set<String> settling) {

		@Override
		public String toString() {
			return this.shards.stream().sorted().collect(Collectors.joining(",")) + "/" + this.cordoned + "/"
					+ this.settling;
		}

	}

}

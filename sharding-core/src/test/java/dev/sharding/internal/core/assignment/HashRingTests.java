package dev.sharding.internal.core.assignment;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import dev.sharding.internal.core.key.ShardingKey;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.NumericChars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HashRingTests {

	private static final List<ShardingKey> KEYS = IntStream.range(0, 500)
		.mapToObj((i) -> new ShardingKey("", "Secret", "default", "foo" + i))
		.toList();

	@Test
	void cordonedShardsGetNoKeyButStayShards() {
		HashRing ring = HashRing.of(List.of("a", "b", "c"), List.of("b", "unknown"));
		HashRing without = HashRing.of(List.of("a", "c"));
		for (int i = 0; i < 200; i++) {
			ShardingKey key = new ShardingKey("", "Secret", "default", "object-" + i);
			assertThat(ring.shardFor(key)).isEqualTo(without.shardFor(key)).isNotEqualTo("b");
		}
		assertThat(ring.shards()).containsExactly("a", "b", "c");
		assertThat(ring.cordoned()).containsExactly("b");
		assertThat(ring.isSameAs(without)).isFalse();
		assertThat(ring.isSameAs(HashRing.of(List.of("c", "b", "a"), List.of("b")))).isTrue();
	}

	@Test
	void cordonsOfAllShardsDoNotCount() {
		HashRing ring = HashRing.of(List.of("a", "b"), List.of("a", "b"));
		assertThat(ring.cordoned()).isEmpty();
		assertThat(ring.isSameAs(HashRing.of(List.of("a", "b")))).isTrue();
		assertThat(ring.shardFor(new ShardingKey("", "Secret", "default", "one"))).isNotNull();
	}

	@Test
	void settlingShardsGetNoKeyYetButAreShards() {
		HashRing ring = HashRing.of(List.of("a", "b", "c"), List.of(), List.of("c", "unknown"));
		HashRing before = HashRing.of(List.of("a", "b"));
		assertThat(KEYS).allSatisfy((key) -> assertThat(ring.shardFor(key)).isEqualTo(before.shardFor(key)));
		assertThat(ring.shards()).containsExactly("a", "b", "c");
		assertThat(ring.settling()).containsExactly("c");
		assertThat(ring.takers()).containsExactly("a", "b");
		assertThat(ring.isSameAs(before)).isFalse();
		assertThat(ring.isSameAs(HashRing.of(List.of("a", "b", "c")))).isFalse();
		assertThat(ring.isSameAs(HashRing.of(List.of("c", "b", "a"), List.of(), List.of("c")))).isTrue();
	}

	@Test
	void whereOthersGetNothingThoseThatSettleGetAll() {
		assertThat(
				HashRing.of(List.of("a", "b"), List.of(), List.of("a", "b")).isSameAs(HashRing.of(List.of("a", "b"))))
			.isTrue();
		HashRing ring = HashRing.of(List.of("a", "b"), List.of("a"), List.of("b"));
		assertThat(ring.takers()).containsExactly("b");
		assertThat(ring.settling()).isEmpty();
		HashRing allCordoned = HashRing.of(List.of("a", "b"), List.of("a", "b"), List.of("b"));
		assertThat(allCordoned.takers()).containsExactly("a");
	}

	@Property
	void whoeverIsThereSomebodyTakes(
			@ForAll @Size(min = 1, max = 4) Set<@CharRange(from = 'a', to = 'f') @StringLength(1) String> shards,
			@ForAll Set<@CharRange(from = 'a', to = 'f') @StringLength(1) String> cordoned,
			@ForAll Set<@CharRange(from = 'a', to = 'f') @StringLength(1) String> settling) {
		HashRing ring = HashRing.of(shards, cordoned, settling);
		assertThat(ring.takers()).isNotEmpty().isSubsetOf(shards);
		assertThat(ring.shards()).containsExactlyInAnyOrderElementsOf(shards);
		assertThat(ring.takers()).noneMatch(ring.cordoned()::contains).noneMatch(ring.settling()::contains);
		assertThat(ring.takers().size() + union(ring.cordoned(), ring.settling()).size()).isEqualTo(shards.size());
		assertThat(ring.shardFor(KEYS.get(0))).isIn(ring.takers());
	}

	private static Set<String> union(Set<String> some, Set<String> others) {
		Set<String> union = new HashSet<>(some);
		union.addAll(others);
		return union;
	}

	@Test
	@DisplayName("11/12 a ring is empty if and only if it has no shard")
	void isEmptyWithoutShards() {
		assertThat(HashRing.of(List.of()).isEmpty()).isTrue();
		assertThat(HashRing.of(List.of("a")).isEmpty()).isFalse();
	}

	@Test
	@DisplayName("14 keys are spread over the shards")
	void spreadsKeys() {
		HashRing ring = HashRing.of(List.of("foo", "bar"));
		assertThat(KEYS.stream().map(ring::shardFor)).contains("foo", "bar");
	}

	@Test
	@DisplayName("15 an empty ring assigns nothing")
	void emptyRingAssignsNothing() {
		assertThat(HashRing.of(List.of()).shardFor(KEYS.get(0))).isNull();
	}

	@Test
	@DisplayName("17 100 tokens keep ten shards within a factor of two of each other")
	void balancesTenShards() {
		HashRing ring = HashRing.of(IntStream.range(0, 10).mapToObj((i) -> "host" + (char) ('a' + i)).toList());
		int[] counts = new int[10];
		for (int i = 0; i < 100_000; i++) {
			String shard = ring.shardFor(new ShardingKey("apps", "Deployment", "ns", "obj-" + i));
			counts[shard.charAt(4) - 'a']++;
		}
		assertThat(IntStream.of(counts).boxed()).allSatisfy((count) -> assertThat(count).isBetween(7_000, 14_000));
	}

	@Test
	void listsShardsSortedAndOnce() {
		assertThat(HashRing.of(List.of("b", "a", "b")).shards()).containsExactly("a", "b");
	}

	@Property(tries = 100)
	void doesNotDependOnOrderOfInput(@ForAll @Size(min = 1, max = 20) Set<@ShardName String> shards,
			@ForAll long seed) {
		List<String> shuffled = new ArrayList<>(shards);
		Collections.shuffle(shuffled, new Random(seed));
		HashRing ring = HashRing.of(shards);
		HashRing other = HashRing.of(shuffled);
		assertThat(KEYS).allSatisfy((key) -> assertThat(other.shardFor(key)).isEqualTo(ring.shardFor(key)));
	}

	@Property(tries = 100)
	void removingShardMovesOnlyItsKeys(@ForAll @Size(min = 2, max = 20) Set<@ShardName String> shards) {
		String removed = shards.iterator().next();
		Set<String> rest = new HashSet<>(shards);
		rest.remove(removed);
		HashRing before = HashRing.of(shards);
		HashRing after = HashRing.of(rest);
		assertThat(KEYS).filteredOn((key) -> !removed.equals(before.shardFor(key)))
			.allSatisfy((key) -> assertThat(after.shardFor(key)).isEqualTo(before.shardFor(key)));
	}

	@Property(tries = 100)
	void addingShardMovesKeysOnlyToIt(@ForAll @Size(min = 1, max = 20) Set<@ShardName String> shards,
			@ForAll @ShardName String added) {
		Set<String> more = new HashSet<>(shards);
		more.add(added);
		HashRing before = HashRing.of(shards);
		HashRing after = HashRing.of(more);
		assertThat(KEYS).filteredOn((key) -> !after.shardFor(key).equals(before.shardFor(key)))
			.allSatisfy((key) -> assertThat(after.shardFor(key)).isEqualTo(added));
	}

	@Property
	void hashesKeyAsItsText(@ForAll @StringLength(max = 40) String group, @ForAll @StringLength(max = 40) String kind,
			@ForAll @StringLength(max = 40) String namespace, @ForAll @StringLength(max = 40) String name) {
		ShardingKey key = new ShardingKey(group, kind, namespace, name);
		assertThat(KeyHash.of(key)).isEqualTo(KeyHash.of(key.toString()));
	}

	@Property
	void hashesAsciiKeyAsItsText(@ForAll @CharRange(to = '\u007f') @StringLength(max = 40) String group,
			@ForAll @AlphaChars @StringLength(max = 20) String kind,
			@ForAll @NumericChars @StringLength(max = 40) String namespace,
			@ForAll @CharRange(to = '\u007f') @StringLength(max = 80) String name) {
		ShardingKey key = new ShardingKey(group, kind, namespace, name);
		assertThat(KeyHash.of(key)).isEqualTo(KeyHash.of(key.toString()));
	}

	@Test
	void hashesSupplementaryCharacters() {
		ShardingKey key = new ShardingKey("", "Secret", "ns", "\uD83D\uDE00-name");
		assertThat(KeyHash.of(key)).isEqualTo(KeyHash.of("/Secret/ns/\uD83D\uDE00-name"));
	}

}

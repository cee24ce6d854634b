package dev.sharding.internal.core.assignment;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import dev.sharding.internal.core.Golden;
import dev.sharding.internal.core.key.ShardingKey;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

class GoldenRingTests {

	@TestFactory
	Stream<DynamicTest> hashesText() {
		return Golden.cases("hashes").map((vector) -> {
			String input = vector.get("input").stringValue();
			return DynamicTest.dynamicTest("'" + input + "'", () -> assertThat(KeyHash.of(input))
				.isEqualTo(Long.parseLong(vector.get("javaSignedLong").stringValue())));
		});
	}

	@TestFactory
	Stream<DynamicTest> hashesKeys() {
		return Golden.cases("keys")
			.filter((vector) -> vector.has("xxh64Hex"))
			.map((vector) -> DynamicTest.dynamicTest(vector.get("case").stringValue(),
					() -> assertThat(KeyHash.of(key(vector.get("key").stringValue())))
						.isEqualTo(hex(vector, "xxh64Hex"))));
	}

	@TestFactory
	Stream<DynamicTest> assignsKeys() {
		return Golden.cases("rings").flatMap((ring) -> {
			HashRing hashRing = HashRing.of(shards(ring));
			return ring.get("vectors").valueStream().map((vector) -> {
				String key = vector.get("key").stringValue();
				return DynamicTest.dynamicTest(ring.get("name").stringValue() + ": " + key, () -> {
					assertThat(orEmpty(shardForText(hashRing, key))).isEqualTo(vector.get("shard").stringValue());
					assertThat(KeyHash.of(key)).isEqualTo(hex(vector, "keyXxh64Hex"));
				});
			});
		});
	}

	@TestFactory
	Stream<DynamicTest> assignsTenThousandKeys() {
		return Golden.cases("rings").map((ring) -> DynamicTest.dynamicTest(ring.get("name").stringValue(), () -> {
			HashRing hashRing = HashRing.of(shards(ring));
			List<String> owners = IntStream.range(0, 10_000)
				.mapToObj((i) -> orEmpty(
						hashRing.shardFor(new ShardingKey("apps", "Deployment", "ns-" + i % 97, "obj-" + i))))
				.toList();
			Map<String, Long> counts = owners.stream()
				.collect(Collectors.groupingBy((owner) -> owner, TreeMap::new, Collectors.counting()));
			ring.get("bulk")
				.get("counts")
				.propertyStream()
				.forEach((count) -> assertThat(counts).containsEntry(count.getKey(), count.getValue().asLong()));
			assertThat(sha256(owners.stream())).isEqualTo(ring.get("bulk").get("assignmentsSha256").stringValue());
		}));
	}

	@TestFactory
	Stream<DynamicTest> makesTokens() {
		return Golden.cases("rings").map((ring) -> DynamicTest.dynamicTest(ring.get("name").stringValue(), () -> {
			List<String> tokens = tokens(shards(ring)).mapToObj("%016x"::formatted).sorted().toList();
			JsonNode sorted = ring.get("sortedTokens");
			assertThat(tokens).hasSize(sorted.get("count").asInt());
			assertThat(sha256(tokens.stream())).isEqualTo(sorted.get("sha256").stringValue());
		}));
	}

	@Test
	void sharedTokenGoesToNameThatSortsLast() {
		JsonNode collisions = Golden.part("tokenCollisions");
		List<String> shards = shards(collisions);
		assertThat(tokens(shards).distinct().count()).isEqualTo(collisions.get("tokensDistinct").asLong());
		// web-12 sorts after web-11 and both after web-1, as in ascending insertion.
		HashRing ring = HashRing.of(shards);
		assertThat(collisions.get("vectors").valueStream()).isNotEmpty()
			.allSatisfy((vector) -> assertThat(ring.shardFor(key(vector.get("key").stringValue())))
				.isEqualTo(vector.get("shardIfAscendingInsertion").stringValue()));
	}

	private static LongStream tokens(List<String> shards) {
		return shards.stream()
			.flatMapToLong((shard) -> IntStream.range(0, 100).mapToLong((i) -> HashRing.token(shard, i)));
	}

	private static List<String> shards(JsonNode ring) {
		return ring.get("shards").valueStream().map(JsonNode::stringValue).toList();
	}

	/* Some vectors hit a token exactly: their text is a token, not a key. */
	private static String shardForText(HashRing ring, String text) {
		return (text.chars().filter((c) -> c == '/').count() == 3) ? ring.shardFor(key(text))
				: ring.ownerOf(KeyHash.of(text));
	}

	private static ShardingKey key(String text) {
		String[] parts = text.split("/", -1);
		assertThat(parts).hasSize(4);
		return new ShardingKey(parts[0], parts[1], parts[2], parts[3]);
	}

	private static long hex(JsonNode node, String field) {
		return Long.parseUnsignedLong(node.get(field).stringValue(), 16);
	}

	private static String orEmpty(String shard) {
		return (shard != null) ? shard : "";
	}

	private static String sha256(Stream<String> lines) throws NoSuchAlgorithmException {
		MessageDigest digest = MessageDigest.getInstance("SHA-256");
		lines.forEach((line) -> digest.update((line + '\n').getBytes(StandardCharsets.UTF_8)));
		return HexFormat.of().formatHex(digest.digest());
	}

}

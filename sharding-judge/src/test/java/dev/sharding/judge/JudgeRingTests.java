package dev.sharding.judge;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JudgeRingTests {

	@Test
	void hashesLikeTheGoldenFile() throws IOException {
		JsonNode hashes = golden().path("hashes");
		assertThat(hashes).hasSizeGreaterThan(10);
		for (JsonNode vector : hashes) {
			assertThat(Xxh64.hash(vector.path("input").asText())).as(vector.path("input").asText())
				.isEqualTo(Long.parseUnsignedLong(vector.path("xxh64Hex").asText(), 16));
		}
	}

	@Test
	void findsTheOwnersOfTheGoldenFile() throws Exception {
		int vectors = 0;
		for (JsonNode ring : golden().path("rings")) {
			JudgeRing judgeRing = new JudgeRing(shards(ring));
			for (JsonNode vector : ring.path("vectors")) {
				String owner = judgeRing.owner(vector.path("key").asText());
				assertThat((owner != null) ? owner : "").as(ring.path("name") + " " + vector)
					.isEqualTo(vector.path("shard").asText());
				vectors++;
			}
			String digest = ring.path("bulk").path("assignmentsSha256").asText();
			if (!digest.isEmpty()) {
				assertThat(bulkDigest(judgeRing)).as(ring.path("name").asText()).isEqualTo(digest);
			}
		}
		assertThat(vectors).isGreaterThan(80);
	}

	@Test
	void givesACollidingTokenToTheLastShardInOrder() throws IOException {
		JsonNode collisions = golden().path("tokenCollisions");
		JudgeRing ring = new JudgeRing(shards(collisions));
		for (JsonNode vector : collisions.path("vectors")) {
			assertThat(ring.owner(vector.path("key").asText()))
				.isEqualTo(vector.path("shardIfAscendingInsertion").asText());
		}
	}

	@Property(tries = 50)
	void isIndependentOfTheOrderOfTheShards(
			@ForAll @Size(max = 6) List<@AlphaChars @StringLength(max = 5) String> names, @ForAll long seed) {
		List<String> shuffled = new ArrayList<>(names);
		Collections.shuffle(shuffled, new Random(seed));
		JudgeRing one = new JudgeRing(names);
		JudgeRing other = new JudgeRing(shuffled);
		for (int i = 0; i < 100; i++) {
			assertThat(one.owner("/Secret/default/s" + i)).isEqualTo(other.owner("/Secret/default/s" + i));
		}
	}

	private static List<String> shards(JsonNode ring) {
		List<String> shards = new ArrayList<>();
		ring.path("shards").forEach((shard) -> shards.add(shard.asText()));
		return shards;
	}

	private static String bulkDigest(JudgeRing ring) throws Exception {
		MessageDigest digest = MessageDigest.getInstance("SHA-256");
		for (int i = 0; i < 10_000; i++) {
			String owner = Objects.requireNonNullElse(ring.owner("apps/Deployment/ns-" + i % 97 + "/obj-" + i), "");
			digest.update((owner + "\n").getBytes(StandardCharsets.UTF_8));
		}
		return HexFormat.of().formatHex(digest.digest());
	}

	private static JsonNode golden() throws IOException {
		try (InputStream file = JudgeRingTests.class.getResourceAsStream("/ring-golden.json")) {
			return new ObjectMapper().readTree(file);
		}
	}

}

package dev.sharding.internal.kubernetes.qos;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ItemCounterTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\u0001', textBlock = """
			{}                                                                            | 0
			{"items":[]}                                                                  | 0
			{"kind":"List","metadata":{"a":{"b":[{}]}},"items":[{"x":{}},{"y":[{},{}]}]}  | 2
			{"items":[{"data":"}]{[\\"{"},{}],"metadata":{"c":{}}}                        | 2
			{"metadata":{}, "items" : [ {} , {} , {} ] }                                  | 3
			""")
	void countsObjects(String json, int expected) {
		ItemCounter whole = new ItemCounter();
		whole.read(StandardCharsets.UTF_8.encode(json));
		assertThat(whole.items()).isEqualTo(expected);
		ItemCounter pieces = new ItemCounter();
		for (byte piece : json.getBytes(StandardCharsets.UTF_8)) {
			pieces.read(ByteBuffer.wrap(new byte[] { piece }));
		}
		assertThat(pieces.items()).isEqualTo(expected);
	}

	@Property(tries = 2_000, shrinking = ShrinkingMode.OFF)
	void countsWhatJacksonFinds(@ForAll long seed) throws IOException {
		Random random = new Random(seed);
		byte[] json = object(random, 0).getBytes(StandardCharsets.UTF_8);
		int expected = 0;
		for (JsonNode member : new ObjectMapper().readTree(json)) {
			for (JsonNode item : member) {
				expected += (member.isArray() && item.isObject()) ? 1 : 0;
			}
		}
		assertThat(inPieces(json, random)).isEqualTo(expected);
		json[random.nextInt(json.length)] = (byte) random.nextInt();
		// What is no JSON is counted somehow, and by the same number in any pieces.
		ItemCounter whole = new ItemCounter();
		whole.read(ByteBuffer.wrap(json));
		assertThat(inPieces(json, random)).isEqualTo(whole.items());
	}

	private static int inPieces(byte[] json, Random random) {
		ItemCounter counter = new ItemCounter();
		for (int from = 0; from < json.length;) {
			int length = Math.min(json.length - from, random.nextInt(20));
			counter.read(ByteBuffer.wrap(json, from, length));
			from += length;
		}
		return counter.items();
	}

	private static String object(Random random, int depth) {
		StringBuilder members = new StringBuilder("{");
		for (int i = random.nextInt(5); i > 0; i--) {
			members.append("\"\\\"{")
				.append(i)
				.append("\" : ")
				.append(value(random, depth + 1))
				.append((i > 1) ? "," : "");
		}
		return members.append('}').toString();
	}

	private static String value(Random random, int depth) {
		return switch (random.nextInt((depth < 4) ? 6 : 3)) {
			case 0 -> "null";
			case 1 -> "\"[{\\\\\"";
			case 2 -> "\"\\\"}\\u007b]\"";
			case 3 -> object(random, depth);
			default -> {
				StringBuilder items = new StringBuilder("[ ");
				for (int i = random.nextInt(4); i > 0; i--) {
					items.append(value(random, depth + 1)).append((i > 1) ? " ," : "");
				}
				yield items.append(']').toString();
			}
		};
	}

}

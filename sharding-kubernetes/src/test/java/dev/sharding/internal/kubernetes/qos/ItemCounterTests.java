package dev.sharding.internal.kubernetes.qos;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

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

}

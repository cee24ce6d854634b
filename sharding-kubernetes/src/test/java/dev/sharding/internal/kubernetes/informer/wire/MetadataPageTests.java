package dev.sharding.internal.kubernetes.informer.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.sharding.resource.ObjectKey;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class MetadataPageTests {

	private final Map<ObjectKey, String> found = new HashMap<>();

	@Property
	void readsProtobufInWhateverPiecesItComes(@ForAll @IntRange(min = 0, max = 40) int objects, @ForAll Random random) {
		List<byte[]> fields = new ArrayList<>();
		Map<ObjectKey, String> expected = new HashMap<>();
		fields.add(field(1, message(field(2, "700"), field(3, "next"))));
		for (int i = 0; i < objects; i++) {
			String name = "a" + "b".repeat(random.nextInt(200)) + i;
			fields.add(field(2, message(field(1, metadata(name, "ns", String.valueOf(i + 1))))));
			expected.put(new ObjectKey("ns", name), String.valueOf(i + 1));
		}
		byte[] body = message("k8s\0".getBytes(StandardCharsets.UTF_8), field(1, "v1"),
				field(2, message(fields.toArray(byte[][]::new))), field(4, "application/protobuf"));
		Map<ObjectKey, String> read = new HashMap<>();
		MetadataReader reader = new MetadataReader(read);
		int most = 1 + random.nextInt(300);
		for (int from = 0; from < body.length;) {
			int to = Math.min(body.length, from + 1 + random.nextInt(most));
			reader.receive(Arrays.copyOfRange(body, from, to));
			from = to;
		}
		assertThat(reader.end()).isEqualTo(new MetadataPage("700", "next"));
		assertThat(read).isEqualTo(expected);
		int cut = 4 + random.nextInt(body.length - 4 - field(4, "application/protobuf").length);
		MetadataReader stopped = new MetadataReader(new HashMap<>());
		stopped.receive(Arrays.copyOf(body, cut));
		assertThatIllegalArgumentException().isThrownBy(stopped::end);
	}

	@Test
	void readsProtobuf() {
		byte[] list = message(field(1, message(field(2, "700"), field(3, "next"))),
				field(2, message(field(1, metadata("a", "ns", "7")))),
				field(2, message(field(1, metadata("b".repeat(300), "", "12")))));
		byte[] body = message("k8s\0".getBytes(StandardCharsets.UTF_8), field(1, "v1"), field(2, list));
		assertThat(MetadataPage.read(body, this.found)).isEqualTo(new MetadataPage("700", "next"));
		assertThat(this.found).containsOnly(Map.entry(new ObjectKey("ns", "a"), "7"),
				Map.entry(new ObjectKey("", "b".repeat(300)), "12"));
	}

	@Test
	void readsJson() {
		String body = """
				{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"700"},
				"items":[{"metadata":{"name":"a","namespace":"ns","resourceVersion":"7"}}]}""";
		assertThat(MetadataPage.read(body.getBytes(StandardCharsets.UTF_8), this.found))
			.isEqualTo(new MetadataPage("700", ""));
		assertThat(this.found).containsOnly(Map.entry(new ObjectKey("ns", "a"), "7"));
	}

	@Test
	void refusesWhatIsCutOff() {
		byte[] body = message("k8s\0".getBytes(StandardCharsets.UTF_8), new byte[] { 0x12, 0x7f, 1 });
		assertThatIllegalArgumentException().isThrownBy(() -> MetadataPage.read(body, this.found))
			.withMessageContaining("Malformed protobuf");
	}

	private static byte[] metadata(String name, String namespace, String version) {
		return message(field(1, name), field(3, namespace), field(6, version), new byte[] { 0x38, (byte) 0x96, 1 });
	}

	private static byte[] field(int number, String text) {
		return field(number, text.getBytes(StandardCharsets.UTF_8));
	}

	private static byte[] field(int number, byte[] value) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		out.write((number << 3) | 2);
		int length = value.length;
		while (length > 0x7f) {
			out.write((length & 0x7f) | 0x80);
			length >>>= 7;
		}
		out.write(length);
		out.writeBytes(value);
		return out.toByteArray();
	}

	private static byte[] message(byte[]... fields) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		for (byte[] field : fields) {
			out.writeBytes(field);
		}
		return out.toByteArray();
	}

}

package dev.sharding.internal.kubernetes.informer.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.key.OwnerRef;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SummaryReaderTests {

	private static final List<String> WANTED = List.of("shard", "drain");

	private static final OwnerRef OWNER = new OwnerRef("v1", "Secret", "owner", "u-1", true);

	private static final OwnerRef OTHER = new OwnerRef("apps/v1", "Deployment", "other", "u-2", false);

	private static final MetadataSummary FULL = new MetadataSummary("ns", "a", "7",
			Instant.ofEpochSecond(1_700_000_000), Map.of("shard", "shard-a", "drain", "true"), List.of(OTHER, OWNER));

	private final List<MetadataSummary> found = new ArrayList<>();

	@Test
	void readsProtobuf() {
		byte[] metadata = message(field(1, "a"), field(3, "ns"), field(5, "u-0"), field(6, "7"), number(7, 300),
				field(8, message(number(1, 1_700_000_000), number(2, 0))),
				field(11, message(field(1, "app"), field(2, "shop"))),
				field(11, message(field(1, "shard"), field(2, "shard-a"))),
				field(11, message(field(1, "drain"), field(2, "true"))),
				field(12, message(field(1, "shard"), field(2, "an annotation"))),
				field(13,
						message(field(1, "Deployment"), field(3, "other"), field(4, "u-2"), field(5, "apps/v1"),
								number(7, 1))),
				field(13, message(field(1, "Secret"), field(3, "owner"), field(4, "u-1"), field(5, "v1"), number(6, 1),
						number(7, 1))));
		read(page(message(field(1, metadata))));
		assertThat(this.found).containsExactly(FULL);
	}

	@Test
	void readsJson() {
		read("""
				{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"700"},"items":[{"metadata":{
				"name":"a","labels":{"app":"shop","shard":"shard-a","drain":"true"},"namespace":"ns",
				"annotations":{"shard":"an annotation"},"creationTimestamp":"2023-11-14T22:13:20Z",
				"ownerReferences":[{"kind":"Deployment","name":"other","uid":"u-2","apiVersion":"apps/v1"},
				{"controller":true,"kind":"Secret","name":"owner","uid":"u-1","apiVersion":"v1"}],
				"resourceVersion":"7"}},{"metadata":{"name":"b","resourceVersion":"8","labels":null,
				"ownerReferences":[],"creationTimestamp":null}}]}""".getBytes(StandardCharsets.UTF_8));
		assertThat(this.found).containsExactly(FULL, new MetadataSummary("", "b", "8", null, Map.of(), List.of()));
	}

	@Test
	void takesWhatIsNotThereForEmpty() {
		read(page(message(field(1, message(field(1, "b"), field(6, "8"), field(11, message(field(1, "shard"))))))));
		assertThat(this.found).containsExactly(new MetadataSummary("", "b", "8", null, Map.of("shard", ""), List.of()));
	}

	private void read(byte[] body) {
		MetadataReader reader = new MetadataReader(MetadataItems.summaries(WANTED, this.found::add));
		reader.receive(body);
		assertThat(reader.end().version()).isEqualTo("700");
	}

	private static byte[] page(byte[] item) {
		return message("k8s\0".getBytes(StandardCharsets.UTF_8), field(1, "v1"),
				field(2, message(field(1, message(field(2, "700"))), field(2, item))));
	}

	private static byte[] field(int number, String text) {
		return field(number, text.getBytes(StandardCharsets.UTF_8));
	}

	private static byte[] field(int number, byte[] value) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		varint(out, (long) number << 3 | 2);
		varint(out, value.length);
		out.writeBytes(value);
		return out.toByteArray();
	}

	private static byte[] number(int field, long value) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		varint(out, (long) field << 3);
		varint(out, value);
		return out.toByteArray();
	}

	private static void varint(ByteArrayOutputStream out, long value) {
		long rest = value;
		while (rest > 0x7f) {
			out.write((int) (rest & 0x7f) | 0x80);
			rest >>>= 7;
		}
		out.write((int) rest);
	}

	private static byte[] message(byte[]... parts) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		for (byte[] part : parts) {
			out.writeBytes(part);
		}
		return out.toByteArray();
	}

}

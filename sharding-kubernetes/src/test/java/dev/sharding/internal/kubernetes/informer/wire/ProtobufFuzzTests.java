package dev.sharding.internal.kubernetes.informer.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sharding.internal.core.key.OwnerRef;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A page of metadata says the same as protobuf and as the JSON that Jackson writes of it,
 * and the same in whatever pieces it comes; a spoiled one is read or refused as a whole
 * page is, but by nothing else than an {@link IllegalArgumentException}.
 */
class ProtobufFuzzTests {

	private static final ObjectMapper JACKSON = new ObjectMapper();

	private static final List<String> LABELS = List.of("shard", "drain");

	@Property(tries = 1_000, shrinking = ShrinkingMode.OFF)
	void saysTheSameAsJson(@ForAll long seed) throws JsonProcessingException {
		Random random = new Random(seed);
		List<MetadataSummary> objects = objects(random);
		Read protobuf = read(List.of(protobuf(objects)));
		Read json = read(pieces(json(objects), random));
		assertThat(protobuf).isEqualTo(new Read(new MetadataPage("700", "a=\n"), objects));
		assertThat(json).isEqualTo(protobuf);
	}

	@Property(tries = 3_000, shrinking = ShrinkingMode.OFF)
	void readsOrRefusesInPiecesAsInOne(@ForAll long seed) {
		Random random = new Random(seed);
		byte[] body = Mutations.mutate(protobuf(objects(random)), random);
		if (random.nextInt(3) == 0 && body.length > 0) {
			body[random.nextInt(body.length)] = (byte) random.nextInt();
		}
		assertThat(read(pieces(body, random))).isEqualTo(read(List.of(body)));
	}

	/** What was read; nothing if the page was refused. */
	private static Read read(List<byte[]> pieces) {
		List<MetadataSummary> found = new ArrayList<>();
		MetadataReader reader = new MetadataReader(MetadataItems.summaries(LABELS, found::add));
		try {
			for (byte[] piece : pieces) {
				reader.receive(piece);
			}
			return new Read(reader.end(), found);
		}
		catch (IllegalArgumentException refused) {
			return new Read(new MetadataPage("", ""), List.of());
		}
	}

	private static List<byte[]> pieces(byte[] body, Random random) {
		List<byte[]> pieces = new ArrayList<>();
		int most = 1 + random.nextInt(100);
		for (int from = 0; from < body.length;) {
			int to = Math.min(body.length, from + random.nextInt(most + 1));
			pieces.add(Arrays.copyOfRange(body, from, to));
			from = to;
		}
		return pieces;
	}

	private static List<MetadataSummary> objects(Random random) {
		List<MetadataSummary> objects = new ArrayList<>();
		for (int i = random.nextInt(5); i > 0; i--) {
			List<OwnerRef> owners = new ArrayList<>();
			for (int j = random.nextInt(3); j > 0; j--) {
				owners.add(new OwnerRef("a/v1", "Web<", text(random), "u-" + j, random.nextBoolean()));
			}
			Map<String, String> labels = switch (random.nextInt(3)) {
				case 0 -> Map.of();
				case 1 -> Map.of("shard", text(random));
				default -> Map.of("shard", text(random), "drain", "");
			};
			objects.add(new MetadataSummary(text(random), text(random), String.valueOf(random.nextLong()),
					Instant.ofEpochSecond(random.nextInt(Integer.MAX_VALUE)), labels, owners));
		}
		return objects;
	}

	private static String text(Random random) {
		return "äß🚀\"\\}]\nab".substring(random.nextInt(4) / 2).repeat(random.nextInt(20));
	}

	private static byte[] json(List<MetadataSummary> objects) throws JsonProcessingException {
		List<Map<String, Object>> items = objects.stream()
			.map((object) -> Map.<String, Object>of("metadata",
					Map.of("name", object.name(), "namespace", object.namespace(), "resourceVersion",
							object.resourceVersion(), "creationTimestamp", String.valueOf(object.created()), "labels",
							object.labels(), "ownerReferences", object.owners())))
			.toList();
		return JACKSON.writeValueAsBytes(
				Map.of("metadata", Map.of("resourceVersion", "700", "continue", "a=\n"), "items", items));
	}

	private static byte[] protobuf(List<MetadataSummary> objects) {
		List<byte[]> list = new ArrayList<>();
		list.add(field(1, field(2, "700"), field(3, "a=\n")));
		for (MetadataSummary object : objects) {
			List<byte[]> metadata = new ArrayList<>(
					List.of(field(1, object.name()), field(3, object.namespace()), field(6, object.resourceVersion()),
							number(7, 3), field(8, number(1, object.created().getEpochSecond()))));
			object.labels().forEach((name, value) -> metadata.add(field(11, field(1, name), field(2, value))));
			for (OwnerRef owner : object.owners()) {
				metadata.add(field(13, field(1, owner.kind()), field(3, owner.name()), field(4, owner.uid()),
						field(5, owner.apiVersion()), number(6, owner.controller() ? 1 : 0)));
			}
			list.add(field(2, field(1, metadata.toArray(byte[][]::new))));
		}
		return message("k8s\0".getBytes(StandardCharsets.UTF_8), field(1, field(1, "v1")),
				field(2, list.toArray(byte[][]::new)), field(4, "protobuf"));
	}

	private static byte[] field(int number, String text) {
		return field(number, text.getBytes(StandardCharsets.UTF_8));
	}

	private static byte[] field(int number, byte[]... parts) {
		byte[] value = message(parts);
		return message(varint((number << 3) | 2), varint(value.length), value);
	}

	private static byte[] number(int number, long value) {
		return message(varint(number << 3), varint(value));
	}

	private static byte[] varint(long value) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		long rest = value;
		while (rest > 0x7f) {
			out.write((int) (rest & 0x7f) | 0x80);
			rest >>>= 7;
		}
		out.write((int) rest);
		return out.toByteArray();
	}

	private static byte[] message(byte[]... parts) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		for (byte[] part : parts) {
			out.writeBytes(part);
		}
		return out.toByteArray();
	}

	private record Read(MetadataPage page, List<MetadataSummary> found) {
	}

}

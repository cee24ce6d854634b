package dev.sharding.internal.kubernetes.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LineBufferTests {

	private final LineBuffer buffer = new LineBuffer();

	@Test
	void givesNothingBeforeTheLineEnds() {
		append("{\"a\":");
		assertThat(this.buffer.poll()).isNull();
		append("1}\n");
		assertThat(poll()).isEqualTo("{\"a\":1}");
		assertThat(this.buffer.poll()).isNull();
	}

	@Test
	void skipsEmptyLines() {
		append("\n\na\n\nb\n");
		assertThat(poll()).isEqualTo("a");
		assertThat(poll()).isEqualTo("b");
		assertThat(this.buffer.poll()).isNull();
	}

	@Test
	void joinsCharactersThatChunksSplit() {
		byte[] bytes = "größe→🚀\n".getBytes(StandardCharsets.UTF_8);
		for (byte b : bytes) {
			this.buffer.append(new byte[] { b });
		}
		assertThat(poll()).isEqualTo("größe→🚀");
	}

	@Property
	void cutsTheSameLinesHoweverTheyAreChunked(
			@ForAll @Size(max = 40) List<@IntRange(min = 1, max = 30_000) Integer> lengths,
			@ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 20_000) Integer> chunks) {
		LineBuffer fresh = new LineBuffer();
		StringBuilder text = new StringBuilder();
		List<String> expected = new ArrayList<>();
		for (int i = 0; i < lengths.size(); i++) {
			String line = String.valueOf((char) ('a' + i % 26)).repeat(lengths.get(i));
			expected.add(line);
			text.append(line).append('\n');
		}
		byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
		List<String> actual = new ArrayList<>();
		for (int at = 0, i = 0; at < bytes.length; i++) {
			int to = Math.min(bytes.length, at + chunks.get(i % chunks.size()));
			fresh.append(Arrays.copyOfRange(bytes, at, to));
			at = to;
			for (byte[] line = fresh.poll(); line != null; line = fresh.poll()) {
				actual.add(new String(line, StandardCharsets.UTF_8));
			}
		}
		assertThat(actual).isEqualTo(expected);
	}

	private void append(String text) {
		this.buffer.append(text.getBytes(StandardCharsets.UTF_8));
	}

	private String poll() {
		return new String(this.buffer.poll(), StandardCharsets.UTF_8);
	}

}

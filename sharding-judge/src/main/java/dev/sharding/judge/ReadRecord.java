package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A consistent read of all main objects that a shard has, as its process wrote it down, a
 * line of JSON for each. Its clock is that of the API server.
 *
 * @param ring the ring of the shard
 * @param shard the shard
 * @param begin when it was asked for
 * @param end when its answer was there
 * @param versions the version of each object that it showed, by namespace and name
 */
record ReadRecord(String ring, String shard, Instant begin, Instant end, Map<String, String> versions) {

	private static final ObjectMapper JSON = new ObjectMapper();

	ReadRecord {
		versions = Map.copyOf(versions);
	}

	/** All that are in the files {@code reads*.jsonl} of a folder. */
	static List<ReadRecord> in(Path folder) throws IOException {
		List<ReadRecord> reads = new ArrayList<>();
		try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "reads*.jsonl")) {
			for (Path file : files) {
				for (String line : Files.readAllLines(file)) {
					read(line, reads);
				}
			}
		}
		return reads;
	}

	/** A process that was killed may have left half a line. */
	private static void read(String line, List<ReadRecord> reads) {
		try {
			JsonNode json = JSON.readTree(line);
			Map<String, String> versions = new HashMap<>();
			json.path("versions")
				.properties()
				.forEach((entry) -> versions.put(entry.getKey(), entry.getValue().asText()));
			reads.add(new ReadRecord(json.path("ring").asText(), json.path("shard").asText(),
					Instant.parse(json.path("begin").asText()), Instant.parse(json.path("end").asText()), versions));
		}
		catch (JsonProcessingException ex) {
			// It tells nothing.
		}
	}

	@Override
	public String toString() {
		return "The consistent read of %s from %s to %s".formatted(this.shard, this.begin, this.end);
	}

}

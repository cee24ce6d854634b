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
 * A consistent read of all main objects that a shard has, as its process wrote it down: a
 * line of JSON when it begins, and one when it is over. Its clock is that of the API
 * server.
 *
 * @param ring the ring of the shard
 * @param shard the shard
 * @param user whom the API server takes its process for, empty if it does not say
 * @param begin when it was asked for
 * @param end when its answer was there, or was not to come; of one that was not over, by
 * when it was not
 * @param versions the version of each object that it showed, by namespace and name
 * @param failure why it showed nothing, empty for one that was answered
 */
record ReadRecord(String ring, String shard, String user, Instant begin, Instant end, Map<String, String> versions,
		String failure) {

	/** The failure of one that was not over. */
	static final String OPEN = "it was not over";

	private static final ObjectMapper JSON = new ObjectMapper();

	ReadRecord {
		versions = Map.copyOf(versions);
	}

	/**
	 * All that are in the files {@code reads*.jsonl} of a folder.
	 * @param now the time, until which those that are not over have lasted
	 */
	static List<ReadRecord> in(Path folder, Instant now) throws IOException {
		List<ReadRecord> reads = new ArrayList<>();
		try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "reads*.jsonl")) {
			for (Path file : files) {
				add(Files.readAllLines(file), now, reads);
			}
		}
		return reads;
	}

	/** A process makes one read at a time, so that the last one alone can be open. */
	private static void add(List<String> lines, Instant now, List<ReadRecord> reads) {
		JsonNode open = JSON.missingNode();
		for (String line : lines) {
			JsonNode read = json(line);
			open = read.has("end") ? JSON.missingNode() : read.has("begin") ? read : open;
			if (read.has("versions") || read.has("failure")) {
				reads.add(of(read, Instant.parse(read.path("end").asText()), read.path("failure").asText("")));
			}
		}
		if (open.has("begin")) {
			reads.add(of(open, now, OPEN));
		}
	}

	/** A process that was killed may have left half a line, which tells nothing. */
	private static JsonNode json(String line) {
		try {
			return JSON.readTree(line);
		}
		catch (JsonProcessingException ex) {
			return JSON.missingNode();
		}
	}

	private static ReadRecord of(JsonNode read, Instant end, String failure) {
		Map<String, String> versions = new HashMap<>();
		read.path("versions").properties().forEach((entry) -> versions.put(entry.getKey(), entry.getValue().asText()));
		return new ReadRecord(read.path("ring").asText(), read.path("shard").asText(), read.path("user").asText(""),
				Instant.parse(read.path("begin").asText()), end, versions, failure);
	}

	/** Whether it was answered. */
	boolean answered() {
		return this.failure.isEmpty();
	}

	@Override
	public String toString() {
		return "The consistent read of %s from %s to %s".formatted(this.shard, this.begin, this.end);
	}

}

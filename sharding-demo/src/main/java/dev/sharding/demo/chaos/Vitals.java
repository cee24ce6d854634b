package dev.sharding.demo.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Memory, threads and descriptors of the processes at each quiet point, a line of JSON
 * for each: a long run shows whether they grow. Linux only; elsewhere there are none.
 */
final class Vitals {

	private final Path file;

	Vitals(Path folder) {
		this.file = folder.resolve("vitals.jsonl");
	}

	/** Notes them for a process. */
	void note(int minute, String process, long pid) throws IOException {
		Path proc = Path.of("/proc", String.valueOf(pid));
		if (!Files.isDirectory(proc)) {
			return;
		}
		ObjectNode line = new ObjectMapper().createObjectNode().put("minute", minute).put("process", process);
		for (String status : Files.readAllLines(proc.resolve("status"))) {
			if (status.startsWith("VmRSS:")) {
				line.put("residentKiB", number(status));
			}
			else if (status.startsWith("Threads:")) {
				line.put("threads", number(status));
			}
		}
		try (Stream<Path> descriptors = Files.list(proc.resolve("fd"))) {
			line.put("descriptors", descriptors.count());
		}
		Files.writeString(this.file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
	}

	private static long number(String line) {
		return Long.parseLong(line.replaceAll("\\D", ""));
	}

}

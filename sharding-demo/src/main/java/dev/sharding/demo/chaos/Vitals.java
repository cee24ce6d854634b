package dev.sharding.demo.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sharding.demo.chaos.Growth.Sample;

/**
 * Memory, threads and descriptors of the processes at each quiet point, a line of JSON
 * for each: a long run shows whether they grow. Linux only; elsewhere there are none.
 */
final class Vitals {

	private final Path file;

	private final List<Sample> samples = new ArrayList<>();

	Vitals(Path folder) {
		this.file = folder.resolve("vitals.jsonl");
	}

	/** Notes them for a process. */
	void note(int minute, String process, long pid) throws IOException {
		Path proc = Path.of("/proc", String.valueOf(pid));
		if (!Files.isDirectory(proc)) {
			return;
		}
		long resident = 0;
		long threads = 0;
		for (String status : Files.readAllLines(proc.resolve("status"))) {
			resident = status.startsWith("VmRSS:") ? number(status) : resident;
			threads = status.startsWith("Threads:") ? number(status) : threads;
		}
		try (Stream<Path> descriptors = Files.list(proc.resolve("fd"))) {
			Sample sample = new Sample(minute, process, pid, resident, threads, descriptors.count());
			this.samples.add(sample);
			Files.writeString(this.file, new ObjectMapper().writeValueAsString(sample) + "\n",
					StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
	}

	/** All that were noted. */
	List<Sample> samples() {
		return List.copyOf(this.samples);
	}

	private static long number(String line) {
		return Long.parseLong(line.replaceAll("\\D", ""));
	}

}

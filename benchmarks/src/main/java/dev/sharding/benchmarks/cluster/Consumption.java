package dev.sharding.benchmarks.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a process of a JVM has consumed, as the operating system and the JVM tell. */
public final class Consumption {

	private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");

	private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)\\s*$");

	private Consumption() {
	}

	/** CPU time that a process has taken. */
	public static Duration cpu(long pid) {
		return ProcessHandle.of(pid)
			.flatMap((process) -> process.info().totalCpuDuration())
			.orElseThrow(() -> new IllegalStateException("Process " + pid + " has ended"));
	}

	/** Bytes of memory that a process holds. */
	public static long residentBytes(long pid) throws IOException {
		Matcher matcher = RSS.matcher(Files.readString(Path.of("/proc", Long.toString(pid), "status")));
		return matcher.find() ? Long.parseLong(matcher.group(1)) * 1024 : 0;
	}

	/** Bytes of the objects that are alive, after a full collection. */
	public static long liveHeapBytes(long pid) throws IOException {
		Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
				Long.toString(pid), "GC.class_histogram")
			.redirectErrorStream(true)
			.start();
		String histogram = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		Matcher matcher = TOTAL.matcher(histogram);
		if (!matcher.find()) {
			throw new IllegalStateException("Failed to read the heap of process " + pid + ": " + histogram);
		}
		return Long.parseLong(matcher.group(1));
	}

}

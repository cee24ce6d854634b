package dev.sharding.benchmarks.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.sharding.benchmarks.cluster.Consumption;

/**
 * CPU seconds of a JVM, and those of its threads that run no Java, which no sample shows.
 *
 * @param all of the process
 * @param compilers of its compilers
 * @param collector of garbage collections, and of the thread of the JVM's own operations
 * @param recorder of what records the profile
 */
record CpuByThread(double all, double compilers, double collector, double recorder) {

	private static final double TICKS_A_SECOND = 100;

	static CpuByThread of(long pid) throws IOException {
		List<Path> threads;
		try (Stream<Path> found = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
			threads = found.toList();
		}
		double compilers = 0;
		double collector = 0;
		double recorder = 0;
		for (Path thread : threads) {
			try {
				String stat = Files.readString(thread.resolve("stat"));
				String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
				String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
				double seconds = (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_A_SECOND;
				compilers += (name.startsWith("C1 ") || name.startsWith("C2 ")) ? seconds : 0;
				collector += (name.startsWith("VM ") || name.startsWith("GC ")) ? seconds : 0;
				recorder += name.startsWith("JFR ") ? seconds : 0;
			}
			catch (NoSuchFileException ex) {
				// It has ended.
			}
		}
		return new CpuByThread(Consumption.cpu(pid).toMillis() / 1000.0, compilers, collector, recorder);
	}

	CpuByThread since(CpuByThread before) {
		return new CpuByThread(this.all - before.all, this.compilers - before.compilers,
				this.collector - before.collector, this.recorder - before.recorder);
	}

	/** What Java code took, with what it had the JVM and the kernel do. */
	double java() {
		return this.all - this.compilers - this.collector - this.recorder;
	}

}

package dev.sharding.benchmarks.scale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What is asked for.
 *
 * @param objects how many there are
 * @param heapMebibytes what the heap of the sharder may grow to
 * @param window for how long CPU time is measured that is the same at all times
 * @param parts the names of the parts to run; all if empty
 */
record Options(int objects, long heapMebibytes, Duration window, List<String> parts) {

	/** The number that figures of the least size have, to compare with. */
	static final int FEW = 1_000;

	private static final int LARGE = 512;

	static Options of(String[] args) {
		boolean quick = List.of(args).contains("--quick");
		int objects = quick ? 20_000 : List.of(args).contains("--full") ? 300_000 : 100_000;
		long heap = LARGE;
		List<String> parts = new ArrayList<>();
		for (int i = 0; i + 1 < args.length; i++) {
			switch (args[i]) {
				case "--objects" -> objects = Integer.parseInt(args[i + 1]);
				case "--heap" -> heap = Long.parseLong(args[i + 1]);
				case "--part" -> parts.add(args[i + 1]);
				default -> {
					// The value of one of those, or a size.
				}
			}
		}
		return new Options(objects, heap, Duration.ofSeconds(quick ? 20 : 60), parts);
	}

}

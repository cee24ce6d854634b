package dev.sharding.benchmarks.consistentread;

import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param small objects of 1 KB
 * @param large objects of 1 MB
 * @param rounds of reads of each kind, in a closed loop; 0 for none
 * @param smallReads in a round, of small objects; twice as many from the cache
 * @param largeReads in a round, of large objects; twice as many from the cache
 * @param fixed how lists come at a fixed rate
 * @param smallRate lists of small objects a second, at a fixed rate
 * @param nothingRate lists a second by a selector that selects none, at a fixed rate
 * @param everyWorld whether objects are listed at a fixed rate in a quiet cluster, too
 */
record Plan(int small, int large, int rounds, int smallReads, int largeReads, FixedRate fixed, int smallRate,
		int nothingRate, boolean everyWorld) {

	/** Lists of large objects a second, at a fixed rate. */
	static final int LARGE_RATE = 1;

	static Plan of(List<String> options) {
		Plan all = bySize(options);
		return options.contains("--paced") ? all.paced() : all;
	}

	/** What comes at a fixed rate alone. */
	private Plan paced() {
		return new Plan(this.small, this.large, 0, this.smallReads, this.largeReads, this.fixed, this.smallRate,
				this.nothingRate, this.everyWorld);
	}

	private static Plan bySize(List<String> options) {
		if (options.contains("--quick")) {
			return new Plan(5_000, 60, 2, 8, 3, new FixedRate(1, Duration.ofSeconds(5), 4), 10, 10, false);
		}
		if (options.contains("--full")) {
			return new Plan(300_000, 300, 3, 10, 5, new FixedRate(2, Duration.ofSeconds(20), 2), 1, 1, true);
		}
		return new Plan(30_000, 60, 3, 10, 5, new FixedRate(2, Duration.ofSeconds(6), 4), 1, 10, true);
	}

}

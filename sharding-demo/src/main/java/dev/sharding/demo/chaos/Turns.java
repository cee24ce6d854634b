package dev.sharding.demo.chaos;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * Keeps apart what the schedule keeps apart, on a machine that is slower than it thinks:
 * a fault waits until those before it are over. Each thread gives back what it took.
 */
final class Turns {

	/** One for each ring, and after the rings one for the sharders. */
	private final List<ReentrantLock> lanes;

	Turns(int rings) {
		this.lanes = IntStream.rangeClosed(0, rings).mapToObj((lane) -> new ReentrantLock(true)).toList();
	}

	void take(Planned fault) {
		of(fault).forEach(ReentrantLock::lock);
	}

	void giveBack(Planned fault) {
		of(fault).forEach(ReentrantLock::unlock);
	}

	/** In an order that is always the same, so that no two wait for each other. */
	private List<ReentrantLock> of(Planned fault) {
		Kind.Whom whom = fault.kind().whom();
		return whom.alone() ? this.lanes
				: List.of(this.lanes.get(whom.ofRing() ? fault.ring() : this.lanes.size() - 1));
	}

}

package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;

/**
 * What a verdict is about and by which bounds: those of the contract, to which comes what
 * a bare client needed in the same run, see {@link BareClient}.
 *
 * @param since what happened before is not judged; it still counts as the past of what
 * came after
 * @param assigned how long an object may be without an available owner
 * @param served how long a change, or a new owner, may go without what follows from it
 * @param patience by how many times a process may be slower than the bare client, as
 * others run beside it
 */
record Terms(Instant since, Duration assigned, Duration served, int patience) {

	/** All of the log, one second, and two. */
	static final Terms STRICT = since(Instant.MIN);

	static Terms since(Instant since) {
		return patiently(since, 1);
	}

	/** Bounds in time that are so many times as long; what is no matter of time stays. */
	static Terms patiently(Instant since, int patience) {
		return new Terms(since, Duration.ofSeconds(patience), Duration.ofSeconds(2L * patience), patience);
	}

	static Terms since(String since) {
		return since.isEmpty() ? STRICT : since(Instant.parse(since));
	}

}

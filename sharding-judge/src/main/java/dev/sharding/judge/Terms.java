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
 */
record Terms(Instant since, Duration assigned, Duration served) {

	/** All of the log, one second, and two. */
	static final Terms STRICT = since(Instant.MIN);

	static Terms since(Instant since) {
		return new Terms(since, Duration.ofSeconds(1), Duration.ofSeconds(2));
	}

	static Terms since(String since) {
		return since.isEmpty() ? STRICT : since(Instant.parse(since));
	}

}

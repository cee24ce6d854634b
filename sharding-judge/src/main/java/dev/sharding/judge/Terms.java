package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;

/**
 * What a verdict is about.
 *
 * @param since what happened before is not judged; it still counts as the past of what
 * came after
 * @param grace how long an object may be without an available owner, before the time for
 * each object that changes its owner is added
 */
record Terms(Instant since, Duration grace) {

	/** All of the log, and one second. */
	static final Terms STRICT = new Terms(Instant.MIN, Duration.ofSeconds(1));

	static Terms of(String since, String graceMillis) {
		return new Terms(since.isEmpty() ? STRICT.since : Instant.parse(since),
				graceMillis.isEmpty() ? STRICT.grace : Duration.ofMillis(Long.parseLong(graceMillis)));
	}

}

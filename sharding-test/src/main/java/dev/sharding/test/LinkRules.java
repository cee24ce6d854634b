package dev.sharding.test;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import dev.sharding.test.TcpProxy.Flow;

/**
 * How a link treats its connections.
 */
record LinkRules(Duration delay, long bytesPerSecond, Flow requests, Flow responses, boolean accepts) {

	static final LinkRules GOOD = new LinkRules(Duration.ZERO, Long.MAX_VALUE, Flow.PASSED, Flow.PASSED, true);

	/** How long a chunk of bytes takes, in nanoseconds. */
	long transferNanos(int bytes) {
		return this.delay.toNanos() + (long) ((double) bytes / this.bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
	}

	LinkRules withDelay(Duration delay) {
		return new LinkRules(delay, this.bytesPerSecond, this.requests, this.responses, this.accepts);
	}

	LinkRules withBytesPerSecond(long bytesPerSecond) {
		return new LinkRules(this.delay, bytesPerSecond, this.requests, this.responses, this.accepts);
	}

	LinkRules withRequests(Flow requests) {
		return new LinkRules(this.delay, this.bytesPerSecond, requests, this.responses, this.accepts);
	}

	LinkRules withResponses(Flow responses) {
		return new LinkRules(this.delay, this.bytesPerSecond, this.requests, responses, this.accepts);
	}

	LinkRules withAccepts(boolean accepts) {
		return new LinkRules(this.delay, this.bytesPerSecond, this.requests, this.responses, accepts);
	}

}

package dev.sharding.internal.sharder.app.management;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;

import org.awaitility.Awaitility;

/**
 * Asks a server again that does not know who may: it waits for the API server for three
 * seconds, and says 503 then.
 */
final class AskAgain {

	private static final int NOT_KNOWN = 503;

	private AskAgain() {
	}

	/** Returns the first other answer; all others are final. */
	static <T> HttpResponse<T> untilKnown(Callable<HttpResponse<T>> asking) {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(200))
			.until(asking, (answer) -> answer.statusCode() != NOT_KNOWN);
	}

}

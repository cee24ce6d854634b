package dev.sharding.benchmarks.consistentread;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.test.ControlPlane;

/** Writes a Secret 20 times a second, as something always does in a cluster. */
final class UnrelatedWrites implements AutoCloseable {

	private static final long EVERY_MILLIS = 50;

	private static final String PATH = "/api/v1/namespaces/default/secrets";

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final AtomicLong writes = new AtomicLong();

	private volatile boolean quiet = true;

	UnrelatedWrites(ControlPlane controlPlane) {
		ApiRequests requests = new ApiRequests(controlPlane.client());
		requests.call(ApiRequest.of("POST", PATH, MediaTypes.JSON,
				"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"unrelated\"}}"));
		this.timer.scheduleAtFixedRate(() -> {
			if (!this.quiet) {
				requests.send(ApiRequest.of("PATCH", PATH + "/unrelated", MediaTypes.MERGE_PATCH,
						"{\"stringData\":{\"n\":\"%d\"}}".formatted(this.writes.incrementAndGet())));
			}
		}, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
	}

	void quiet(boolean wanted) {
		this.quiet = wanted;
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}

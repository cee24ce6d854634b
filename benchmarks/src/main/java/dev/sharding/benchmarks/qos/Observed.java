package dev.sharding.benchmarks.qos;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sharding.client.RequestThrottle;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import org.jspecify.annotations.Nullable;

/**
 * Limits of a client, and when they let which request go and when it ended.
 */
final class Observed implements RequestThrottle {

	private final Qos qos;

	private final List<Change> changes = new ArrayList<>();

	Observed(Qos qos) {
		this.qos = qos;
	}

	/**
	 * A request that goes, or one that ends.
	 *
	 * @param time the monotonic clock
	 * @param objects the size of the page that it asks for, 1 if it asks for none
	 * @param flights 1 when it goes, -1 when it ends
	 */
	record Change(long time, int objects, int flights) {
	}

	synchronized List<Change> changes() {
		return List.copyOf(this.changes);
	}

	private synchronized void note(int objects, int flights) {
		this.changes.add(new Change(System.nanoTime(), objects, flights));
	}

	@Override
	public Passage enter(ApiRequest request) {
		Passage passage = Objects.requireNonNull(this.qos.enter(request));
		int objects = Integer.parseInt(request.query().getOrDefault("limit", "1"));
		AtomicBoolean flies = new AtomicBoolean();
		CompletableFuture<Void> admitted = passage.admitted().thenRun(() -> {
			note(objects, 1);
			flies.set(true);
		});
		return new Passage() {

			@Override
			public CompletableFuture<Void> admitted() {
				return admitted;
			}

			@Override
			public void received(ByteBuffer chunk) {
				passage.received(chunk);
			}

			@Override
			public void ended(@Nullable Throwable failure) {
				// Before the next one takes its place.
				if (flies.getAndSet(false)) {
					note(objects, -1);
				}
				passage.ended(failure);
			}

		};
	}

}

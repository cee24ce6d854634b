package dev.sharding.test;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The only seat of a priority level, held by a request whose body never comes. The API
 * server gives up on it after a minute; then the next one takes the seat.
 */
final class HeldSeat implements AutoCloseable {

	private static final Executor SOON = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);

	private static final int BYTES = 1_000;

	private final HttpClient client;

	private final HttpRequest request;

	private @Nullable CompletableFuture<HttpResponse<Void>> held;

	private boolean closed;

	/**
	 * Takes the seat.
	 * @param holder who may create ConfigMaps, and whose requests are of the priority
	 * level
	 */
	HeldSeat(Access holder) {
		this.client = holder.jdkClient();
		this.request = HttpRequest
			.newBuilder(URI.create(holder.config().getMasterUrl()).resolve("/api/v1/namespaces/default/configmaps"))
			.header("Authorization", "Bearer " + holder.config().getOauthToken())
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.fromPublisher(HeldSeat::neverPublish, BYTES))
			.build();
		hold();
	}

	private static void neverPublish(Flow.Subscriber<?> subscriber) {
		subscriber.onSubscribe(new Flow.Subscription() {

			@Override
			public void request(long count) {
				// Nothing comes.
			}

			@Override
			public void cancel() {
				// Nothing is held here.
			}

		});
	}

	private synchronized void hold() {
		if (!this.closed) {
			CompletableFuture<HttpResponse<Void>> sent = this.client.sendAsync(this.request, BodyHandlers.discarding());
			this.held = sent;
			sent.whenComplete((response, failure) -> {
				if (failure == null) {
					hold();
				}
				else {
					SOON.execute(this::hold);
				}
			});
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		if (this.held != null) {
			this.held.cancel(true);
		}
	}

}

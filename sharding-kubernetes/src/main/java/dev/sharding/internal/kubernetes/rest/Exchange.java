package dev.sharding.internal.kubernetes.rest;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;

/**
 * One request on its way: receives headers and chunks from the transport and completes
 * the caller's future exactly once, whichever of answer, failure, time-out and cancel
 * comes first.
 *
 * @param <R> what the caller gets
 */
final class Exchange<R> implements AsyncBody.Consumer<List<ByteBuffer>> {

	private final ApiRequest request;

	private final KubernetesSerialization serialization;

	private final @Nullable CompletableFuture<ApiResponse> collected;

	private final @Nullable CompletableFuture<ApiStream> streamed;

	private final CompletableFuture<R> result;

	/** Gets the body of a successful answer, which is not collected then. */
	private final @Nullable Consumer<byte[]> receiver;

	private volatile @Nullable Consumer<byte[]> witness;

	private volatile boolean successful;

	// Written and read by the thread that the transport reads this body on.
	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	private volatile @Nullable ApiStream stream;

	/**
	 * What is sent; {@code null} as long as nothing is, or if that cannot be followed.
	 */
	private @Nullable GuardedBody outgoing;

	private boolean launched;

	private boolean abandoned;

	private @Nullable AsyncBody body;

	private boolean aborted;

	private Exchange(ApiRequest request, KubernetesSerialization serialization, CompletableFuture<R> result,
			@Nullable CompletableFuture<ApiResponse> collected, @Nullable CompletableFuture<ApiStream> streamed,
			@Nullable Consumer<byte[]> receiver) {
		this.receiver = receiver;
		this.request = request;
		this.serialization = serialization;
		this.result = result;
		this.collected = collected;
		this.streamed = streamed;
	}

	static Exchange<ApiResponse> collecting(ApiRequest request, KubernetesSerialization serialization) {
		CompletableFuture<ApiResponse> result = new CompletableFuture<>();
		return new Exchange<>(request, serialization, result, result, null, null);
	}

	static Exchange<ApiResponse> receiving(ApiRequest request, KubernetesSerialization serialization,
			Consumer<byte[]> receiver) {
		CompletableFuture<ApiResponse> result = new CompletableFuture<>();
		return new Exchange<>(request, serialization, result, result, null, receiver);
	}

	static Exchange<ApiStream> streaming(ApiRequest request, KubernetesSerialization serialization) {
		CompletableFuture<ApiStream> result = new CompletableFuture<>();
		return new Exchange<>(request, serialization, result, null, result, null);
	}

	ApiRequest request() {
		return this.request;
	}

	CompletableFuture<R> result() {
		return this.result;
	}

	/**
	 * The transport is about to get the request.
	 * @return {@code false} if it must not
	 */
	synchronized boolean launching(@Nullable GuardedBody content) {
		this.outgoing = content;
		this.launched = !this.abandoned;
		return this.launched;
	}

	/**
	 * Sends nothing any more, if nothing was sent yet.
	 * @return whether it is certain that nothing has gone out, nor will
	 */
	synchronized boolean abandon() {
		if (!this.launched) {
			this.abandoned = true;
			return true;
		}
		GuardedBody content = this.outgoing;
		return content != null && content.abandon();
	}

	void begin(CompletableFuture<HttpResponse<AsyncBody>> sending) {
		CompletableFuture<Boolean> timer = new CompletableFuture<Boolean>().completeOnTimeout(true,
				this.request.timeout().toNanos(), TimeUnit.NANOSECONDS);
		timer.thenAccept((expired) -> {
			if (expired) {
				// Here is the thread of all timers, and others react to the failure.
				SendThreads.expire(() -> fail("no answer within %d ms".formatted(this.request.timeout().toMillis()),
						new TimeoutException()));
			}
		});
		this.result.whenComplete((value, failure) -> {
			// Cancelling would make two exceptions for each request, and before Java 19
			// leave the timer in its queue until it is due.
			timer.complete(false);
			if (failure != null) {
				// Whoever has given up does not want it to be sent later either.
				abandon();
				sending.cancel(true);
				abort();
			}
		});
		sending.whenComplete((response, failure) -> {
			if (failure != null) {
				Throwable cause = ApiException.unwrap(failure);
				fail(ApiException.describe(cause), cause);
			}
			else if (attach(response.body())) {
				received(response);
			}
		});
	}

	@Override
	public void consume(List<ByteBuffer> chunks, AsyncBody from) {
		ApiStream open = this.stream;
		for (ByteBuffer chunk : chunks) {
			byte[] copy = new byte[chunk.remaining()];
			chunk.get(copy);
			if (open != null) {
				open.receive(copy);
			}
			else if (this.receiver != null && this.successful) {
				receive(copy, this.receiver);
			}
			else {
				this.bytes.writeBytes(copy);
			}
		}
		if (open == null) {
			from.consume();
		}
	}

	/** Has somebody told whether it is known what came of the request. */
	void tellEnd(Consumer<Boolean> listener) {
		this.result
			.whenComplete((value, failure) -> listener.accept(!isRepeated() && (failure == null || isKnown(failure))));
	}

	private synchronized boolean isRepeated() {
		return this.outgoing != null && this.outgoing.isRepeated();
	}

	private boolean isKnown(Throwable failure) {
		if (ApiException.unwrap(failure) instanceof ApiException refusal) {
			// Whoever is asked to wait no longer, or passes requests on, may answer while
			// the API server is still at it.
			return refusal.isWithoutEffect();
		}
		return ApiException.unwrap(failure) instanceof NotSentException || abandon();
	}

	/** Has somebody see what the receiver gets. */
	void alsoTell(Consumer<byte[]> listener) {
		this.witness = listener;
	}

	private void receive(byte[] piece, Consumer<byte[]> to) {
		Consumer<byte[]> also = this.witness;
		if (this.result.isDone()) {
			return;
		}
		if (also != null) {
			also.accept(piece);
		}
		try {
			to.accept(piece);
		}
		catch (RuntimeException ex) {
			fail(String.valueOf(ex.getMessage()), ex);
		}
	}

	private void received(HttpResponse<AsyncBody> response) {
		AsyncBody from = response.body();
		this.successful = HttpResponse.isSuccessful(response.code());
		if (this.streamed != null && HttpResponse.isSuccessful(response.code())) {
			ApiStream opened = new ApiStream(this.request.description(), from);
			this.stream = opened;
			from.done().whenComplete((done, failure) -> opened.end(failure));
			if (!this.streamed.complete(opened)) {
				opened.close();
				return;
			}
			from.consume();
			return;
		}
		from.done().whenComplete((done, failure) -> {
			detach();
			if (failure != null) {
				Throwable cause = ApiException.unwrap(failure);
				fail((cause instanceof CancellationException) ? "cancelled" : ApiException.describe(cause), cause);
			}
			else {
				collected(response);
			}
		});
		from.consume();
	}

	private void collected(HttpResponse<AsyncBody> response) {
		if (this.collected != null && HttpResponse.isSuccessful(response.code())) {
			this.collected.complete(new ApiResponse(response.code(), response.headers(), this.bytes.toByteArray()));
		}
		else {
			this.result.completeExceptionally(
					Refusal.of(this.request, response, this.bytes, this.serialization, isRepeated()));
		}
	}

	void fail(String reason, @Nullable Throwable cause) {
		if (!this.result.isDone()) {
			String message = "Failed to %s: %s".formatted(this.request.description(), reason);
			this.result.completeExceptionally(ApiException.unanswered(message, cause, abandon()));
		}
	}

	void refuse(NotSentException refusal) {
		this.result.completeExceptionally(refusal);
	}

	/**
	 * An attempt of the transport was refused.
	 * @param first whether none had gone out before
	 */
	void refuse(NotSentException refusal, boolean first) {
		if (first) {
			refuse(refusal);
		}
		else {
			this.result.completeExceptionally(ApiException
				.unanswered("Failed to %s: it was not sent once more, and nobody knows what came of the first time (%s)"
					.formatted(this.request.description(), refusal.getMessage()), refusal, false));
		}
	}

	private synchronized boolean attach(AsyncBody attached) {
		if (this.aborted) {
			attached.cancel();
			return false;
		}
		this.body = attached;
		return true;
	}

	/** A body that has ended is left alone: its connection may serve somebody else. */
	private synchronized void detach() {
		this.body = null;
	}

	private synchronized void abort() {
		this.aborted = true;
		if (this.body != null) {
			this.body.cancel();
		}
	}

}

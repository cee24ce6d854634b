package dev.sharding.internal.kubernetes.rest;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.client.RequestThrottle;
import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpClient;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.http.StandardWebSocketBuilder;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import io.fabric8.kubernetes.client.http.WebSocketResponse;
import io.fabric8.kubernetes.client.http.WebSocketUpgradeResponse;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * Sends over another client what a throttle lets pass. fabric8 calls the two direct
 * methods once for each try, so retries pass again, as of the one who made the call.
 * Waiting takes no thread.
 */
final class ThrottledHttpClient
		extends StandardHttpClient<ThrottledHttpClient, HttpClient.Factory, ThrottledHttpClientBuilder> {

	private static final int SWITCHING_PROTOCOLS = 101;

	private static final int GOING_AWAY = 1001;

	private final HttpClient direct;

	private final RequestThrottle throttle;

	private final String root;

	private final KubernetesSerialization serialization;

	ThrottledHttpClient(ThrottledHttpClientBuilder builder, AtomicBoolean closed) {
		super(builder, closed);
		this.direct = builder.direct();
		this.throttle = builder.throttle();
		this.root = builder.root();
		this.serialization = builder.serialization();
	}

	/** The client below, which passes no throttle. */
	HttpClient direct() {
		return this.direct;
	}

	RequestThrottle throttle() {
		return this.throttle;
	}

	/** The same throttle in front of another client. */
	ThrottledHttpClient over(HttpClient other) {
		ThrottledHttpClientBuilder builder = new ThrottledHttpClientBuilder(other, this.throttle, this.root,
				this.serialization);
		builder.tag(getTag(RequestConfig.class));
		return builder.build();
	}

	@Override
	public CompletableFuture<HttpResponse<AsyncBody>> consumeBytes(HttpRequest request,
			AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		return super.consumeBytes(request, CallContext.capture().goWith(consumer));
	}

	@Override
	public WebSocket.Builder newWebSocketBuilder() {
		return new StandardWebSocketBuilder(this) {

			@Override
			public CompletableFuture<WebSocket> buildAsync(WebSocket.Listener listener) {
				return super.buildAsync(CallContext.capture().goWith(listener));
			}

		};
	}

	@Override
	public CompletableFuture<HttpResponse<AsyncBody>> consumeBytesDirect(StandardHttpRequest request,
			AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		ApiRequest read = HttpRequests.read(request, this.root, getTag(RequestConfig.class));
		Passage passage;
		try {
			passage = CallContext.of(consumer).enter(this.throttle, read);
		}
		catch (RuntimeException | Error ex) {
			// Of a later try nobody else would hear.
			return CompletableFuture.failedFuture(NotSentException.because(read, ex));
		}
		if (passage == null) {
			return this.direct.consumeBytes(request, consumer);
		}
		boolean stream = HttpRequests.isStream(request, read);
		CountedBody counted = new CountedBody(passage, consumer);
		CompletableFuture<HttpResponse<AsyncBody>> sent = pass(passage,
				() -> stream ? this.direct.consumeBytes(request, consumer)
						: this.direct.consumeBytes(request, counted).thenApply(counted::begun));
		sent.whenComplete((response, failure) -> {
			if (failure != null) {
				passage.ended(ApiException.unwrap(failure));
			}
			else if (stream) {
				passage.ended(HttpRequests.failure(read, response));
			}
			else {
				// A refusal that is followed by another try is not read to its end.
				response.body().done().whenComplete((done, broken) -> {
					ApiException refusal = HttpRequests.failure(read, response,
							(broken == null) ? counted.text() : null, this.serialization);
					passage.ended((refusal != null) ? refusal : broken);
				});
			}
		});
		return sent;
	}

	@Override
	public CompletableFuture<WebSocketResponse> buildWebSocketDirect(StandardWebSocketBuilder builder,
			WebSocket.Listener listener) {
		StandardHttpRequest request = builder.asHttpRequest();
		ApiRequest read = HttpRequests.read(request, this.root, getTag(RequestConfig.class));
		Passage passage;
		try {
			passage = CallContext.of(listener).enter(this.throttle, read);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(NotSentException.because(read, ex));
		}
		if (passage == null) {
			return open(builder, request, read, listener);
		}
		CompletableFuture<WebSocketResponse> opened = pass(passage, () -> open(builder, request, read, listener));
		opened.whenComplete((response, failure) -> {
			if (failure != null) {
				passage.ended(ApiException.unwrap(failure));
			}
			else {
				passage.ended((response instanceof RefusedUpgrade refused) ? refused.refusal : null);
			}
		});
		return opened;
	}

	/*
	 * The result ends also when its caller gives up, and what was begun until then ends
	 * with it.
	 */
	private static <R> CompletableFuture<R> pass(Passage passage, Supplier<CompletableFuture<R>> send) {
		CompletableFuture<R> result = new CompletableFuture<>();
		SendThreads.whenAdmitted(passage, (admitted, refusal) -> {
			if (refusal != null) {
				result.completeExceptionally(ApiException.unwrap(refusal));
			}
			else if (!result.isDone()) {
				send(result, send);
			}
		});
		return result;
	}

	private static <R> void send(CompletableFuture<R> result, Supplier<CompletableFuture<R>> send) {
		CompletableFuture<R> sending;
		try {
			sending = send.get();
		}
		catch (RuntimeException | Error ex) {
			// A closed client throws instead of failing the future.
			result.completeExceptionally(ex);
			return;
		}
		sending.whenComplete((answer, failure) -> {
			if (failure != null) {
				result.completeExceptionally(ApiException.unwrap(failure));
			}
			else if (!result.complete(answer)) {
				discard(answer);
			}
		});
	}

	private static void discard(Object late) {
		if (late instanceof HttpResponse<?> answer && answer.body() instanceof AsyncBody body) {
			body.cancel();
		}
		else if (late instanceof Opened upgrade) {
			upgrade.socket.sendClose(GOING_AWAY, null);
		}
	}

	private CompletableFuture<WebSocketResponse> open(StandardWebSocketBuilder builder, StandardHttpRequest request,
			ApiRequest read, WebSocket.Listener listener) {
		WebSocket.Builder copy = this.direct.newWebSocketBuilder().uri(request.uri());
		request.headers().forEach((name, values) -> values.forEach((value) -> copy.header(name, value)));
		if (request.getTimeout() != null) {
			copy.connectTimeout(request.getTimeout().toMillis(), TimeUnit.MILLISECONDS);
		}
		if (builder.getSubprotocol() != null) {
			copy.subprotocol(builder.getSubprotocol());
		}
		return copy.buildAsync(listener).handle((socket, failure) -> {
			Throwable cause = (failure != null) ? ApiException.unwrap(failure) : null;
			if (cause == null) {
				return new Opened(new WebSocketUpgradeResponse(request, SWITCHING_PROTOCOLS), socket);
			}
			if (cause instanceof WebSocketHandshakeException handshake) {
				return new RefusedUpgrade(handshake, HttpRequests.failure(read, handshake.getResponse()));
			}
			throw new CompletionException(cause);
		});
	}

	@Override
	public boolean isClosed() {
		return super.isClosed() || this.direct.isClosed();
	}

	@Override
	protected void doClose() {
		this.direct.close();
	}

	/** An open socket, which fabric8's class does not show. */
	private static final class Opened extends WebSocketResponse {

		private final WebSocket socket;

		Opened(WebSocketUpgradeResponse response, WebSocket socket) {
			super(response, socket);
			this.socket = socket;
		}

	}

	/** For fabric8 a refused upgrade is an answer, which does not show what it holds. */
	private static final class RefusedUpgrade extends WebSocketResponse {

		private final @Nullable ApiException refusal;

		RefusedUpgrade(WebSocketHandshakeException handshake, @Nullable ApiException refusal) {
			super(handshake.getResponse(), handshake);
			this.refusal = refusal;
		}

	}

}

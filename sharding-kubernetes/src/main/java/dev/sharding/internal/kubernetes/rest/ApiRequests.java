package dev.sharding.internal.kubernetes.rest;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.client.RequestThrottle;
import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over a client's connections and credentials, once each: whoever asks
 * decides whether and when to ask again. Safe for use by many threads. Futures complete
 * on a thread of the transport, so do nothing there that takes long or blocks.
 */
public final class ApiRequests {

	private final HttpClient http;

	private final KubernetesSerialization serialization;

	private final String address;

	private final RequestGuard guard;

	private final RequestThrottle throttle;

	private final @Nullable String impersonated;

	/**
	 * Creates requests over {@code client}, which must outlive them. They pass its
	 * throttle, if it is a {@link ThrottledClient}.
	 * @param client gives connections, credentials and the address
	 */
	public ApiRequests(KubernetesClient client) {
		this(client, RequestGuard.NONE);
	}

	/**
	 * Creates guarded requests over {@code client}, which must outlive them.
	 * @param client gives connections, credentials and the address; its own retries do
	 * not apply here
	 * @param guard is asked before each request, and again each time its body goes out
	 */
	public ApiRequests(KubernetesClient client, RequestGuard guard) {
		this.guard = guard;
		RequestConfig once = new RequestConfigBuilder(client.getConfiguration().getRequestConfig())
			.withRequestRetryBackoffLimit(0)
			.build();
		this.impersonated = once.getImpersonateUsername();
		HttpClient outer = client.getHttpClient();
		this.throttle = (outer instanceof ThrottledHttpClient throttled) ? throttled.throttle() : RequestThrottle.NONE;
		HttpClient direct = (outer instanceof ThrottledHttpClient throttled) ? throttled.direct() : outer;
		this.http = LastLookHttpClient.over(direct.newBuilder().tag(once).build());
		this.serialization = client.getKubernetesSerialization();
		String url = client.getMasterUrl().toString();
		this.address = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;

	}

	private ApiRequests(ApiRequests like, RequestGuard guard, RequestThrottle throttle) {
		this.http = like.http;
		this.serialization = like.serialization;
		this.address = like.address;
		this.throttle = throttle;
		this.impersonated = like.impersonated;
		this.guard = guard;
	}

	/**
	 * Requests over the same connections that ask no guard.
	 * @return the requests
	 */
	public ApiRequests unguarded() {
		return new ApiRequests(this, RequestGuard.NONE, this.throttle);
	}

	/**
	 * Requests over the same connections that pass no throttle: those of a hand-over,
	 * which relieves the one who is throttled, and for which somebody waits.
	 * @return the requests
	 */
	public ApiRequests unthrottled() {
		return new ApiRequests(this, this.guard, RequestThrottle.NONE);
	}

	/**
	 * Sends {@code request} and collects the answer. Cancelling the future ends the
	 * exchange.
	 * @param request the request
	 * @return the answer, or an {@link ApiException} (status 0 after the time-out), or a
	 * {@link NotSentException}
	 */
	public CompletableFuture<ApiResponse> send(ApiRequest request) {
		Exchange<ApiResponse> exchange = Exchange.collecting(request, this.serialization);
		start(exchange, false, null);
		return exchange.result();
	}

	/**
	 * As {@link #send(ApiRequest)}, for a long answer that is read while it comes.
	 * @param request the request
	 * @param body gets the body of a successful answer piece by piece, in order, on a
	 * thread of the transport; what it throws fails the request
	 * @return the answer without its body, once all of that has come
	 */
	public CompletableFuture<ApiResponse> sendAndReceive(ApiRequest request, Consumer<byte[]> body) {
		Exchange<ApiResponse> exchange = Exchange.receiving(request, this.serialization, body);
		start(exchange, false, null);
		return exchange.result();
	}

	/**
	 * As {@link #send(ApiRequest)}, for a request that needs a permission of its own
	 * besides that of the guard.
	 * @param request the request; one that writes, as only that is held back
	 * @param permit asked whenever the guard's is, see {@link RequestGuard#admit}
	 * @return the answer, or an {@link ApiException}, or a {@link NotSentException}
	 */
	public CompletableFuture<ApiResponse> send(ApiRequest request, Runnable permit) {
		Exchange<ApiResponse> exchange = Exchange.collecting(request, this.serialization);
		start(exchange, false, permit);
		return exchange.result();
	}

	/**
	 * Sends {@code request} and waits for the answer. A thread that was interrupted
	 * before sends nothing: it was told to stop.
	 * @param request the request
	 * @return the answer
	 * @throws ApiException if the request failed, or (status 0, the thread's interrupt
	 * flag set again) if the thread was interrupted before or while it waited
	 * @throws NotSentException if the guard refused it
	 */
	public ApiResponse call(ApiRequest request) {
		if (Thread.currentThread().isInterrupted()) {
			throw ApiException.unanswered(
					"Failed to %s: interrupted before it was sent".formatted(request.description()), null, true);
		}
		Exchange<ApiResponse> exchange = Exchange.collecting(request, this.serialization);
		start(exchange, false, null);
		try {
			return exchange.result().get();
		}
		catch (ExecutionException ex) {
			Throwable cause = ApiException.unwrap(ex);
			throw (cause instanceof NotSentException refusal) ? refusal : ApiException.of(cause);
		}
		catch (InterruptedException ex) {
			exchange.result().cancel(true);
			Thread.currentThread().interrupt();
			throw ApiException.unanswered("Failed to %s: interrupted".formatted(request.description()), ex,
					exchange.abandon());
		}
	}

	/**
	 * Opens a stream. The future completes when the API server has sent the headers of a
	 * successful answer; cancelling it ends the exchange.
	 * @param request the request; its time-out bounds the wait for the headers
	 * @return the stream, which the caller must close, or an {@link ApiException}
	 */
	public CompletableFuture<ApiStream> open(ApiRequest request) {
		Exchange<ApiStream> exchange = Exchange.streaming(request, this.serialization);
		start(exchange, true, null);
		return exchange.result();
	}

	private void start(Exchange<?> exchange, boolean streaming, @Nullable Runnable own) {
		try {
			// Here, as the guard looks at the thread of the caller.
			Runnable permit = this.guard.admit(exchange.request());
			if (permit != null) {
				exchange.tellEnd(this.guard.sending(exchange.request()));
			}
			enter(exchange, streaming,
					(permit != null || own != null) ? () -> ask(exchange.request(), permit, own) : null);
		}
		catch (NotSentException refusal) {
			exchange.refuse(refusal);
		}
		catch (RuntimeException | Error ex) {
			exchange.refuse(NotSentException.because(exchange.request(), ex));
		}
	}

	/* The transport, too, is told of a refusal whatever breaks. */
	private static void ask(ApiRequest request, @Nullable Runnable permit, @Nullable Runnable own) {
		try {
			if (permit != null) {
				permit.run();
			}
			if (own != null) {
				own.run();
			}
		}
		catch (NotSentException refusal) {
			throw refusal;
		}
		catch (RuntimeException | Error ex) {
			throw NotSentException.because(request, ex);
		}
	}

	private void enter(Exchange<?> exchange, boolean streaming, @Nullable Runnable permit) {
		Passage passage = this.throttle.enter(exchange.request().actingFor(this.impersonated));
		if (passage == null) {
			launch(exchange, streaming, permit);
			return;
		}
		exchange.alsoTell((piece) -> passage.received(ByteBuffer.wrap(piece)));
		exchange.result().whenComplete((value, failure) -> {
			if (value instanceof ApiResponse answer) {
				passage.received(ByteBuffer.wrap(answer.bytes()));
			}
			passage.ended((failure != null) ? ApiException.unwrap(failure) : null);
		});
		SendThreads.whenAdmitted(passage, (admitted, refusal) -> {
			if (refusal != null) {
				exchange.result().completeExceptionally(ApiException.unwrap(refusal));
			}
			else if (!exchange.result().isDone()) {
				launchAfterWait(exchange, streaming, permit);
			}
		});
	}

	/* What was permitted before the wait may not be so any more. */
	private void launchAfterWait(Exchange<?> exchange, boolean streaming, @Nullable Runnable permit) {
		try {
			if (permit != null) {
				permit.run();
			}
			launch(exchange, streaming, permit);
		}
		catch (NotSentException refusal) {
			exchange.refuse(refusal);
		}
		catch (RuntimeException | Error ex) {
			// Nobody else would hear of it, and the exchange has no time-out yet.
			exchange.refuse(NotSentException.because(exchange.request(), ex));
		}
	}

	private void launch(Exchange<?> exchange, boolean streaming, @Nullable Runnable permit) {
		ApiRequest request = exchange.request();
		HttpRequest.Builder builder = this.http.newHttpRequestBuilder()
			.uri(URI.create(this.address + request.pathAndQuery()));
		if (!setBody(builder, exchange, permit)) {
			return;
		}
		builder.setHeader("Accept", request.accept());
		if (streaming) {
			builder.forStreaming();
		}
		else {
			// Later than our own, which says what was asked; this one frees the
			// connection.
			builder.timeout(request.timeout().plusSeconds(1).toMillis(), TimeUnit.MILLISECONDS);
		}
		try {
			exchange.begin(this.http.consumeBytes(builder.build(), exchange));
		}
		catch (RuntimeException | Error ex) {
			// A closed client throws instead of failing the future.
			exchange.fail(ApiException.describe(ex), ex);
		}
	}

	/* Of a write about an object its writer wants to know whether it was sent at all. */
	private static boolean setBody(HttpRequest.Builder builder, Exchange<?> exchange, @Nullable Runnable permit) {
		ApiRequest request = exchange.request();
		// What has no body could not be held back; the API server takes an empty one
		// here.
		String text = (request.body() == null && request.method().equals("DELETE")) ? "{}" : request.body();
		if (text == null || (permit == null && request.about() == null)) {
			builder.method(request.method(), request.contentType(), request.body());
			return exchange.launching(null);
		}
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		GuardedBody body = new GuardedBody(bytes, permit, exchange::refuse);
		builder.method(request.method(), (request.contentType() != null) ? request.contentType() : MediaTypes.JSON,
				body, bytes.length);
		return exchange.launching(body);
	}

}

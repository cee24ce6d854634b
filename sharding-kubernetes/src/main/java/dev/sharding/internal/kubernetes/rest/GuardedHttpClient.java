package dev.sharding.internal.kubernetes.rest;

import java.net.HttpURLConnection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.http.StandardHttpClient;
import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.http.StandardWebSocketBuilder;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketResponse;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;

/**
 * Sends over another client what a guard admits. The guard is asked once for each call,
 * on the thread of the caller; its permit is asked by the {@link GuardedBody} for each
 * try of the client below.
 */
final class GuardedHttpClient
		extends StandardHttpClient<GuardedHttpClient, HttpClient.Factory, GuardedHttpClient.Builder> {

	private final HttpClient direct;

	private final RequestGuard guard;

	private final UnaryOperator<ApiRequest> completion;

	private final String root;

	GuardedHttpClient(HttpClient direct, RequestGuard guard, UnaryOperator<ApiRequest> completion, String root) {
		super(new Builder(), new AtomicBoolean());
		this.direct = direct;
		this.guard = guard;
		this.completion = completion;
		this.root = root;
	}

	/** The client below, which asks no guard. */
	HttpClient direct() {
		return this.direct;
	}

	@Override
	public CompletableFuture<HttpResponse<AsyncBody>> consumeBytes(HttpRequest request,
			AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		StandardHttpRequest asked = (StandardHttpRequest) request;
		ApiRequest read = HttpRequests.read(asked, this.root, getTag(RequestConfig.class));
		ApiRequest completed;
		Runnable permit;
		try {
			completed = (read.body() != null) ? this.completion.apply(read) : read;
			permit = this.guard.admit(completed);
		}
		catch (NotSentException refusal) {
			return CompletableFuture.failedFuture(refusal);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(NotSentException.because(read, ex));
		}
		return (permit != null) ? send(asked, completed, permit, consumer) : this.direct.consumeBytes(asked, consumer);
	}

	private CompletableFuture<HttpResponse<AsyncBody>> send(StandardHttpRequest asked, ApiRequest request,
			Runnable permit, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		// What has no body could not be held back; the API server takes an empty one
		// here.
		String text = (request.body() == null && request.method().equals("DELETE")) ? "{}" : request.body();
		if (text == null) {
			// A stream, such as of a file that is copied into a container.
			Consumer<Boolean> end = this.guard.sending(request);
			return direct(asked, consumer)
				.whenComplete((answer, failure) -> end.accept(failure == null && isFinal(answer)));
		}
		Consumer<Boolean> end = this.guard.sending(request);
		CompletableFuture<HttpResponse<AsyncBody>> result = new CompletableFuture<>();
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		GuardedBody body = new GuardedBody(bytes, permit, (refusal, first) -> result.completeExceptionally(refusal));
		result.whenComplete((answer, failure) -> end.accept(!body.isRepeated() && ((failure != null)
				? ApiException.unwrap(failure) instanceof NotSentException || body.abandon() : isFinal(answer))));
		HttpRequest guarded = asked.newBuilder()
			.method(request.method(), (request.contentType() != null) ? request.contentType() : MediaTypes.JSON, body,
					bytes.length)
			.build();
		direct(guarded, consumer).whenComplete((answer, failure) -> {
			if (failure != null) {
				result.completeExceptionally(ApiException.unwrap(failure));
			}
			else if (!result.complete(answer)) {
				answer.body().cancel();
			}
		});
		return result;
	}

	/*
	 * Whoever is asked to wait no longer, or passes requests on, may answer with a server
	 * error while the API server is still at it.
	 */
	private static boolean isFinal(HttpResponse<?> answer) {
		return answer.code() < HttpURLConnection.HTTP_INTERNAL_ERROR;
	}

	/* Some failures are thrown, such as that of a closed client or of an interceptor. */
	private CompletableFuture<HttpResponse<AsyncBody>> direct(HttpRequest request,
			AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		try {
			return this.direct.consumeBytes(request, consumer);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public CompletableFuture<HttpResponse<AsyncBody>> consumeBytesDirect(StandardHttpRequest request,
			AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		return consumeBytes(request, consumer);
	}

	@Override
	public CompletableFuture<WebSocketResponse> buildWebSocketDirect(StandardWebSocketBuilder builder,
			WebSocket.Listener listener) {
		throw new UnsupportedOperationException("Web sockets are opened by the client below");
	}

	@Override
	public DerivedClientBuilder newBuilder() {
		return new Derived(this.direct.newBuilder());
	}

	@Override
	public WebSocket.Builder newWebSocketBuilder() {
		return this.direct.newWebSocketBuilder();
	}

	@Override
	public HttpRequest.Builder newHttpRequestBuilder() {
		return this.direct.newHttpRequestBuilder();
	}

	@Override
	public <T> @Nullable T getTag(Class<T> type) {
		return (this.direct instanceof Interceptor.RequestTags tags) ? tags.getTag(type) : null;
	}

	@Override
	public boolean isClosed() {
		return this.direct.isClosed();
	}

	@Override
	protected void doClose() {
		this.direct.close();
	}

	/** What every client of fabric8 is made by; this one has nothing of its own. */
	static final class Builder extends StandardHttpClientBuilder<GuardedHttpClient, HttpClient.Factory, Builder> {

		private static final HttpClient.Factory NO_FACTORY = () -> {
			throw new UnsupportedOperationException("Made over another client only");
		};

		private Builder() {
			super(NO_FACTORY);
			this.interceptors.clear();
		}

		@Override
		public GuardedHttpClient build() {
			throw new UnsupportedOperationException("Made over another client only");
		}

		@Override
		protected Builder newInstance(HttpClient.Factory factory) {
			return new Builder();
		}

	}

	/**
	 * Derives the client below, as fabric8 does for requests with settings of their own.
	 */
	private final class Derived implements DerivedClientBuilder {

		private final DerivedClientBuilder below;

		Derived(DerivedClientBuilder below) {
			this.below = below;
		}

		@Override
		public HttpClient build() {
			return new GuardedHttpClient(this.below.build(), GuardedHttpClient.this.guard,
					GuardedHttpClient.this.completion, GuardedHttpClient.this.root);
		}

		@Override
		public DerivedClientBuilder addOrReplaceInterceptor(String name, @Nullable Interceptor interceptor) {
			this.below.addOrReplaceInterceptor(name, interceptor);
			return this;
		}

		@Override
		public DerivedClientBuilder authenticatorNone() {
			this.below.authenticatorNone();
			return this;
		}

		@Override
		public DerivedClientBuilder tag(Object value) {
			this.below.tag(value);
			return this;
		}

	}

}

package dev.sharding.internal.kubernetes.rest;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpClient;
import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.http.StandardWebSocketBuilder;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends over a Vert.x client and asks for the permission of a {@link GuardedBody} on the
 * event loop of its connection, which then writes it to the socket without doing anything
 * else in between. By itself the client reads a stream on a thread of its own and leaves
 * what it read to the event loop, which may be blocked for longer than a Lease lasts.
 */
final class LastLookHttpClient
		extends StandardHttpClient<LastLookHttpClient, HttpClient.Factory, LastLookHttpClient.Builder> {

	private static final Logger logger = LoggerFactory.getLogger(ApiRequests.class);

	/** The classes of clients that the log knows of. */
	private static final Set<String> told = ConcurrentHashMap.newKeySet();

	/* The one of which it is known when it asks a request for its body. */
	private static final String VERTX = "io.fabric8.kubernetes.client.vertx.VertxHttpClient";

	private final StandardHttpClient<?, ?, ?> direct;

	/** The same, going on where the connection is served. */
	private final StandardHttpClient<?, ?, ?> there;

	private LastLookHttpClient(Builder builder) {
		super(builder, new AtomicBoolean());
		this.direct = builder.direct;
		this.there = builder.there;
	}

	/**
	 * Returns what sends over a client.
	 * @param client the client, which must outlive it
	 * @return {@code client} itself if it is none of Vert.x, which the log tells once
	 */
	static HttpClient over(HttpClient client) {
		if (client.getClass().getName().equals(VERTX) && client instanceof StandardHttpClient<?, ?, ?> standard
				&& client.newBuilder() instanceof StandardHttpClientBuilder<?, ?, ?> like) {
			return new Builder(standard, ConnectionLoop.over(standard, like), like).build();
		}
		tellOnce(client.getClass(), "it is none of Vert.x");
		return client;
	}

	/** Tells of a client that writes later than it asks. */
	static void tellOnce(Class<?> client, String reason) {
		if (told.add(client.getName())) {
			logger.warn(
					"Claims are looked at earlier than writes go out, so a write may go out after its claim has"
							+ " ended, by as long as this process is paused in between: client={} reason=\"{}\"",
					client.getName(), reason);
		}
	}

	@Override
	public CompletableFuture<HttpResponse<AsyncBody>> consumeBytesDirect(StandardHttpRequest request,
			AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		return (request.body() instanceof StandardHttpRequest.InputStreamBodyContent held
				&& held.getContent() instanceof GuardedBody guarded)
						? ConnectionLoop
							.send(() -> this.there.consumeBytesDirect(new LateRequest(request, guarded), consumer))
						: this.direct.consumeBytesDirect(request, consumer);
	}

	@Override
	public CompletableFuture<WebSocketResponse> buildWebSocketDirect(StandardWebSocketBuilder builder,
			WebSocket.Listener listener) {
		return this.direct.buildWebSocketDirect(builder, listener);
	}

	@Override
	public boolean isClosed() {
		return this.direct.isClosed();
	}

	@Override
	protected void doClose() {
		this.direct.close();
	}

	/** A request whose body is asked for when its connection is there. */
	private static final class LateRequest extends StandardHttpRequest {

		private final StandardHttpRequest request;

		private final GuardedBody guarded;

		LateRequest(StandardHttpRequest request, GuardedBody guarded) {
			super(request.headers(), request.uri(), request.method(), null);
			this.request = request;
			this.guarded = guarded;
		}

		@Override
		public BodyContent body() {
			return this.guarded.now();
		}

		@Override
		public @Nullable String bodyString() {
			return this.request.bodyString();
		}

		@Override
		public Builder newBuilder() {
			return this.request.newBuilder();
		}

		@Override
		public UUID id() {
			return this.request.id();
		}

		@Override
		public @Nullable String getContentType() {
			return this.request.getContentType();
		}

		@Override
		public boolean isExpectContinue() {
			return this.request.isExpectContinue();
		}

		@Override
		public @Nullable Duration getTimeout() {
			return this.request.getTimeout();
		}

		@Override
		public boolean isForStreaming() {
			return this.request.isForStreaming();
		}

	}

	/** Has the interceptors and tags of the client below, which then applies none. */
	static final class Builder extends StandardHttpClientBuilder<LastLookHttpClient, HttpClient.Factory, Builder> {

		private static final HttpClient.Factory NO_FACTORY = () -> {
			throw new UnsupportedOperationException("Made over another client only");
		};

		private final StandardHttpClient<?, ?, ?> direct;

		private final StandardHttpClient<?, ?, ?> there;

		private Builder(StandardHttpClient<?, ?, ?> direct, StandardHttpClient<?, ?, ?> there,
				StandardHttpClientBuilder<?, ?, ?> like) {
			super(NO_FACTORY);
			this.direct = direct;
			this.there = there;
			// A builder brings the log of all traffic, tokens and Secrets included.
			this.interceptors.clear();
			this.interceptors.putAll(like.getInterceptors());
			this.tags.putAll(like.getTags());
		}

		@Override
		public LastLookHttpClient build() {
			return new LastLookHttpClient(this);
		}

		@Override
		protected Builder newInstance(HttpClient.Factory factory) {
			return new Builder(this.direct, this.there, this);
		}

	}

}

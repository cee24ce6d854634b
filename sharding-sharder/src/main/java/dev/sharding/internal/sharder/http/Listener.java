package dev.sharding.internal.sharder.http;

import java.net.BindException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.KeyCertOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port that requests come in by: HTTP/1.1, with TLS 1.2 and later also HTTP/2. A new
 * certificate breaks no open connection.
 */
public final class Listener implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Listener.class);

	/* Of one connection; each may bring a head before it brings anything else. */
	private static final int MOST_REQUESTS = 16;

	private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

	private final WebStack stack;

	private final Vertx vertx;

	private final ServerOptions options;

	/*
	 * Not the server's own way to change its certificate, which refuses connections
	 * meanwhile.
	 */
	private final @Nullable CurrentKey key;

	private final Handler<HttpServerRequest> requests;

	private final ServerMetrics metrics;

	/* Connections without a request so far, and the timer that ends them. */
	private final Map<HttpConnection, Long> silent = new ConcurrentHashMap<>();

	private final IdleConnections idle = new IdleConnections();

	private @Nullable HttpServer server;

	private volatile int port = -1;

	/**
	 * Creates a listener that does not listen yet.
	 * @param stack whose threads it uses; it must outlive the listener
	 * @param options where it listens, and what it bears
	 * @param key the key for TLS, or {@code null} for none
	 * @param requests answers requests, on an event loop
	 * @param metrics what it counts with
	 */
	public Listener(WebStack stack, ServerOptions options, @Nullable CurrentKey key,
			Handler<HttpServerRequest> requests, ServerMetrics metrics) {
		this.stack = stack;
		this.vertx = stack.vertx();
		this.options = options;
		this.key = key;
		this.requests = requests;
		this.metrics = metrics;
	}

	/**
	 * Listens. Returns when it does.
	 * @throws ExecutionException if it cannot; the cause says why
	 * @throws TimeoutException if that takes too long
	 */
	public synchronized void listen() throws ExecutionException, TimeoutException {
		if (!this.stack.take(this.options)) {
			throw new ExecutionException(new BindException("Address already in use by this process"));
		}
		HttpServer created = this.vertx.createHttpServer(serverOptions())
			.connectionHandler(this::connected)
			.exceptionHandler((failure) -> log.debug("Connection failed: {}", failure.toString()))
			.invalidRequestHandler((request) -> {
				this.metrics.refused("malformed");
				HttpServerRequest.DEFAULT_INVALID_REQUEST_HANDLER.handle(request);
			})
			.requestHandler((request) -> {
				spoke(request.connection());
				busyWith(request);
				this.requests.handle(request);
			});
		try {
			this.server = WebStack.awaitStart(created.listen());
			this.port = created.actualPort();
			this.metrics.listening();
		}
		finally {
			if (this.server == null) {
				this.stack.release(this.options);
			}
		}
	}

	HttpServerOptions serverOptions() {
		HttpServerOptions server = new HttpServerOptions().setHost(this.options.bindAddress())
			.setPort(this.options.port())
			// Whoever takes no answer may go on to send.
			.setWriteIdleTimeout((int) this.options.connections().idleTimeout().toSeconds())
			.setMaxHeaderSize(this.options.requests().header())
			.setHttp2ClearTextEnabled(false)
			.setCompressionSupported(false)
			.setTcpNoDelay(true);
		server.getInitialSettings()
			.setMaxHeaderListSize(this.options.requests().header())
			.setMaxConcurrentStreams(MOST_REQUESTS);
		if (this.key != null) {
			server.setSsl(true)
				.setUseAlpn(true)
				.setKeyCertOptions(KeyCertOptions.wrap(this.key))
				.setEnabledSecureTransportProtocols(PROTOCOLS)
				.setSslHandshakeTimeout(this.options.connections().handshakeTimeout().toMillis())
				.setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
				.setSslEngineOptions(new Handshakes(this.options.connections().handshakes(),
						() -> this.metrics.refused("handshakes")));
		}
		return server;
	}

	/* Whoever connects must say what he wants soon. */
	private void connected(HttpConnection connection) {
		if (!this.metrics.opened(this.options.connections().connections())) {
			HttpConnection longest = this.idle.giveWay();
			this.metrics.refused((longest != null) ? "idle" : "connections");
			ConnectionEnd.now((longest != null) ? longest : connection);
			if (longest == null) {
				return;
			}
		}
		Pipelining.limit(connection, MOST_REQUESTS, () -> this.metrics.refused("pipelined"));
		this.idle.opened(connection);
		this.silent.put(connection, this.vertx.setTimer(this.options.requests().timeout().toMillis(), (id) -> {
			log.debug("Closing a connection that sent no request");
			ConnectionEnd.now(connection);
		}));
		connection.closeHandler((closed) -> {
			spoke(connection);
			if (this.idle.closed(connection)) {
				this.metrics.closed();
			}
		});
	}

	private void busyWith(HttpServerRequest request) {
		HttpConnection connection = request.connection();
		AtomicBoolean over = new AtomicBoolean();
		Handler<Void> answered = (end) -> {
			if (over.compareAndSet(false, true)) {
				this.idle.answered(connection);
			}
		};
		this.idle.asked(connection);
		request.response().endHandler(answered).closeHandler(answered);
	}

	private void spoke(HttpConnection connection) {
		Long timer = this.silent.remove(connection);
		if (timer != null) {
			this.vertx.cancelTimer(timer);
		}
	}

	/**
	 * The port that it listens on.
	 * @return the port, or -1
	 */
	public int port() {
		return this.port;
	}

	/** Ends all connections and listens no more. */
	@Override
	public synchronized void close() {
		HttpServer listening = this.server;
		this.server = null;
		if (listening == null) {
			return;
		}
		this.stack.release(this.options);
		try {
			WebStack.await(listening.close());
		}
		catch (ExecutionException | TimeoutException ex) {
			log.warn("Failed to stop listening on port {}: {}", this.port, ex.toString());
		}
	}

}

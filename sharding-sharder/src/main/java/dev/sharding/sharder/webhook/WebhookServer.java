package dev.sharding.sharder.webhook;

import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import dev.sharding.sharder.tls.ServingCertificate;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTPS server of the webhook: HTTP/1.1 and HTTP/2, TLS 1.2 and later. It listens
 * from the first certificate on; a later one is for new connections and breaks no open
 * one.
 */
final class WebhookServer implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(WebhookServer.class);

	static final String NO_CERTIFICATE = "no certificate yet";

	private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

	private static final int HANDSHAKE_SECONDS = 10;

	private static final long STOP_SECONDS = 5;

	private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2)
		.setWorkerPoolSize(1)
		.setInternalBlockingPoolSize(1)
		.setUseDaemonThread(true)
		// As good as never: what runs here does not block.
		.setBlockedThreadCheckInterval(TimeUnit.DAYS.toMillis(365))
		.setFileSystemOptions(
				new FileSystemOptions().setClassPathResolvingEnabled(false).setFileCachingEnabled(false)));

	/*
	 * Not the server's own way to change its certificate, which refuses connections
	 * meanwhile.
	 */
	private final CurrentKey key = new CurrentKey();

	private final ServerOptions options;

	private final RequestReceiver receiver;

	private @Nullable HttpServer server;

	private boolean closed;

	private volatile int port = -1;

	private volatile @Nullable String problem = NO_CERTIFICATE;

	WebhookServer(ServerOptions options, AdmissionHandler handler, WebhookMetrics metrics, LongSupplier nanoTime) {
		this.options = options;
		this.receiver = new RequestReceiver(this.vertx, options, handler, metrics, nanoTime);
	}

	/** Serves with that certificate from now on. Returns when it does. */
	synchronized void use(ServingCertificate certificate) {
		if (this.closed) {
			return;
		}
		PemKeyCertOptions pem = new PemKeyCertOptions().addCertValue(Buffer.buffer(certificate.certificate()))
			.addKeyValue(Buffer.buffer(certificate.key()));
		try {
			this.key.use(pem.getKeyManagerFactory(this.vertx).getKeyManagers());
			if (this.server == null) {
				HttpServer listening = await(create().listen());
				this.server = listening;
				this.port = listening.actualPort();
				log.info("Webhook listens address={} port={}", this.options.bindAddress(), this.port);
			}
			else {
				log.info("Webhook serves with a new certificate");
			}
			this.problem = null;
		}
		catch (Exception ex) {
			boolean notTaken = this.server != null || this.key.isEmpty() || ex instanceof CurrentKey.MismatchException;
			this.problem = !notTaken ? "Failed to listen on %s:%d: %s".formatted(this.options.bindAddress(),
					this.options.port(), text(ex)) : "Failed to take a new certificate: " + text(ex);
			log.error("{}", this.problem);
			throw new IllegalStateException(this.problem);
		}
	}

	/* Mostly not what the cause says: it may quote the key. */
	private static String text(Exception ex) {
		Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
		if (cause instanceof CurrentKey.MismatchException mismatch) {
			return String.valueOf(mismatch.getMessage());
		}
		return (cause instanceof java.io.IOException) ? cause.toString() : cause.getClass().getSimpleName();
	}

	private HttpServer create() {
		return this.vertx.createHttpServer(serverOptions())
			.connectionHandler(this.receiver::connected)
			.exceptionHandler((failure) -> log.debug("Connection failed: {}", failure.toString()))
			.requestHandler(this.receiver::receive);
	}

	HttpServerOptions serverOptions() {
		return new HttpServerOptions().setHost(this.options.bindAddress())
			.setPort(this.options.port())
			.setSsl(true)
			.setUseAlpn(true)
			.setKeyCertOptions(KeyCertOptions.wrap(this.key))
			.setEnabledSecureTransportProtocols(PROTOCOLS)
			.setSslHandshakeTimeout(HANDSHAKE_SECONDS)
			.setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
			.setIdleTimeout((int) this.options.idleTimeout().toSeconds())
			.setCompressionSupported(false)
			.setTcpNoDelay(true);
	}

	private static <T> T await(io.vertx.core.Future<T> future) throws ExecutionException, TimeoutException {
		try {
			return future.toCompletionStage().toCompletableFuture().get(STOP_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new TimeoutException("interrupted");
		}
	}

	/** The port that it listens on, or -1. */
	int port() {
		return this.port;
	}

	/** Why it does not serve as it should, or {@code null}. */
	@Nullable String problem() {
		return this.problem;
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		try {
			await(this.vertx.close());
		}
		catch (ExecutionException | TimeoutException ex) {
			log.warn("Failed to stop the webhook server: {}", ex.toString());
		}
	}

}

package dev.sharding.internal.sharder.webhook;

import java.util.function.LongSupplier;

import dev.sharding.internal.sharder.http.Bodies;
import dev.sharding.internal.sharder.http.CurrentKey;
import dev.sharding.internal.sharder.http.Listener;
import dev.sharding.internal.sharder.http.ServerOptions;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTPS server of the webhook. It listens from the first certificate on; a later one
 * is for new connections and breaks no open one.
 */
final class WebhookServer implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(WebhookServer.class);

	static final String NO_CERTIFICATE = "no certificate yet";

	private final CurrentKey key = new CurrentKey();

	private final ServerOptions options;

	private final Listener listener;

	private boolean closed;

	private volatile @Nullable String problem = NO_CERTIFICATE;

	WebhookServer(WebStack stack, ServerOptions options, AdmissionHandler handler, WebhookMetrics metrics,
			LongSupplier nanoTime) {
		this.options = options;
		Bodies bodies = new Bodies(stack, options.requests(), (status) -> metrics.answered("refused_" + status, 0));
		this.listener = new Listener(stack, options, this.key,
				new RequestReceiver(bodies, handler, metrics, nanoTime)::receive, metrics.server());
	}

	/** Serves with that certificate from now on. Returns when it does. */
	synchronized void use(ServingCertificate certificate) {
		if (this.closed) {
			return;
		}
		try {
			this.key.use(certificate);
			if (port() < 0) {
				this.listener.listen();
				log.info("Webhook listens address={} port={}", this.options.bindAddress(), port());
			}
			else {
				log.info("Webhook serves with a new certificate");
			}
			this.problem = null;
		}
		catch (Exception ex) {
			boolean notTaken = port() >= 0 || this.key.isEmpty() || ex instanceof CurrentKey.MismatchException;
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

	/** What it shakes hands with, for others that serve with the same certificate. */
	CurrentKey key() {
		return this.key;
	}

	/** The port that it listens on, or -1. */
	int port() {
		return this.listener.port();
	}

	/** Why it does not serve as it should, or {@code null}. */
	@Nullable String problem() {
		return this.problem;
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		this.listener.close();
	}

}

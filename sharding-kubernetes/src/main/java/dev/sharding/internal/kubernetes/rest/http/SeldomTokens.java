package dev.sharding.internal.kubernetes.rest.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a token that is new only where there may be one: once a minute, in a
 * kubeconfig beside the requests, which go on with the token that is known, or when the
 * API server refuses the credentials. By itself the client would do so in each request
 * that comes while another still reads the kubeconfig, and load the classes of every kind
 * for it.
 */
final class SeldomTokens implements Interceptor {

	/* A little above the minute after which the one that looks is willing to. */
	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(61);

	private final Config config;

	private final Interceptor sending;

	private final Interceptor looking;

	private final LongSupplier nanos;

	private final Executor looker;

	private final AtomicBoolean busy = new AtomicBoolean();

	/* Whether the next request looks: the last look found no kubeconfig that we read. */
	private volatile boolean inPlace;

	private volatile long lookedAt;

	/**
	 * Creates it.
	 * @param config who is asking, now
	 * @param sending sends the token that {@code config} has, and looks for none
	 * @param looking sends the token, reads where it came from for one that is new, and
	 * notes it in {@code config}
	 * @param nanos the clock, as {@link System#nanoTime()}
	 * @param looker reads a kubeconfig, which takes a while
	 */
	SeldomTokens(Config config, Interceptor sending, Interceptor looking, LongSupplier nanos, Executor looker) {
		this.config = config;
		this.sending = sending;
		this.looking = looking;
		this.nanos = nanos;
		this.looker = looker;
		this.lookedAt = nanos.getAsLong();
	}

	@Override
	public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
		if (!mayChange()) {
			this.looking.before(builder, request, tags);
		}
		else if (!isCertificateOnly()) {
			sendWhatIsFound(builder, request, tags);
		}
	}

	@Override
	public CompletableFuture<Boolean> afterFailure(BasicBuilder builder, HttpResponse<?> response, RequestTags tags) {
		return this.looking.afterFailure(builder, response, tags);
	}

	private void sendWhatIsFound(BasicBuilder builder, HttpRequest request, RequestTags tags) {
		if ((!this.inPlace && !isDue()) || !this.busy.compareAndSet(false, true)) {
			this.sending.before(builder, request, tags);
		}
		else if (this.inPlace || !Boolean.TRUE.equals(this.config.getAutoConfigure())) {
			try {
				this.looking.before(builder, request, tags);
			}
			finally {
				looked();
			}
		}
		else {
			// It may take seconds, and all other requests may wait for this thread.
			lookAside();
			this.sending.before(builder, request, tags);
		}
	}

	private void lookAside() {
		try {
			this.looker.execute(this::look);
		}
		catch (RuntimeException | Error ex) {
			looked();
			throw ex;
		}
	}

	private boolean isDue() {
		return this.nanos.getAsLong() - this.lookedAt >= PAUSE_NANOS;
	}

	private void looked() {
		this.inPlace = false;
		this.lookedAt = this.nanos.getAsLong();
		this.busy.set(false);
	}

	private void look() {
		boolean known = true;
		try {
			known = noteWhatIsFound();
		}
		finally {
			looked();
			if (!known) {
				// In a pod, such as the token of its account: the next request looks.
				this.inPlace = true;
			}
		}
	}

	/* Whether we know how to read it. */
	private boolean noteWhatIsFound() {
		Config found = Kubeconfig.find(context());
		if (found == null || found.getAuthProvider() != null) {
			return false;
		}
		String token = found.getOauthToken();
		if (Utils.isNullOrEmpty(token)) {
			token = found.getAutoOAuthToken();
		}
		if (Utils.isNotNullOrEmpty(token)) {
			this.config.setAutoOAuthToken(token);
		}
		return true;
	}

	private @Nullable String context() {
		NamedContext current = this.config.getCurrentContext();
		return (current != null) ? current.getName() : null;
	}

	/* What the user set, or asks for himself, is in no file. */
	private boolean mayChange() {
		return this.config.getOauthTokenProvider() == null && this.config.getAuthProvider() == null
				&& Utils.isNullOrEmpty(this.config.getOauthToken())
				&& (Utils.isNullOrEmpty(this.config.getUsername()) || Utils.isNullOrEmpty(this.config.getPassword()));
	}

	private boolean isCertificateOnly() {
		boolean certificate = Utils.isNotNullOrEmpty(this.config.getClientCertData())
				|| Utils.isNotNullOrEmpty(this.config.getClientCertFile());
		return certificate && Utils.isNullOrEmpty(this.config.getAutoOAuthToken())
				&& Utils.isNullOrEmpty(this.config.getUsername()) && Utils.isNullOrEmpty(this.config.getPassword());
	}

}

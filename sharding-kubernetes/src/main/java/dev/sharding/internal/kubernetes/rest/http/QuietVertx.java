package dev.sharding.internal.kubernetes.rest.http;

import java.lang.reflect.Field;
import java.time.Duration;
import java.time.Instant;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.utils.TokenRefreshInterceptor;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientBuilder;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.ext.web.client.WebClientOptions;

/**
 * Makes clients of Vert.x that wake up and read the kubeconfig seldom. Each has a Vert.x
 * of its own, so that whoever blocks the threads of one delays no other, above all not
 * the one of the Lease. Loaded only where Vert.x is used.
 */
final class QuietVertx extends VertxHttpClientFactory {

	/*
	 * A connection expires after a minute without a request, and may be used for as long
	 * as nobody has looked. The API server closes it after a minute and a half.
	 */
	private static final int CLEANER_MILLIS = 10_000;

	/* It adds a minute to the last time. */
	private static final Instant NEVER = Instant.MAX.minus(Duration.ofMinutes(2));

	/* A client is configured by the thread that began to build it. */
	private final ThreadLocal<VertxHttpClientBuilder<?>> building = new ThreadLocal<>();

	private final boolean checkingThreads;

	QuietVertx(boolean checkingThreads) {
		this.checkingThreads = checkingThreads;
	}

	@Override
	public VertxHttpClientBuilder<VertxHttpClientFactory> newBuilder() {
		VertxHttpClientBuilder<VertxHttpClientFactory> builder = super.newBuilder();
		if (!this.checkingThreads) {
			checkNoThreads(builder);
		}
		this.building.set(builder);
		return builder;
	}

	@Override
	public HttpClient.Builder newBuilder(Config config) {
		return super.newBuilder(config).addOrReplaceInterceptor(TokenRefreshInterceptor.NAME,
				new SeldomTokens(config, new TokenRefreshInterceptor(config, this, NEVER),
						new TokenRefreshInterceptor(config, this, Instant.now()), System::nanoTime, QuietVertx::aside));
	}

	private static void aside(Runnable look) {
		Thread thread = new Thread(look, "sharding-token");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	protected void additionalConfig(WebClientOptions options) {
		options.setPoolCleanerPeriod(CLEANER_MILLIS);
		VertxHttpClientBuilder<?> builder = this.building.get();
		this.building.remove();
		SSLEngineOptions engine = (builder != null) ? NativeTls.of(builder) : null;
		if (engine != null) {
			options.setSslEngineOptions(engine);
		}
	}

	/* With a Vert.x made elsewhere the client would leave it open when it is closed. */
	private static void checkNoThreads(VertxHttpClientBuilder<?> builder) {
		try {
			Field made = VertxHttpClientBuilder.class.getDeclaredField("vertx");
			made.setAccessible(true);
			((VertxInternal) made.get(builder)).blockedThreadChecker().close();
		}
		catch (ReflectiveOperationException | RuntimeException | LinkageError ex) {
			// It looks once a second, as it would by itself.
		}
	}

}

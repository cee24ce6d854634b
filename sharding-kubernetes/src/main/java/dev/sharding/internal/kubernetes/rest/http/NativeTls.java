package dev.sharding.internal.kubernetes.rest.http;

import java.util.Arrays;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;

import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import io.fabric8.kubernetes.client.http.TlsVersion;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS by the native library that Netty brings, where it is on the class path
 * ({@code netty-tcnative-boringssl-static}) and fits the machine. Our launch has the
 * quick compiler only, which knows no instructions for AES and GHASH, so that TLS in Java
 * is a sixth of the CPU time of a busy shard. Whom to trust and who we are decide the
 * same managers of the JDK. Netty's own switch,
 * {@code -Dio.netty.handler.ssl.noOpenSsl=true}, leaves TLS to the JDK.
 */
final class NativeTls {

	private NativeTls() {
	}

	/**
	 * Returns what has connections of a client use the native library.
	 * @param builder knows the managers of the client
	 * @return {@code null} if the JDK is to do it: without the library, or where managers
	 * are more than the library takes
	 */
	static @Nullable SSLEngineOptions of(StandardHttpClientBuilder<?, ?, ?> builder) {
		TrustManager[] trust = builder.getTrustManagers();
		KeyManager[] keys = builder.getKeyManagers();
		if (builder.getSslContext() == null || trust == null || trust.length != 1 || (keys != null && keys.length > 1)
				|| !OpenSsl.isAvailable()) {
			return null;
		}
		TlsVersion[] versions = builder.getTlsVersions();
		try {
			SslContextBuilder context = SslContextBuilder.forClient()
				.sslProvider(SslProvider.OPENSSL)
				.trustManager(trust[0]);
			if (keys != null && keys.length == 1) {
				context.keyManager(keys[0]);
			}
			if (versions != null) {
				context.protocols(Arrays.stream(versions).map(TlsVersion::javaName).toList());
			}
			return new Options(context.build());
		}
		catch (SSLException | IllegalArgumentException ex) {
			return null;
		}
	}

	/* One context for all connections of a client, as the client's own is. */
	private static final class Options extends JdkSSLEngineOptions {

		private final SslContext context;

		Options(SslContext context) {
			this.context = context;
		}

		@Override
		public JdkSSLEngineOptions copy() {
			return new Options(this.context);
		}

		@Override
		public SslContextFactory sslContextFactory() {
			return () -> this.context;
		}

	}

}

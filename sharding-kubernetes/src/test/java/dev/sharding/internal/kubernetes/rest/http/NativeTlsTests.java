package dev.sharding.internal.kubernetes.rest.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import io.netty.handler.ssl.OpenSslContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * TLS by the native library lets through and refuses what the JDK's does: each case is
 * played by both, to a server with certificates of the JDK's own making.
 */
class NativeTlsTests {

	private static final char[] PASSWORD = "changeit".toCharArray();

	@TempDir
	private static Path folder;

	@BeforeAll
	static void makeCertificates() throws Exception {
		make("here-rsa", "RSA", "SAN=ip:127.0.0.1");
		make("here-ec", "EC", "SAN=ip:127.0.0.1");
		make("elsewhere", "EC", "SAN=dns:elsewhere.example");
		make("nameless", "EC", "SAN=dns:localhost");
		make("me-rsa", "RSA", "SAN=dns:me");
		make("me-ec", "EC", "SAN=dns:me");
	}

	@Test
	void isUsed() throws Exception {
		try (HttpClient client = client(QuietHttpClients.forOurCode(),
				config("https://127.0.0.1:1", "here-ec", null))) {
			assertThat(client).isNotNull();
			VertxProbe probe = new VertxProbe();
			probe.newBuilder(config("https://127.0.0.1:1", "here-ec", null)).build().close();
			assertThat(probe.engine).isNotNull();
			assertThat(probe.engine.sslContextFactory().create()).isInstanceOf(OpenSslContext.class);
		}
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-",
			value = { "here-rsa, here-rsa, -, CN=-", "here-ec, here-ec, -, CN=-",
					"here-rsa, here-rsa, me-rsa, CN=me-rsa", "here-rsa, here-rsa, me-ec, CN=me-ec",
					"here-ec, here-ec, me-rsa, CN=me-rsa", "here-ec, here-ec, me-ec, CN=me-ec",
					"here-ec, everybody, me-ec, CN=me-ec", "elsewhere, everybody, -, CN=-" })
	void lets(String server, String trusted, @Nullable String me, String seen) throws Exception {
		try (Server there = new Server(server)) {
			Config config = config(there.address(), trusted, me);
			assertThat(answer(new VertxHttpClientFactory(), config)).isEqualTo(seen);
			assertThat(answer(QuietHttpClients.forOurCode(), config)).isEqualTo(seen);
		}
	}

	@ParameterizedTest
	@CsvSource({ "here-ec, here-rsa", "here-rsa, here-ec", "elsewhere, elsewhere", "nameless, nameless" })
	void refuses(String server, String trusted) throws Exception {
		try (Server there = new Server(server)) {
			Config config = config(there.address(), trusted, null);
			for (HttpClient.Factory factory : List.of(new VertxHttpClientFactory(), QuietHttpClients.forOurCode())) {
				assertThatExceptionOfType(IOException.class).isThrownBy(() -> answer(factory, config))
					.havingRootCause()
					.isInstanceOfAny(SSLException.class, java.security.GeneralSecurityException.class);
			}
		}
	}

	private static HttpClient client(HttpClient.Factory factory, Config config) {
		return factory.newBuilder(config).build();
	}

	private static String answer(HttpClient.Factory factory, Config config) throws Exception {
		try (HttpClient client = client(factory, config)) {
			return client.sendAsync(client.newHttpRequestBuilder().uri(config.getMasterUrl()).build(), String.class)
				.get()
				.body();
		}
		catch (java.util.concurrent.ExecutionException ex) {
			throw new IOException(ex.getCause());
		}
	}

	private static Config config(String address, String trusted, @Nullable String me) throws Exception {
		ConfigBuilder config = new ConfigBuilder(Config.empty()).withMasterUrl(address).withRequestRetryBackoffLimit(0);
		if (trusted.equals("everybody")) {
			config.withTrustCerts(true).withDisableHostnameVerification(true);
		}
		else {
			config.withCaCertData(pem("CERTIFICATE", keys(trusted).getCertificate("key").getEncoded()));
		}
		if (me != null) {
			KeyStore keys = keys(me);
			config.withClientCertData(pem("CERTIFICATE", keys.getCertificate("key").getEncoded()))
				.withClientKeyData(pem("PRIVATE KEY", keys.getKey("key", PASSWORD).getEncoded()))
				.withClientKeyAlgo(keys.getKey("key", PASSWORD).getAlgorithm());
		}
		return config.build();
	}

	/* The JDK has no other way to make a certificate. */
	private static void make(String name, String algorithm, String extension) throws Exception {
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "key", "-keyalg", algorithm, "-dname", "CN=" + name, "-ext", extension,
				"-storetype", "PKCS12", "-storepass", new String(PASSWORD), "-keystore",
				folder.resolve(name).toString())
			.redirectErrorStream(true)
			.start();
		assertThat(keytool.waitFor()).isZero();
	}

	private static KeyStore keys(String name) throws Exception {
		return KeyStore.getInstance(folder.resolve(name).toFile(), PASSWORD);
	}

	private static String pem(String kind, byte[] content) {
		String text = "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind,
				Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content), kind);
		return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
	}

	/** Tells what a client would use. */
	private static final class VertxProbe {

		private io.vertx.core.net.@Nullable SSLEngineOptions engine;

		private HttpClient.Builder newBuilder(Config config) {
			HttpClient.Builder builder = new VertxHttpClientFactory().newBuilder(config);
			this.engine = NativeTls.of((io.fabric8.kubernetes.client.http.StandardHttpClientBuilder<?, ?, ?>) builder);
			return builder;
		}

	}

	/** Says who asked. */
	private static final class Server implements AutoCloseable {

		private final HttpsServer server;

		Server(String name) throws Exception {
			KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
			keys.init(keys(name), PASSWORD);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(keys.getKeyManagers(), new TrustManager[] { new Everybody() }, null);
			this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
			this.server.setHttpsConfigurator(new HttpsConfigurator(context) {
				@Override
				public void configure(HttpsParameters parameters) {
					SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
					wanted.setWantClientAuth(true);
					parameters.setSSLParameters(wanted);
				}
			});
			this.server.createContext("/", (exchange) -> {
				byte[] who = who((HttpsExchange) exchange).getBytes(StandardCharsets.UTF_8);
				exchange.sendResponseHeaders(200, who.length);
				exchange.getResponseBody().write(who);
				exchange.close();
			});
			this.server.start();
		}

		private static String who(HttpsExchange exchange) {
			try {
				return exchange.getSSLSession().getPeerPrincipal().getName();
			}
			catch (SSLPeerUnverifiedException ex) {
				return "CN=-";
			}
		}

		String address() {
			return "https://127.0.0.1:" + this.server.getAddress().getPort();
		}

		@Override
		public void close() {
			this.server.stop(0);
		}

	}

	/** Lets in whoever comes. */
	private static final class Everybody implements X509TrustManager {

		@Override
		public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String authType) {
		}

		@Override
		public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String authType) {
		}

		@Override
		public java.security.cert.X509Certificate[] getAcceptedIssuers() {
			return new java.security.cert.X509Certificate[0];
		}

	}

}

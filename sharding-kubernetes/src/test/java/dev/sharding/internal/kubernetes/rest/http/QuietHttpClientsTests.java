package dev.sharding.internal.kubernetes.rest.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import io.fabric8.kubernetes.client.utils.TokenRefreshInterceptor;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * When a client reads its kubeconfig again. By itself it does so when its credentials are
 * refused, as here, and for requests from a minute on after it was made. What it read
 * shows in the token that it then sends.
 */
@Isolated("sets system properties")
class QuietHttpClientsTests {

	private static final String CHECKER = "vertx-blocked-thread-checker";

	private final List<String> credentials = new CopyOnWriteArrayList<>();

	private static String certificate = "";

	@TempDir
	private Path folder;

	private Properties before = new Properties();

	private HttpServer refusing;

	@BeforeAll
	static void makeCertificate(@TempDir Path keys) throws Exception {
		certificate = certificate(keys.resolve("keys.p12"));
	}

	@BeforeEach
	void start() throws IOException {
		this.before = (Properties) System.getProperties().clone();
		System.setProperty("kubeconfig", this.folder.resolve("config").toString());
		this.refusing = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.refusing.createContext("/", (exchange) -> {
			this.credentials.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
			exchange.sendResponseHeaders(401, -1);
			exchange.close();
		});
		this.refusing.start();
	}

	@AfterEach
	void stop() {
		this.refusing.stop(0);
		System.setProperties(this.before);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', value = { "as: nobody | null", "token: first | Bearer first",
			"password: alone | null", "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./absent} | null" })
	void readsItWhenRefused(String user, String sent) throws IOException {
		use(certificate + ", " + user);
		Config config = Config.autoConfigure(null);
		try (KubernetesClient client = Kubeconfig.newBuilder().withConfig(config).build();
				KubernetesClient leases = LeaseClients.create(config, RenewalTimings.DEFAULTS)) {
			use("token: later");
			for (KubernetesClient each : List.of(client, leases)) {
				this.credentials.clear();
				assertRefused(each);
				assertThat(this.credentials).containsExactly(sent, "Bearer later");
			}
		}
	}

	@Test
	void readsItForNoRequestThatIsNotRefused() throws IOException {
		use(certificate);
		Config config = Config.autoConfigure(null);
		try (KubernetesClient theirs = client(config, anHourOld(config));
				KubernetesClient ours = client(config, seldom(config, () -> 0))) {
			use("token: later");
			assertRefused(ours);
			assertThat(this.credentials).containsExactly("null", "Bearer later");
			config.setAutoOAuthToken(null);
			this.credentials.clear();
			assertRefused(theirs);
			assertThat(this.credentials).first().isEqualTo("Bearer later");
		}
	}

	@Test
	void itsClientsDoSo() throws IOException {
		use(certificate);
		try (KubernetesClient client = Kubeconfig.newBuilder().build();
				KubernetesClient leases = LeaseClients.create(client.getConfiguration(), RenewalTimings.DEFAULTS)) {
			for (KubernetesClient each : List.of(client, leases)) {
				StandardHttpClientBuilder<?, ?, ?> http = (StandardHttpClientBuilder<?, ?, ?>) each.getHttpClient()
					.newBuilder();
				assertThat(http.getInterceptors().get(TokenRefreshInterceptor.NAME)).isInstanceOf(SeldomTokens.class);
			}
		}
	}

	@Test
	void leavesOtherTransportsAsTheyAre() throws IOException {
		use(certificate);
		Path services = Files.createDirectories(this.folder.resolve("META-INF/services"));
		Files.writeString(services.resolve(HttpClient.Factory.class.getName()), OtherTransport.class.getName());
		ClassLoader usual = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(new URL[] { this.folder.toUri().toURL() }, usual)) {
			Thread.currentThread().setContextClassLoader(loader);
			try (KubernetesClient client = Kubeconfig.newBuilder().build()) {
				assertRefused(client);
				assertThat(this.credentials).containsExactly("theirs");
			}
		}
		finally {
			Thread.currentThread().setContextClassLoader(usual);
		}
	}

	private static Interceptor anHourOld(Config config) {
		return new TokenRefreshInterceptor(config, Instant.now().minus(1, ChronoUnit.HOURS),
				(newest) -> new CompletableFuture<>());
	}

	@Test
	void oneRequestAMinuteLooksForANewToken() throws IOException {
		use("token: first");
		AtomicLong nanos = new AtomicLong();
		Config config = Config.autoConfigure(null);
		try (KubernetesClient client = client(config, seldom(config, nanos::get))) {
			use("token: later");
			assertRefusedOnce(client, "Bearer first");
			nanos.addAndGet(Duration.ofSeconds(61).toNanos());
			assertRefusedOnce(client, "Bearer later");
			use("token: latest");
			nanos.addAndGet(Duration.ofSeconds(60).toNanos());
			assertRefusedOnce(client, "Bearer later");
			nanos.addAndGet(Duration.ofSeconds(1).toNanos());
			assertRefusedOnce(client, "Bearer latest");
		}
	}

	@Test
	void noOtherRequestWaitsForTheOneThatLooks() throws Exception {
		CountDownLatch looking = new CountDownLatch(1);
		CountDownLatch found = new CountDownLatch(1);
		AtomicLong nanos = new AtomicLong();
		Config config = Config.empty();
		config.setAutoOAuthToken("known");
		Interceptor sending = sending(config);
		SeldomTokens tokens = new SeldomTokens(config, sending, new Interceptor() {
			@Override
			public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
				looking.countDown();
				assertThatNoException().isThrownBy(() -> assertThat(found.await(1, TimeUnit.MINUTES)).isTrue());
				sending.before(builder, request, tags);
			}
		}, nanos::get, Runnable::run);
		nanos.set(Duration.ofSeconds(61).toNanos());
		List<String> first = new CopyOnWriteArrayList<>();
		Thread slow = new Thread(() -> tokens.before(noting(first), null, null));
		slow.start();
		assertThat(looking.await(1, TimeUnit.MINUTES)).isTrue();
		List<String> second = new CopyOnWriteArrayList<>();
		tokens.before(noting(second), null, null);
		assertThat(second).containsExactly("Bearer known");
		assertThat(first).isEmpty();
		found.countDown();
		slow.join();
		assertThat(first).containsExactly("Bearer known");
	}

	@Test
	void noRequestWaitsForAKubeconfig() throws IOException {
		use("token: first");
		AtomicLong nanos = new AtomicLong();
		Config config = Config.autoConfigure(null);
		List<Runnable> looks = new ArrayList<>();
		SeldomTokens tokens = new SeldomTokens(config, sending(config), anHourOld(config), nanos::get, looks::add);
		use("token: later");
		nanos.set(Duration.ofSeconds(61).toNanos());
		List<String> sent = new ArrayList<>();
		tokens.before(noting(sent), null, null);
		tokens.before(noting(sent), null, null);
		assertThat(sent).containsExactly("Bearer first", "Bearer first");
		assertThat(looks).hasSize(1);
		looks.get(0).run();
		tokens.before(noting(sent), null, null);
		assertThat(sent).last().isEqualTo("Bearer later");
	}

	/* In a pod it is a small file. */
	@Test
	void theRequestLooksWhereThereIsNoKubeconfig() throws IOException {
		use("token: first");
		AtomicLong nanos = new AtomicLong();
		Config config = Config.autoConfigure(null);
		List<String> looked = new ArrayList<>();
		SeldomTokens tokens = new SeldomTokens(config, sending(config), new Interceptor() {
			@Override
			public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
				looked.add("in place");
			}
		}, nanos::get, Runnable::run);
		System.setProperty("kubeconfig", this.folder.resolve("absent").toString());
		nanos.set(Duration.ofSeconds(61).toNanos());
		List<String> sent = new ArrayList<>();
		tokens.before(noting(sent), null, null);
		tokens.before(noting(sent), null, null);
		tokens.before(noting(sent), null, null);
		assertThat(sent).containsExactly("Bearer first", "Bearer first");
		assertThat(looked).containsExactly("in place");
	}

	@ParameterizedTest
	@CsvSource({ "first, second", "second, first" })
	void looksInTheContextThatIsUsed(String used, String current) throws IOException {
		AtomicLong nanos = new AtomicLong();
		useContexts("first");
		Config config = Config.autoConfigure(used);
		String token = config.getAutoOAuthToken();
		assertThat(token).isEqualTo("of-" + used);
		try (KubernetesClient client = client(config, seldom(config, nanos::get))) {
			useContexts(current);
			nanos.addAndGet(Duration.ofSeconds(61).toNanos());
			assertRefusedOnce(client, "Bearer of-" + used);
		}
	}

	private void assertRefusedOnce(KubernetesClient client, String sent) {
		this.credentials.clear();
		assertRefused(client);
		assertThat(this.credentials).first().isEqualTo(sent);
	}

	private static SeldomTokens seldom(Config config, LongSupplier nanos) {
		return new SeldomTokens(config, sending(config), anHourOld(config), nanos, Runnable::run);
	}

	private static Interceptor sending(Config config) {
		return new TokenRefreshInterceptor(config, Instant.MAX.minus(Duration.ofMinutes(2)),
				(newest) -> new CompletableFuture<>());
	}

	private static BasicBuilder noting(List<String> headers) {
		return new BasicBuilder() {
			@Override
			public BasicBuilder uri(URI uri) {
				return this;
			}

			@Override
			public BasicBuilder header(String name, String value) {
				headers.add(value);
				return this;
			}

			@Override
			public BasicBuilder setHeader(String name, String value) {
				headers.add(value);
				return this;
			}
		};
	}

	private static KubernetesClient client(Config config, Interceptor tokens) {
		return Kubeconfig.newBuilder()
			.withConfig(config)
			.withHttpClientBuilderConsumer((http) -> http.addOrReplaceInterceptor(TokenRefreshInterceptor.NAME, tokens))
			.build();
	}

	@Test
	void checksNoThreadsThatRunOnlyOurCode() throws IOException {
		use(certificate);
		Set<Thread> others = checkers();
		try (KubernetesClient leases = LeaseClients.create(Config.autoConfigure(null), RenewalTimings.DEFAULTS)) {
			assertRefused(leases);
			await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(others).containsAll(checkers()));
		}
	}

	@Test
	void checksThoseOfAnyCode() throws IOException {
		use(certificate);
		Set<Thread> others = checkers();
		try (KubernetesClient client = Kubeconfig.newBuilder().build()) {
			assertRefused(client);
			assertThat(checkers()).anyMatch((one) -> !others.contains(one));
		}
		await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(others).containsAll(checkers()));
	}

	private static Set<Thread> checkers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((one) -> one.getName().equals(CHECKER))
			.collect(Collectors.toSet());
	}

	private static void assertRefused(KubernetesClient client) {
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> client.namespaces().withName("default").get())
			.satisfies((failure) -> assertThat(failure.getCode()).isEqualTo(401));
	}

	/* The JDK has no other way to make a certificate. */
	private static String certificate(Path file) throws Exception {
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "key", "-keyalg", "RSA", "-dname", "CN=me", "-storetype", "PKCS12",
				"-storepass", "changeit", "-keystore", file.toString())
			.redirectErrorStream(true)
			.start();
		assertThat(keytool.waitFor()).isZero();
		KeyStore keys = KeyStore.getInstance(file.toFile(), "changeit".toCharArray());
		return "client-certificate-data: %s, client-key-data: %s".formatted(
				pem("CERTIFICATE", keys.getCertificate("key").getEncoded()),
				pem("PRIVATE KEY", keys.getKey("key", "changeit".toCharArray()).getEncoded()));
	}

	private static String pem(String kind, byte[] content) {
		String text = "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind,
				Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content), kind);
		return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
	}

	private void useContexts(String current) throws IOException {
		Files.writeString(this.folder.resolve("config"), """
				current-context: %s
				contexts:
				- {name: first, context: {cluster: here, user: first}}
				- {name: second, context: {cluster: here, user: second}}
				clusters:
				- {name: here, cluster: {server: 'http://127.0.0.1:%s'}}
				users:
				- {name: first, user: {token: of-first}}
				- {name: second, user: {token: of-second}}
				""".formatted(current, this.refusing.getAddress().getPort()));
	}

	private void use(String user) throws IOException {
		Files.writeString(this.folder.resolve("config"), """
				current-context: one
				contexts:
				- {name: one, context: {cluster: here, user: me}}
				clusters:
				- {name: here, cluster: {server: 'http://127.0.0.1:%s'}}
				users:
				- {name: me, user: {%s}}
				""".formatted(this.refusing.getAddress().getPort(), user));
	}

	/** What a user puts on the class path. */
	public static final class OtherTransport extends VertxHttpClientFactory {

		@Override
		public int priority() {
			return 1;
		}

		@Override
		public HttpClient.Builder newBuilder(Config config) {
			return super.newBuilder(config).addOrReplaceInterceptor(TokenRefreshInterceptor.NAME, new Interceptor() {
				@Override
				public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
					builder.header("Authorization", "theirs");
				}
			});
		}

	}

}

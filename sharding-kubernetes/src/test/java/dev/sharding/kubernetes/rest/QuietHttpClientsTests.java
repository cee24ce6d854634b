package dev.sharding.kubernetes.rest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.sharding.core.lease.RenewalTimings;
import dev.sharding.kubernetes.lease.LeaseClients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Whether a client reads its kubeconfig again. By itself it does so when its credentials
 * are refused, as here, and a minute after it was made. What it read shows in the token
 * that it then sends.
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

	@Test
	void readsNoKubeconfigAgainForACertificate() throws IOException {
		use(certificate);
		try (KubernetesClient client = Kubeconfig.newBuilder().build()) {
			use("token: later");
			assertRefused(client);
			assertThat(this.credentials).containsExactly("null");
		}
	}

	@Test
	void theLeaseClientReadsNoneAgainForACertificate() throws IOException {
		use(certificate);
		try (KubernetesClient client = LeaseClients.create(Objects.requireNonNull(Kubeconfig.find()),
				RenewalTimings.DEFAULTS)) {
			use("token: later");
			assertRefused(client);
			assertThat(this.credentials).containsExactly("null");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', value = { "token: first | Bearer first", "password: alone | null",
			"exec: {apiVersion: client.authentication.k8s.io/v1, command: ./absent} | null" })
	void readsItForAllElse(String user, String sent) throws IOException {
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
	void checksNoThreadsThatRunOnlyOurCode() throws IOException {
		use(certificate);
		Set<Thread> others = checkers();
		try (KubernetesClient leases = LeaseClients.create(Config.autoConfigure(null), RenewalTimings.DEFAULTS)) {
			assertRefused(leases);
			await().untilAsserted(() -> assertThat(others).containsAll(checkers()));
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
		await().untilAsserted(() -> assertThat(others).containsAll(checkers()));
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

}

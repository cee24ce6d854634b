package dev.sharding.test;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/**
 * A validating webhook that the API server asks about each change of the Secrets and
 * ConfigMaps of one namespace, and that denies some of them in the words of a test, such
 * as when to come back. Creates and deletes pass.
 */
public final class DenyingWebhook implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final char[] PASSWORD = "changeit".toCharArray();

	private final KubernetesClient admin;

	private final Function<String, @Nullable String> denial;

	private final HttpsServer server;

	private final ValidatingWebhookConfiguration configuration;

	private final List<Question> questions = new CopyOnWriteArrayList<>();

	private volatile boolean known;

	private DenyingWebhook(KubernetesClient admin, String namespace, Function<String, @Nullable String> denial)
			throws IOException, GeneralSecurityException {
		this.admin = admin;
		this.denial = denial;
		KeyStore keys = keys();
		KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		managers.init(keys, PASSWORD);
		SSLContext tls = SSLContext.getInstance("TLS");
		tls.init(managers.getKeyManagers(), null, null);
		this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setHttpsConfigurator(new HttpsConfigurator(tls));
		this.server.setExecutor((task) -> Daemons.start("denying-webhook", task));
		this.server.createContext("/", this::answer);
		this.server.start();
		String certificate = "-----BEGIN CERTIFICATE-----\n"
				+ Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(keys.getCertificate("key").getEncoded())
				+ "\n-----END CERTIFICATE-----\n";
		this.configuration = configuration(namespace,
				Base64.getEncoder().encodeToString(certificate.getBytes(StandardCharsets.UTF_8)));
		this.admin.resource(this.configuration).create();
		Waits.until(TIMEOUT, "the webhook", () -> isAsked(namespace));
	}

	/**
	 * Denies changes until this is closed.
	 * @param admin a client of the administrator
	 * @param namespace where
	 * @param denial gets the name of an object that is about to change, and returns the
	 * {@code Status} that the webhook denies it with as JSON, or {@code null} to allow
	 * it. Called from any thread
	 * @return the webhook, in effect
	 */
	public static DenyingWebhook in(KubernetesClient admin, String namespace,
			Function<String, @Nullable String> denial) {
		try {
			return new DenyingWebhook(admin, namespace, denial);
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException("Failed to start a webhook", ex);
		}
	}

	/**
	 * What the API server has asked about changes of an object, in order.
	 * @param name the object
	 */
	public List<Question> questions(String name) {
		return this.questions.stream().filter((question) -> question.name().equals(name)).toList();
	}

	/* The JDK has no other way to make a certificate. */
	private static KeyStore keys() throws IOException, GeneralSecurityException {
		Path folder = Files.createTempDirectory("sharding-webhook-");
		Path file = folder.resolve("keys.p12");
		try {
			Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
					"-genkeypair", "-alias", "key", "-keyalg", "EC", "-groupname", "secp256r1", "-dname",
					"CN=denying-webhook", "-ext", "san=ip:127.0.0.1", "-validity", "2", "-startdate", "-1d",
					"-storetype", "PKCS12", "-storepass", new String(PASSWORD), "-keystore", file.toString())
				.redirectErrorStream(true)
				.start();
			String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (keytool.waitFor() != 0) {
				throw new IOException("keytool failed: " + output);
			}
			KeyStore keys = KeyStore.getInstance("PKCS12");
			try (InputStream in = Files.newInputStream(file)) {
				keys.load(in, PASSWORD);
			}
			return keys;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted while making a certificate", ex);
		}
		finally {
			Files.deleteIfExists(file);
			Files.deleteIfExists(folder);
		}
	}

	private ValidatingWebhookConfiguration configuration(String namespace, String authority) {
		return new ValidatingWebhookConfigurationBuilder().withNewMetadata()
			.withName("denying-" + UUID.randomUUID())
			.endMetadata()
			.addNewWebhook()
			.withName("denying.sharding.dev")
			.withAdmissionReviewVersions("v1")
			.withSideEffects("None")
			.withFailurePolicy("Fail")
			.withTimeoutSeconds(30)
			.withNewClientConfig()
			.withUrl("https://127.0.0.1:%d/".formatted(this.server.getAddress().getPort()))
			.withCaBundle(authority)
			.endClientConfig()
			.withNewNamespaceSelector()
			.addToMatchLabels("kubernetes.io/metadata.name", namespace)
			.endNamespaceSelector()
			.addNewRule()
			.withApiGroups("")
			.withApiVersions("v1")
			.withResources("secrets", "configmaps")
			.withOperations("CREATE", "UPDATE")
			.endRule()
			.endWebhook()
			.build();
	}

	/* The API server learns of it through a watch of its own, thus a moment later. */
	private boolean isAsked(String namespace) {
		try {
			this.admin
				.resource(new SecretBuilder().withNewMetadata()
					.withNamespace(namespace)
					.withGenerateName("denying-probe-")
					.endMetadata()
					.build())
				.dryRun(true)
				.create();
		}
		catch (KubernetesClientException ex) {
			return false;
		}
		return this.known;
	}

	@SuppressWarnings("unchecked")
	private void answer(HttpExchange exchange) throws IOException {
		try (exchange) {
			Map<String, Object> review = this.admin.getKubernetesSerialization()
				.unmarshal(exchange.getRequestBody(), Map.class);
			Map<String, Object> request = Objects.requireNonNull((Map<String, Object>) review.get("request"),
					"A review without a request");
			String status = "UPDATE".equals(request.get("operation")) ? ask(String.valueOf(request.get("name"))) : null;
			this.known = true;
			Map<String, Object> response = new LinkedHashMap<>();
			response.put("uid", request.get("uid"));
			response.put("allowed", status == null);
			if (status != null) {
				response.put("status", this.admin.getKubernetesSerialization().unmarshal(status, Map.class));
			}
			byte[] body = this.admin.getKubernetesSerialization()
				.asJson(Map.of("apiVersion", "admission.k8s.io/v1", "kind", "AdmissionReview", "response", response))
				.getBytes(StandardCharsets.UTF_8);
			exchange.getResponseHeaders().set("Content-Type", "application/json");
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
		}
	}

	private @Nullable String ask(String name) {
		String status = this.denial.apply(name);
		this.questions.add(new Question(name, status != null, System.nanoTime()));
		return status;
	}

	/** Changes pass again. */
	@Override
	public void close() {
		this.admin.resource(this.configuration).delete();
		this.server.stop(0);
	}

	/**
	 * A change that the API server asked about.
	 *
	 * @param name the name of the object
	 * @param denied whether it was denied
	 * @param nanos when, of {@link System#nanoTime()}
	 */
	public record Question(String name, boolean denied, long nanos) {
	}

}

package dev.sharding.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.api.model.APIServiceBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;

/**
 * An aggregated API as the API server finds one behind an APIService: it serves one Note,
 * and versions that are mere names.
 */
final class OpaqueApi implements AutoCloseable {

	static final ResourceDefinitionContext NOTES = new ResourceDefinitionContext.Builder()
		.withGroup("opaque.example.com")
		.withVersion("v1")
		.withKind("Note")
		.withPlural("notes")
		.withNamespaced(true)
		.build();

	private static final String ROOT = "/apis/opaque.example.com/v1";

	private static final String RESOURCES = """
			{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"opaque.example.com/v1","resources":[\
			{"name":"notes","singularName":"note","namespaced":true,"kind":"Note","verbs":["get","list","watch"]}]}""";

	private static final String LIST = """
			{"kind":"NoteList","apiVersion":"opaque.example.com/v1","metadata":{"resourceVersion":"wednesday"},"items":[\
			{"kind":"Note","apiVersion":"opaque.example.com/v1","metadata":{"namespace":"%s","name":"note",\
			"uid":"u-1","resourceVersion":"monday"}}]}""";

	private static final String REFUSAL = """
			{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest","code":400,\
			"message":"initial events are not sent"}""";

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HttpsServer server;

	private final Service service;

	private final APIService registration;

	private final KubernetesClient client;

	private final String namespace;

	OpaqueApi(KubernetesClient client, String namespace, Path folder) throws Exception {
		this.client = client;
		this.namespace = namespace;
		this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setHttpsConfigurator(new HttpsConfigurator(tls(folder)));
		this.server.setExecutor(this.threads);
		this.server.createContext(ROOT, this::answer);
		this.server.start();
		this.service = client
			.resource(new ServiceBuilder().withNewMetadata()
				.withNamespace(namespace)
				.withName("opaque")
				.endMetadata()
				.withNewSpec()
				.withType("ExternalName")
				.withExternalName("localhost")
				.endSpec()
				.build())
			.create();
		this.registration = client
			.resource(new APIServiceBuilder().withNewMetadata()
				.withName("v1.opaque.example.com")
				.endMetadata()
				.withNewSpec()
				.withGroup("opaque.example.com")
				.withVersion("v1")
				.withGroupPriorityMinimum(1_000)
				.withVersionPriority(15)
				.withInsecureSkipTLSVerify(true)
				.withNewService("opaque", namespace, this.server.getAddress().getPort())
				.endSpec()
				.build())
			.create();
		// The condition Available comes a moment before requests are passed on.
		World.soon()
			.ignoreExceptions()
			.until(() -> client.genericKubernetesResources(NOTES).inNamespace(namespace).list().getItems().size() == 1);
	}

	private void answer(HttpExchange exchange) throws IOException {
		String query = String.valueOf(exchange.getRequestURI().getQuery());
		if (exchange.getRequestURI().getPath().equals(ROOT)) {
			send(exchange, 200, RESOURCES);
		}
		else if (query.contains("sendInitialEvents")) {
			send(exchange, 400, REFUSAL);
		}
		else if (query.contains("watch=1")) {
			// Nothing ever happens.
			exchange.getResponseHeaders().set("Content-Type", "application/json");
			exchange.sendResponseHeaders(200, 0);
			exchange.getResponseBody().flush();
		}
		else {
			send(exchange, 200, LIST.formatted(this.namespace));
		}
	}

	private static void send(HttpExchange exchange, int status, String body) throws IOException {
		byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		exchange.sendResponseHeaders(status, bytes.length);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	/* The JDK makes certificates by its program only. */
	private static SSLContext tls(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
		Path store = folder.resolve("opaque.p12");
		String password = "password";
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "opaque", "-keyalg", "EC", "-dname", "CN=localhost", "-storetype", "PKCS12",
				"-keystore", store.toString(), "-storepass", password)
			.inheritIO()
			.start();
		if (keytool.waitFor() != 0) {
			throw new IllegalStateException("Failed to make a certificate");
		}
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream stream = Files.newInputStream(store)) {
			keys.load(stream, password.toCharArray());
		}
		KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		managers.init(keys, password.toCharArray());
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(managers.getKeyManagers(), null, null);
		return context;
	}

	@Override
	public void close() {
		this.client.resource(this.registration).delete();
		this.client.resource(this.service).delete();
		this.server.stop(0);
		this.threads.shutdownNow();
	}

}

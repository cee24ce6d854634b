package dev.sharding.test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * A way into a control plane: one user at one address. Clients that it gives are closed
 * with the control plane.
 */
public final class Access {

	private final String user;

	private final String token;

	private final int port;

	private final ServerFiles files;

	private final Clients clients;

	Access(String user, String token, int port, ServerFiles files, Clients clients) {
		this.user = user;
		this.token = token;
		this.port = port;
		this.files = files;
		this.clients = clients;
	}

	/**
	 * The name by which the API server knows the user, as audit logs and RBAC write it.
	 */
	public String user() {
		return this.user;
	}

	/** The same user at another API server of the same control plane. */
	public Access at(ApiServer apiServer) {
		return new Access(this.user, this.token, apiServer.port(), this.files, this.clients);
	}

	/** The same user through a proxy. */
	public Access through(TcpProxy proxy) {
		return new Access(this.user, this.token, proxy.port(), this.files, this.clients);
	}

	/**
	 * A configuration for a client of one's own. It takes nothing from the environment.
	 */
	public Config config() {
		return config(url(), this.files.certificate(), this.token).build();
	}

	static ConfigBuilder config(String url, String certificate, String token) {
		return new ConfigBuilder(Config.empty()).withMasterUrl(url)
			.withCaCertData(base64(certificate))
			.withOauthToken(token)
			.withNamespace("default");
	}

	/** A new client. */
	public KubernetesClient client() {
		return this.clients.create(config());
	}

	/** A kubeconfig with the certificate and the token in it. */
	public String kubeconfig() {
		return """
				apiVersion: v1
				kind: Config
				clusters:
				- name: sharding-test
				  cluster:
				    server: %s
				    certificate-authority-data: %s
				users:
				- name: user
				  user:
				    token: %s
				contexts:
				- name: sharding-test
				  context:
				    cluster: sharding-test
				    user: user
				    namespace: default
				current-context: sharding-test
				""".formatted(url(), base64(this.files.certificate()), this.token);
	}

	/** A file with the kubeconfig, which goes away with the control plane. */
	public Path kubeconfigFile() {
		String name = "kubeconfig-" + this.user.replaceAll("[^A-Za-z0-9.-]", "_") + "-" + this.port + ".yaml";
		try {
			return Files.writeString(this.files.folder().resolve(name), kubeconfig());
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to write " + name, ex);
		}
	}

	/** A client of the JDK, for what the one of fabric8 does not do. */
	HttpClient jdkClient() {
		try {
			return HttpClient.newBuilder()
				.version(HttpClient.Version.HTTP_1_1)
				.sslContext(trusting(this.files.certificate()))
				.build();
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException("Failed to read the certificate of the API server", ex);
		}
	}

	/* The API server's certificate is its own authority. */
	private static SSLContext trusting(String certificates) throws IOException, GeneralSecurityException {
		KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
		trusted.load(null, null);
		try (InputStream pem = new ByteArrayInputStream(certificates.getBytes(StandardCharsets.UTF_8))) {
			for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
				trusted.setCertificateEntry(String.valueOf(trusted.size()), certificate);
			}
		}
		TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		managers.init(trusted);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, managers.getTrustManagers(), null);
		return context;
	}

	private String url() {
		return "https://127.0.0.1:" + this.port;
	}

	private static String base64(String text) {
		return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
	}

	@Override
	public String toString() {
		return this.user + "@" + url();
	}

}

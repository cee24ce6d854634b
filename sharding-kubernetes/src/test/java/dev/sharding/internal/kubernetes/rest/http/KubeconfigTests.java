package dev.sharding.internal.kubernetes.rest.http;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** Compares what we find with what the client finds by itself. */
@Isolated("sets system properties")
class KubeconfigTests {

	private static final String CLUSTER = """
			apiVersion: v1
			kind: Config
			current-context: one
			contexts:
			- {name: one, context: {cluster: here, user: me, namespace: mine}}
			- {name: two, context: {cluster: there, user: you, namespace: yours}}
			clusters:
			- name: here
			  cluster: {server: 'https://here.example:6443', certificate-authority: ca.crt}
			""";

	@TempDir
	private Path folder;

	private Properties before = new Properties();

	@BeforeEach
	void noOtherConfiguration() {
		this.before = (Properties) System.getProperties().clone();
	}

	@AfterEach
	void restore() {
		System.setProperties(this.before);
	}

	@ParameterizedTest
	@ValueSource(strings = { "user: {client-certificate: me.crt, client-key: keys/me.key}",
			"user: {client-certificate: /abs/me.crt, client-key-data: LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCg==}",
			"user: {client-certificate-data: bWU=, client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo=}",
			"user: {token: secret}", "user: {username: me, password: secret}", "user: {}",
			"user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, args: [token], env: [{name: A, value: b}]}}",
			"user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, args: [certificate]}}",
			"user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, args: [nonsense]}}",
			"user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./absent}}",
			"user: {auth-provider: {name: oidc, config: {id-token: secret, client-id: me}}}" })
	void credentials(String user) throws IOException {
		plugin();
		Files.createDirectories(this.folder.resolve("keys"));
		Files.writeString(this.folder.resolve("keys/me.key"), "-----BEGIN EC PRIVATE KEY-----\n");
		use(file("config", CLUSTER + "users:\n- name: me\n  " + user + "\n"));
		assertSame();
	}

	@ParameterizedTest
	@ValueSource(strings = { "server: 'http://plain.example', proxy-url: 'http://proxy.example:3128'",
			"server: 'https://here.example', proxy-url: 'https://proxy.example:3128'",
			"server: 'https://here.example', proxy-url: 'socks5://proxy.example:1080'",
			"server: 'here.example:443', insecure-skip-tls-verify: true",
			"server: 'https://here.example', certificate-authority-data: Y2E=, tls-server-name: other.example",
			"server: 'https://here.example', unknown: [1, {a: b}]" })
	void cluster(String cluster) throws IOException {
		use(file("config", """
				current-context: one
				contexts:
				- {name: one, context: {cluster: here, user: nobody}}
				clusters:
				- {name: here, cluster: {%s}}
				""".formatted(cluster)));
		assertSame();
	}

	@ParameterizedTest
	@ValueSource(strings = { "first second", "second first", "first second absent", "absent empty second",
			"user first second" })
	void severalFiles(String names) throws IOException {
		file("first", CLUSTER);
		file("empty", "");
		file("second", """
				current-context: two
				contexts:
				- {name: one, context: {cluster: there, user: you, namespace: other}}
				clusters:
				- {name: there, cluster: {server: 'https://there.example'}}
				users:
				- {name: me, user: {token: mine}}
				- {name: you, user: {client-certificate: relative.crt, client-key: relative.key}}
				""");
		file("user", "users:\n- {name: me, user: {token: first}}\n");
		use(Stream.of(names.split(" ")).map(this.folder::resolve).toArray(Path[]::new));
		assertSame();
	}

	@ParameterizedTest
	@ValueSource(strings = { "current-context: absent", "current-context: ''", "contexts: [{name: one}]",
			"current-context: one\ncontexts: [{name: one, context: {cluster: absent, user: absent}}]",
			"{\"current-context\": \"one\", \"contexts\": [{\"name\": \"one\", \"context\": {\"namespace\": \"json\"}}]}",
			"current-context: one\ncontexts: [{name: one, context: {namespace: a, extensions:"
					+ " [{name: context_info, extension: {provider: minikube.sigs.k8s.io, version: v1}}]}}]" })
	void contexts(String content) throws IOException {
		use(file("config", content));
		assertSame();
	}

	@ParameterizedTest
	@CsvSource({ "kubernetes.master,https://other.example", "kubernetes.namespace,other", "kubernetes.auth.token,other",
			"kubernetes.certs.ca.file,/other/ca.crt", "kubernetes.certs.client.key.algo,EC",
			"kubernetes.trust.certificates,true", "kubernetes.request.timeout,1234",
			"https.proxy,http://other.example:1", "all.proxy,http://other.example:1", "no.proxy,'a,b'",
			"kubernetes.tls.versions,TLSv1.3", "kubernetes.auth.impersonate.username,somebody" })
	void overrides(String property, String value) throws IOException {
		use(file("config", CLUSTER + "users:\n- {name: me, user: {token: secret}}\n"));
		System.setProperty(property, value);
		assertSame();
	}

	/* Its own way: in a pod, it loads no kinds. */
	@Test
	void leavesThePodToTheClient() throws IOException {
		use(this.folder.resolve("absent"), file("empty", ""));
		System.setProperty("KUBERNETES_SERVICE_HOST", "10.0.0.1");
		System.setProperty("KUBERNETES_SERVICE_PORT", "443");
		System.setProperty("kubernetes.auth.serviceAccount.token", file("token", "in-cluster").toString());
		System.setProperty("kubernetes.certs.ca.file", file("ca.crt", "ca").toString());
		System.setProperty("kubenamespace", file("namespace", "of-the-pod\n").toString());
		assertThat(Kubeconfig.find(null)).isNull();
		try (KubernetesClient client = Kubeconfig.newBuilder().build()) {
			assertThat(client.getConfiguration()).usingRecursiveComparison()
				// {} of a builder.
				.ignoringFields("customHeaders")
				.isEqualTo(Config.autoConfigure(null));
			assertThat(client.getConfiguration().getMasterUrl()).isEqualTo("https://10.0.0.1:443/");
			assertThat(client.getConfiguration().getAutoOAuthToken()).isEqualTo("in-cluster");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "kubernetes.disable.autoConfig=true", "kubernetes.auth.tryKubeConfig=false" })
	void leavesToTheClientWhatIsOff(String property) throws IOException {
		use(file("config", CLUSTER));
		assertThat(Kubeconfig.find(null)).isNotNull();
		System.setProperty(property.split("=")[0], property.split("=")[1]);
		assertThat(Kubeconfig.find(null)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "{", "# nothing", "- a list", "contexts: 7", "a: b\n---\nc: d" })
	void leavesErrorsToTheClient(String content) throws IOException {
		use(file("config", content));
		assertThatException().as("what the client says").isThrownBy(() -> Config.autoConfigure(null));
		assertThat(Kubeconfig.find(null)).isNull();
		assertThatException().isThrownBy(() -> Kubeconfig.newBuilder().build());
	}

	@Test
	void leavesToTheClientWhatNeedsItsKinds() throws IOException {
		use(file("config", "current-context: one\ncontexts: [{name: one, context: {namespace: a, extensions:"
				+ " [{name: pod, extension: {apiVersion: v1, kind: Pod, metadata: {name: a}}}]}}]"));
		assertThat(Kubeconfig.find(null)).isNull();
	}

	@Test
	void theLeaseClientAsksThePluginNoSecondTime() throws IOException {
		plugin();
		use(file("config", CLUSTER.replace("https:", "http:").replace(", certificate-authority: ca.crt", "")
				+ "users:\n- {name: me, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin,"
				+ " args: [token]}}}\n"));
		Config config = Objects.requireNonNull(Kubeconfig.find(null));
		assertThat(config.getAutoOAuthToken()).startsWith("of the plugin");
		try (KubernetesClient leases = LeaseClients.create(config, RenewalTimings.DEFAULTS)) {
			assertThat(leases.getConfiguration()).usingRecursiveComparison()
				.ignoringFields("requestConfig", "connectionTimeout", "requestTimeout", "requestRetryBackoffLimit",
						"userAgent", "customHeaders")
				.isEqualTo(config);
		}
		assertThat(this.folder.resolve("plugin.calls")).hasContent("token");
	}

	private static void assertSame() {
		assertThat(Kubeconfig.find(null)).usingRecursiveComparison()
			.withStrictTypeChecking()
			.isEqualTo(Config.autoConfigure(null));
	}

	private void use(Path... files) {
		System.setProperty("kubeconfig",
				String.join(File.pathSeparator, List.of(files).stream().map(Path::toString).toList()));
	}

	private Path file(String name, String content) throws IOException {
		return Files.writeString(this.folder.resolve(name), content);
	}

	private void plugin() throws IOException {
		Path plugin = file("plugin", """
				#!/bin/sh
				echo $1 >> $0.calls
				case $1 in
				token) status='"token": "of the plugin '$A'"' ;;
				certificate) status='"clientCertificateData": "certificate", "clientKeyData": "key"' ;;
				*) echo nonsense; exit 1 ;;
				esac
				echo '{"apiVersion": "client.authentication.k8s.io/v1", "status": {'"$status"'}}'
				""");
		assertThat(plugin.toFile().setExecutable(true)).isTrue();
	}

}

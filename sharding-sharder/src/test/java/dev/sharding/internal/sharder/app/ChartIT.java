package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import dev.sharding.controlplane.ControlPlaneBinaries;
import dev.sharding.controlplane.ControlPlaneUnavailableException;
import dev.sharding.controlplane.Helm;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The chart says what the kustomize bases say, and a real API server takes it.
 */
class ChartIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	private static final String RELEASE = "sharder";

	private static final String DEFINITION = "controllerrings.sharding.timebertt.dev";

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	@TempDir
	private Path folder;

	private Chart chart;

	ChartIT(ControlPlane controlPlane, KubernetesClient client) {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	@BeforeEach
	void findHelm() {
		Path helm = null;
		String why = "";
		try {
			helm = Helm.install(System.err::println);
		}
		catch (ControlPlaneUnavailableException ex) {
			why = String.valueOf(ex.getMessage());
		}
		assumeThat(helm).as(why).isNotNull();
		this.chart = new Chart(Objects.requireNonNull(helm),
				ControlPlaneBinaries.install(System.err::println).kubectl(), this.controlPlane.admin().kubeconfigFile(),
				this.folder);
	}

	@AfterEach
	void uninstall() throws Exception {
		this.chart.helm("uninstall", RELEASE, "--ignore-not-found").succeeded();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			default | crd=true
			watch   | mode=watch
			narrow  | leaseNamespaces={checksums}
			""")
	void rendersWhatTheBasesSay(String base, String setting) throws Exception {
		Map<String, Map<String, Object>> bases = Chart
			.objects(this.chart.kubectl("kustomize", Chart.CONFIG.resolve(base).toString()).succeeded());
		// Helm makes it, if it is told to, and its labels are up to who installs.
		bases.remove("Namespace /sharding-system");
		Map<String, Map<String, Object>> rendered = render(this.chart.archive(), setting, "image.tag=latest");
		rendered.values().forEach(ChartIT::withoutMarks);
		assertThat(rendered.keySet()).isEqualTo(bases.keySet());
		bases.forEach((name, object) -> assertThat(rendered.get(name)).as(name).isEqualTo(object));
	}

	/* What tells that helm did it. */
	@SuppressWarnings("unchecked")
	private static void withoutMarks(Map<String, Object> object) {
		Map<String, Object> metadata = (Map<String, Object>) object.get("metadata");
		Map<String, Object> labels = (Map<String, Object>) metadata.get("labels");
		assertThat(labels.remove("app.kubernetes.io/managed-by")).isEqualTo("Helm");
		assertThat(labels.remove("helm.sh/chart")).isNotNull();
		if ("CustomResourceDefinition".equals(object.get("kind"))) {
			assertThat(metadata.remove("annotations")).isEqualTo(Map.of("helm.sh/resource-policy", "keep"));
		}
	}

	@Test
	void passesLint() throws Exception {
		assertThat(this.chart.helm("lint", Chart.FOLDER.toString(), "--strict").succeeded())
			.contains("0 chart(s) failed");
	}

	@Test
	void isOfTheVersionOfTheProduct() throws IOException {
		String version = Files.readString(Path.of("..", "pom.xml"))
			.replaceFirst("(?s).*<artifactId>sharding-parent</artifactId>\\s*<version>([^<]+)<.*", "$1");
		assertThat(Files.readString(Chart.FOLDER.resolve("Chart.yaml"))).contains("\nversion: " + version + "\n",
				"\nappVersion: " + version + "\n");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			image.digest=sha256:1      | image.digest
			mode=sometimes             | mode
			replica=3                  | replica
			replicas=two               | replicas
			leaseNamespaces={Checksums}| leaseNamespaces.0
			webhook.certificate.source=none | source
			metrics.labels.release=1   | metrics.labels.release
			""")
	void saysWhichValueIsWrong(String setting, String expected) throws Exception {
		Chart.Answer answer = template(Chart.FOLDER, setting);
		assertThat(answer.status()).isNotZero();
		assertThat(answer.err().replace('/', '.')).contains(expected);
	}

	@Test
	void refusesAnotherNamespaceThanThatOfTheRoles() throws Exception {
		Chart.Answer answer = this.chart.helm("template", RELEASE, Chart.FOLDER.toString(), "--namespace", "elsewhere");
		assertThat(answer.status()).isNotZero();
		assertThat(answer.err()).contains("--namespace sharding-system");
	}

	@Test
	void mountsTheCertificateOfAnIssuer() throws Exception {
		String own = template(Chart.FOLDER, "webhook.certificate.source=cert-manager", "metrics.serviceMonitor=true",
				"metrics.rules=true", "args={--a=b}")
			.succeeded();
		assertThat(Chart.objects(own)).containsKeys("Issuer sharding-system/self-signed",
				"Certificate sharding-system/webhook-authority", "Issuer sharding-system/webhook-authority",
				"Certificate sharding-system/webhook-server", "ServiceMonitor sharding-system/sharder",
				"PrometheusRule sharding-system/sharding");
		assertThat(own).contains(
				"- --sharding.sharder.webhook.annotations[cert-manager.io/inject-ca-from]=sharding-system/webhook-server\n            - --a=b",
				"value: /certs/tls.crt", "secretName: \"webhook-server\"");
		// The sharder makes none, so it may write no Secrets.
		assertThat(Chart.objects(own)).containsKey("ClusterRole /sharding:sharder-webhook")
			.doesNotContainKeys("Role sharding-system/sharding:sharder-webhook",
					"RoleBinding sharding-system/sharding:sharder-webhook");
		assertThat(own).doesNotContain("- secrets");
		String given = template(Chart.FOLDER, "webhook.certificate.source=cert-manager",
				"webhook.certificate.issuerRef.kind=ClusterIssuer", "webhook.certificate.issuerRef.name=internal",
				"webhook.certificate.secretName=ours")
			.succeeded();
		assertThat(Chart.objects(given)).containsKey("Certificate sharding-system/ours")
			.doesNotContainKey("Issuer sharding-system/self-signed");
		assertThat(given).contains("kind: ClusterIssuer", "name: internal", "secretName: \"ours\"");
		// Nothing of it without a webhook.
		assertThat(template(Chart.FOLDER, "webhook.certificate.source=cert-manager", "mode=watch").succeeded())
			.doesNotContain("cert-manager", "/certs");
	}

	/* The operator drops a monitor whose Secret lacks the key that it names. */
	@Test
	void scrapesWithTheCertificateOfASecret() throws Exception {
		String secret = "webhook.certificate.source=secret,webhook.certificate.secretName=ours,metrics.serviceMonitor=true";
		assertThat(tlsConfig(render(Chart.FOLDER, secret))).isEqualTo(Map.of("serverName",
				"sharder.sharding-system.svc", "ca", Map.of("secret", Map.of("name", "ours", "key", "ca.crt"))));
		assertThat(tlsConfig(render(Chart.FOLDER, secret, "metrics.tlsConfig.serverName=sharder.sharding-system.svc")))
			.isEqualTo(Map.of("serverName", "sharder.sharding-system.svc"));
		assertThat(tlsConfig(render(Chart.FOLDER, "mode=watch", "metrics.serviceMonitor=true")))
			.isEqualTo(Map.of("insecureSkipVerify", true));
	}

	@SuppressWarnings("unchecked")
	private static Object tlsConfig(Map<String, Map<String, Object>> objects) {
		Map<String, Object> spec = (Map<String, Object>) objects.get("ServiceMonitor sharding-system/sharder")
			.get("spec");
		return ((List<Map<String, Object>>) spec.get("endpoints")).get(0).get("tlsConfig");
	}

	@Test
	void labelsWhatAPrometheusSelects() throws Exception {
		Map<String, Map<String, Object>> objects = render(Chart.FOLDER, "metrics.serviceMonitor=true",
				"metrics.rules=true", "metrics.labels.release=prometheus");
		assertThat(objects.keySet().stream().filter((name) -> labels(objects.get(name)).containsKey("release")))
			.containsExactlyInAnyOrder("ServiceMonitor sharding-system/sharder",
					"PrometheusRule sharding-system/sharding");
		assertThat(labels(objects.get("PrometheusRule sharding-system/sharding"))).containsEntry("release",
				"prometheus");
		// They still are of this chart.
		objects.values().forEach(ChartIT::withoutMarks);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> labels(Map<String, Object> object) {
		return (Map<String, Object>) ((Map<String, Object>) object.get("metadata")).get("labels");
	}

	@ParameterizedTest
	@ValueSource(strings = { "mode=webhook", "mode=watch,metrics.enabled=false", "networkPolicy=false,crd=false",
			"webhook.certificate.source=secret,webhook.certificate.caBundle=QQ==",
			"priorityClassName=system-cluster-critical,podAnnotations.a=b,nodeSelector.a=b",
			"tolerations[0].operator=Exists,imagePullSecrets[0].name=a,env[0].name=A,env[0].value=b",
			"topologySpreadConstraints[0].topologyKey=rack,topologySpreadConstraints[0].maxSkew=2,"
					+ "topologySpreadConstraints[0].whenUnsatisfiable=DoNotSchedule" })
	void isTakenByTheApiServer(String settings) throws Exception {
		this.chart.kubectl("create", "namespace", "sharding-system");
		String rendered = template(Chart.FOLDER, settings).succeeded();
		Path file = Files.writeString(this.folder.resolve("rendered.yaml"), rendered);
		String said = this.chart
			.kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f",
					file.toString())
			.succeeded();
		assertThat(said.lines()).hasSameSizeAs(Chart.objects(rendered).keySet());
	}

	@Test
	void installsUpgradesAndLeavesTheRingsBehind() throws Exception {
		String chart = this.chart.archive().toString();
		assertThat(this.chart.helm("install", RELEASE, chart, "--create-namespace", "--dry-run=server").succeeded())
			.contains("kind: Deployment");
		this.chart.helm("install", RELEASE, chart, "--create-namespace", "--set", "replicas=3").succeeded();
		assertThat(deployment().getSpec().getReplicas()).isEqualTo(3);
		assertThat(this.client.rbac().clusterRoles().withName("sharding:sharder-webhook").get()).isNotNull();
		this.chart.helm("upgrade", RELEASE, chart, "--set", "mode=watch").succeeded();
		assertThat(deployment().getSpec().getReplicas()).isEqualTo(2);
		assertThat(this.client.rbac().clusterRoles().withName("sharding:sharder-webhook").get()).isNull();
		this.chart.kubectl("apply", "-f", Chart.CONFIG.resolve("example/ring.yaml").toString()).succeeded();
		assertThat(this.chart.helm("uninstall", RELEASE).succeeded()).contains("kept due to the resource policy",
				"[CustomResourceDefinition] " + DEFINITION);
		assertThat(this.chart.kubectl("get", "controllerrings", "-o", "name").succeeded()).contains("checksums");
		// And comes back to what it left.
		this.chart.helm("install", RELEASE, chart).succeeded();
	}

	@Test
	void takesOverWhatKustomizeInstalled() throws Exception {
		this.chart
			.kubectl("apply", "--server-side", "--force-conflicts", "-k", Chart.CONFIG.resolve("default").toString())
			.succeeded();
		String before = deployment().getMetadata().getUid();
		this.chart.helm("install", RELEASE, Chart.FOLDER.toString(), "--take-ownership").succeeded();
		assertThat(deployment().getMetadata().getUid()).isEqualTo(before);
		assertThat(deployment().getSpec().getTemplate().getSpec().getContainers().get(0).getImage())
			.doesNotEndWith(":latest");
	}

	@Test
	void peopleSeeRingsAndChangeThemAndJoinNone() throws Exception {
		this.chart.helm("install", RELEASE, Chart.FOLDER.toString(), "--create-namespace").succeeded();
		for (String role : List.of("viewer", "editor")) {
			this.client
				.resource(new ClusterRoleBindingBuilder().withNewMetadata()
					.withName(role)
					.endMetadata()
					.withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "sharding:" + role)
					.addNewSubject("rbac.authorization.k8s.io", "User", role, null)
					.build())
				.serverSideApply();
		}
		Awaitility.await()
			.atMost(Duration.ofSeconds(90))
			.untilAsserted(() -> assertThat(verbs("editor")).isEqualTo("yes yes yes no no no"));
		Awaitility.await()
			.atMost(Duration.ofSeconds(90))
			.untilAsserted(() -> assertThat(verbs("viewer")).isEqualTo("yes no no no no no"));
		assertThat(this.client.rbac().clusterRoles().withName("sharding:viewer").get().getMetadata().getLabels())
			.containsEntry("rbac.authorization.k8s.io/aggregate-to-view", "true");
		assertThat(this.client.rbac().clusterRoles().withName("sharding:editor").get().getMetadata().getLabels())
			.containsEntry("rbac.authorization.k8s.io/aggregate-to-edit", "true");
	}

	private String verbs(String user) {
		return List
			.of("list controllerrings", "create controllerrings", "delete controllerrings", "join controllerrings",
					"patch controllerrings --subresource=status", "get secrets")
			.stream()
			.map((question) -> {
				try {
					return this.chart.kubectl(("auth can-i " + question + " -A --as " + user).split(" ")).out().strip();
				}
				catch (IOException | InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			})
			.collect(Collectors.joining(" "));
	}

	private Deployment deployment() {
		return this.client.apps().deployments().inNamespace("sharding-system").withName("sharder").get();
	}

	private Map<String, Map<String, Object>> render(Path chart, String... settings) throws Exception {
		return Chart.objects(template(chart, settings).succeeded());
	}

	private Chart.Answer template(Path chart, String... settings) throws Exception {
		return this.chart.helm("template", RELEASE, chart.toString(), "--set", String.join(",", settings));
	}

}

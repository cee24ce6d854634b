package dev.sharding.test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sharding.controlplane.ControlPlaneBinaries;
import dev.sharding.controlplane.NamedCluster;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class AccessIT {

	private static final PolicyRule READ_CONFIG_MAPS = new PolicyRuleBuilder().withApiGroups("")
		.withResources("configmaps")
		.withVerbs("get", "list")
		.build();

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension
		.own((builder) -> builder.featureGate("WatchList", false)
			.flags("--max-requests-inflight=123", "--v=1")
			.etcdFlags("--quota-backend-bytes=3221225472")
			.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	@Test
	void userMayDoWhatTheRulesSayAndNothingElse(ControlPlane controlPlane) {
		KubernetesClient reader = controlPlane.user("reader", READ_CONFIG_MAPS).client();
		assertThat(reader.configMaps().inNamespace("kube-system").list().getItems()).isNotNull();
		assertForbidden(() -> reader.secrets().inNamespace("default").list());
		assertForbidden(() -> reader.resource(ConfigMaps.named("written")).create());
	}

	@Test
	void userOfNamespaceMayDoNothingInOthers(ControlPlane controlPlane, @TestNamespace String namespace) {
		KubernetesClient reader = controlPlane.userIn("local-reader", namespace, READ_CONFIG_MAPS).client();
		assertThat(reader.configMaps().inNamespace(namespace).list().getItems()).isNotNull();
		assertForbidden(() -> reader.configMaps().inNamespace("default").list());
	}

	@Test
	void auditLogTellsUsersApart(ControlPlane controlPlane) throws Exception {
		Access auditee = controlPlane.user("auditee", READ_CONFIG_MAPS);
		auditee.client().configMaps().inNamespace("default").withName("audited-object").get();
		assertThat(auditee.user()).isEqualTo("system:serviceaccount:default:auditee");
		// The event of a request is written when its response has been sent.
		await().atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(Files.readAllLines(controlPlane.apiServer().auditLog()))
				.anyMatch((line) -> line.contains("\"username\":\"" + auditee.user() + "\"")
						&& line.contains("audited-object") && line.contains("\"level\":\"RequestResponse\"")));
	}

	@Test
	void flagsAndFeatureGatesReachTheServer(ControlPlane controlPlane, KubernetesClient client) throws Exception {
		assertThat(client.raw("/metrics"))
			.containsPattern("kubernetes_feature_enabled\\{name=\"WatchList\",stage=\"[A-Z]+\"} 0");
		assertThat(Files.readString(controlPlane.apiServer().process().logFile()))
			.contains("--max-requests-inflight=\"123\"");
	}

	@Test
	void flagsReachEtcd(ControlPlane controlPlane) throws Exception {
		assertThat(Files.readString(controlPlane.etcd().process().logFile())).contains("3221225472");
	}

	@Test
	void kubectlWorksWithTheKubeconfig(ControlPlane controlPlane) throws Exception {
		Path kubectl = ControlPlaneBinaries.locate().orElseThrow().kubectl();
		Path kubeconfig = controlPlane.admin().kubeconfigFile();
		Process process = new ProcessBuilder(
				List.of(kubectl.toString(), "--kubeconfig", kubeconfig.toString(), "get", "namespaces", "-o", "name"))
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
		assertThat(output).contains("namespace/default");
	}

	@Test
	void namedClusterIsReachedThroughItsKubeconfig(ControlPlane controlPlane) {
		NamedCluster cluster = new NamedCluster(controlPlane.admin().kubeconfigFile());
		try (TestCluster connected = TestCluster.connect(cluster)) {
			assertThat(connected.controlPlane()).isEmpty();
			connected.client()
				.resource(new NamespaceBuilder().withNewMetadata().withName("named").endMetadata().build())
				.create();
		}
		assertThat(controlPlane.client().namespaces().withName("named").get()).isNotNull();
	}

	@Test
	void twoApiServersServeOneState(ControlPlane controlPlane, KubernetesClient client) {
		ApiServer another = controlPlane.startAnotherApiServer();
		assertThat(another.port()).isNotEqualTo(controlPlane.apiServer().port());
		client.resource(ConfigMaps.named("shared")).create();
		KubernetesClient other = controlPlane.admin().at(another).client();
		assertThat(other.configMaps().inNamespace("default").withName("shared").get()).isNotNull();
		another.process().kill();
		assertThat(client.configMaps().inNamespace("default").withName("shared").get()).isNotNull();
		controlPlane.checkAlive();
	}

	private static void assertForbidden(ThrowingCallable call) {
		assertThatExceptionOfType(KubernetesClientException.class).isThrownBy(call)
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(403));
	}

}

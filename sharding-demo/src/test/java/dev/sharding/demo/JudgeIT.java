package dev.sharding.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;

import dev.sharding.judge.Counter;
import dev.sharding.judge.Judge;
import dev.sharding.judge.JudgeMain;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The judge on what a real API server writes down, with hand-made shards: the test sends
 * what a shard and a sharder would send. No bare client is there, so nothing comes to the
 * bounds of the contract.
 */
class JudgeIT {

	private static final String LABEL = "shard.alpha.sharding.timebertt.dev/checksums";

	private static final PolicyRule EVERYTHING = new PolicyRuleBuilder().withApiGroups("*")
		.withResources("*")
		.withVerbs("*")
		.build();

	/** SHA-256 of "abc", which is YWJj in base64. */
	private static final String CHECKSUM = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

	private static ControlPlane controlPlane;

	private static Judge judge;

	private static KubernetesClient shard;

	private static KubernetesClient other;

	private static KubernetesClient sharder;

	@BeforeAll
	static void start() throws IOException {
		controlPlane = ControlPlane.builder().auditPolicy(JudgeMain.auditPolicy()).start();
		KubernetesClient admin = controlPlane.client();
		admin.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.create();
		admin.resource(text("/minimal-crd.yaml")).create();
		String ring = Files.readString(Path.of("..", "config", "example", "ring.yaml"));
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.ignoreException(KubernetesClientException.class)
			.until(() -> admin.resource(ring).create() != null);
		judge = new Judge(admin, List.of("checksums"), controlPlane.apiServer().auditLog(),
				controlPlane.logs().resolve("kube-apiserver.log"));
		shard = controlPlane.user("shard.a", EVERYTHING).client();
		other = controlPlane.user("shard.b", EVERYTHING).client();
		sharder = controlPlane.user("sharder", EVERYTHING).client();
	}

	@AfterAll
	static void stop() {
		if (controlPlane != null) {
			controlPlane.close();
		}
	}

	@Test
	void findsNothingUntilAShardWritesForAnObjectOfAnother() throws IOException {
		Secret secret = controlPlane.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withName("one")
				.withNamespace("default")
				.endMetadata()
				.withData(Map.of("k", "YWJj"))
				.build())
			.create();
		assign("a");
		// Nobody could have had it before, however long that took.
		hold(shard, "a");
		ConfigMap configMap = shard.resource(configMap(secret)).create();
		mark("one", "quiescent");
		assertThat(judge()).isEmpty();

		// b has no Lease and owns nothing, and what it writes is not right.
		mark("two", "begin");
		other.resource(configMap).edit((found) -> new ConfigMapBuilder(found).addToData("k", "wrong").build());
		mark("two", "quiescent");
		Map<Counter, List<String>> findings = judge();
		assertThat(findings.get(Counter.DOUBLE_RECONCILED)).hasSizeGreaterThanOrEqualTo(1)
			.allMatch((finding) -> finding.contains("b had not owned secrets default/one"));
		assertThat(findings.get(Counter.WRITES_AFTER_LEASE_END)).hasSize(1);
		assertThat(findings.get(Counter.LOST_UPDATES)).hasSize(1);

		// The label says b, but b is not available: no owner, and not what the ring says.
		mark("three", "begin");
		assign("b");
		Awaitility.await().pollDelay(Duration.ofMillis(1200)).until(() -> true);
		mark("three", "quiescent");
		findings = judge();
		assertThat(findings.get(Counter.WRONG_OWNER)).hasSize(1);
		assertThat(findings.get(Counter.UNASSIGNED)).hasSize(1);
	}

	private static void hold(KubernetesClient client, String name) {
		ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
		client
			.resource(new LeaseBuilder().withNewMetadata()
				.withName(name)
				.withNamespace("default")
				.addToLabels("alpha.sharding.timebertt.dev/controllerring", "checksums")
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity(name)
				.withLeaseDurationSeconds(600)
				.withAcquireTime(now)
				.withRenewTime(now)
				.endSpec()
				.build())
			.create();
	}

	private static void assign(String name) {
		sharder.secrets()
			.inNamespace("default")
			.withName("one")
			.patch(PatchContext.of(PatchType.JSON_MERGE),
					"{\"metadata\":{\"labels\":{\"%s\":\"%s\"}}}".formatted(LABEL, name));
	}

	private static ConfigMap configMap(Secret secret) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName("checksums-one")
			.withNamespace("default")
			.addToLabels(LABEL, "a")
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName("one")
			.withUid(secret.getMetadata().getUid())
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.withData(Map.of("k", CHECKSUM))
			.build();
	}

	private static void mark(String step, String phase) {
		ConfigMap mark = new ConfigMapBuilder().withNewMetadata()
			.withName("judge-mark")
			.withNamespace(Names.SYSTEM_NAMESPACE)
			.endMetadata()
			.withData(Map.of("step", step, "phase", phase))
			.build();
		controlPlane.client().resource(mark).createOr((existing) -> existing.update());
	}

	private static Map<Counter, List<String>> judge() throws IOException {
		return judge.judge(Instant.MIN);
	}

	private static String text(String resource) throws IOException {
		try (InputStream file = JudgeIT.class.getResourceAsStream(resource)) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}

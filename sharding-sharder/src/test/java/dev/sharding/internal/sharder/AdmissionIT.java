package dev.sharding.internal.sharder;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.assignment.placement.AssignmentMode;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.webhook.Webhook;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.Ports;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the webhook does with less common requests, sent by the API server because
 * somebody creates an object.
 */
@ControlPlaneTest
class AdmissionIT {

	private static final List<String> SHARDS = List.of("shard-a", "shard-b");

	private static final String GROUP = "scheduling.k8s.io";

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final World world;

	private final Webhooks webhooks;

	AdmissionIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.client = client;
		this.world = new World(client, namespace, "admission");
		this.webhooks = new Webhooks(this.world);
	}

	@AfterEach
	void close() {
		this.webhooks.close();
		this.world.close();
	}

	@Test
	@DisplayName("A cluster-scoped object is assigned when it is created, and what it controls in a namespace")
	void assignsClusterScopedObjects() {
		this.world.withRing((spec) -> new ControllerRingSpec(
				List.of(new MainResource(GROUP, "priorityclasses", List.of(new ControlledResource("", "configmaps")))),
				null));
		SHARDS.forEach(this.world::shard);
		this.webhooks.start(Ports.next(), true, CertificateTerms.DEFAULT);
		World.await()
			.untilAsserted(() -> assertThat(this.world
				.shardOf(this.client.resource(priorityClass("admission-probe", Map.of())).dryRun(true).create()))
				.isNotNull());
		PriorityClass created = this.client.resource(priorityClass("admission-1", Map.of("mine", "kept"))).create();
		try {
			assertThat(this.world.shardOf(created)).isEqualTo(owner("", "admission-1"));
			assertThat(created.getMetadata().getLabels()).containsEntry("mine", "kept");
			// Its key has the namespace of its own, as in the Go project.
			assertThat(this.world.shardOf(this.client.resource(controlledBy(created)).create()))
				.isEqualTo(owner(this.world.namespace, "admission-1"));
		}
		finally {
			this.client.resource(created).delete();
		}
	}

	@Test
	@DisplayName("Namespaces are assigned when they are created, to the shard where the sharder wants them")
	void assignsNamespaces() {
		this.world
			.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("", "namespaces", List.of())), null));
		SHARDS.forEach(this.world::shard);
		this.webhooks.start(Ports.next(), true, CertificateTerms.DEFAULT);
		World.await().untilAsserted(() -> assertThat(shardOfNamespace("admission-probe")).isNotNull());
		assertThat(IntStream.range(0, 8).mapToObj((i) -> "admission-" + i))
			.allSatisfy((name) -> assertThat(shardOfNamespace(name))
				.isEqualTo(owner(new ShardingKey("", "Namespace", "", name))));
	}

	private @Nullable String shardOfNamespace(String name) {
		return this.world
			.shardOf(this.client.resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
				.dryRun(true)
				.create());
	}

	@Test
	@DisplayName("An object of two rings gets the labels of both when it is created")
	void assignsObjectsOfSeveralRings() {
		World other = new World(this.client, this.world.namespace, "admission-2");
		try (Webhooks ofBoth = new Webhooks(other)) {
			this.world.withRing();
			other.withRing();
			this.world.shard("shard-a");
			other.shard("shard-of-2");
			this.webhooks.startAndAwait();
			ofBoth.awaitServing();
			Secret secret = this.world.secret("s-1");
			assertThat(this.world.shardOf(secret)).isEqualTo("shard-a");
			assertThat(other.shardOf(secret)).isEqualTo("shard-of-2");
		}
		finally {
			other.close();
		}
	}

	@Test
	@DisplayName("The Leases cannot be listed: no create is denied, and the watch assigns what was created")
	void admitsWhenLeasesCannotBeListed() {
		this.world.withRing().start(this.client, World.AT_ONCE.withMode(AssignmentMode.BOTH));
		this.world.shard("shard-a");
		int port = Ports.next();
		// It leaves a configuration behind that leads to the other one.
		Webhook able = this.webhooks.start(port, true, CertificateTerms.DEFAULT);
		this.webhooks.awaitServing();
		able.close();
		Access user = this.controlPlane.user("webhook-lists-no-leases",
				rule("sharding.timebertt.dev", "controllerrings", "get", "list", "watch"),
				rule("", "secrets", "get", "list", "watch", "create", "patch"));
		Webhook unable = this.webhooks.create(user.client(),
				this.webhooks.options(port, true, CertificateTerms.DEFAULT), false, new WebhookReports());
		unable.start();
		World.await().until(() -> unable.status().port() == port);
		Secret left = createUntilAnswered("ring_unknown");
		assertThat(this.world.shardOf(left)).isNull();
		assertThat(unable.status().isServing()).isFalse();
		World.await()
			.untilAsserted(() -> assertThat(this.world.secretShard(left.getMetadata().getName())).isEqualTo("shard-a"));

		this.client.rbac().clusterRoles().withName("sharding-test-webhook-lists-no-leases").edit((role) -> {
			role.getRules().add(rule("coordination.k8s.io", "leases", "get", "list", "watch"));
			return role;
		});
		this.webhooks.awaitServing();
		assertThat(unable.status().isServing()).isTrue();
	}

	@Test
	@DisplayName("Mode webhook: whoever creates what cannot be assigned yet is told so, and not denied")
	void warnsOfWhatStaysUnassigned() {
		this.world.withRing();
		this.world.shard("shard-a");
		this.webhooks.start(Ports.next(), false, CertificateTerms.DEFAULT);
		this.webhooks.awaitServing();
		HttpClient http = this.client.getHttpClient();
		HttpResponse<String> response = http
			.sendAsync(http.newHttpRequestBuilder()
				.uri(this.client.getMasterUrl() + "api/v1/namespaces/" + this.world.namespace + "/secrets")
				.post("application/json", "{\"metadata\":{\"generateName\":\"s-\"}}")
				.build(), String.class)
			.join();
		assertThat(response.code()).isEqualTo(201);
		assertThat(response.headers("Warning")).singleElement()
			.asString()
			.contains("ControllerRing admission", "not assigned to a shard at admission");
	}

	@Test
	@DisplayName("The webhook is not asked about the writes that assign an object and let go of it, which would wait for it in vain")
	void isNotAskedAboutTheWriteThatAssigns() {
		this.world.withRing().start(this.client, World.AT_ONCE.withMode(AssignmentMode.BOTH));
		this.webhooks.start(Ports.next(), true, CertificateTerms.DEFAULT);
		Secret left = createUntilAnswered("no_available_shard");
		this.world.shard("shard-a");
		World.await()
			.untilAsserted(() -> assertThat(this.world.secretShard(left.getMetadata().getName())).isEqualTo("shard-a"));
		assertThat(this.world.answers("already_assigned")).isZero();
		// Nor about the write by which its owner lets go, as it would leave that to the
		// watch.
		this.client.secrets()
			.inNamespace(this.world.namespace)
			.withName(left.getMetadata().getName())
			.edit((secret) -> {
				secret.getMetadata().setLabels(Map.of());
				return secret;
			});
		World.await()
			.untilAsserted(() -> assertThat(this.world.secretShard(left.getMetadata().getName())).isEqualTo("shard-a"));
		assertThat(this.world.answers("hand_over")).isZero();
	}

	/* The API server may still believe in the connection to the webhook before. */
	private Secret createUntilAnswered(String answer) {
		AtomicInteger names = new AtomicInteger();
		return World.await()
			.until(() -> this.world.secret("s-" + names.incrementAndGet()),
					(created) -> this.world.answers(answer) > 0);
	}

	private static PriorityClass priorityClass(String name, Map<String, String> labels) {
		return new PriorityClassBuilder().withNewMetadata()
			.withName(name)
			.withLabels(labels)
			.endMetadata()
			.withValue(1)
			.build();
	}

	private ConfigMap controlledBy(PriorityClass owner) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.world.namespace)
			.withName("c-1")
			.addNewOwnerReference()
			.withApiVersion(owner.getApiVersion())
			.withKind(owner.getKind())
			.withName(owner.getMetadata().getName())
			.withUid(owner.getMetadata().getUid())
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.build();
	}

	private static String owner(String namespace, String name) {
		return owner(new ShardingKey(GROUP, "PriorityClass", namespace, name));
	}

	private static String owner(ShardingKey key) {
		return HashRing.of(SHARDS).shardFor(key);
	}

	private static PolicyRule rule(String group, String resource, String... verbs) {
		return new PolicyRuleBuilder().withApiGroups(group).withResources(resource).withVerbs(verbs).build();
	}

}

package dev.sharding.internal.sharder;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import dev.sharding.client.NotSentException;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.assignment.placement.AssignmentMode;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.webhook.Webhook;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.Ports;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The webhook with a real API server (protocol sections 1.4 and 5).
 */
@ControlPlaneTest
class WebhookIT {

	private static final String RING = "webhook-ring";

	/* The API server waits no longer for a webhook; then the request passes. */
	private static final Duration WEBHOOK_MAY_TAKE = Duration.ofSeconds(5);

	private final World world;

	private final Webhooks webhooks;

	private final ControlPlane controlPlane;

	WebhookIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new World(client, namespace, RING);
		this.webhooks = new Webhooks(this.world);
	}

	@AfterEach
	void close() {
		this.webhooks.close();
		this.world.close();
	}

	@Test
	@DisplayName("Scenario 103, 129: the configuration of a ring is applied, repaired, and deleted with the ring")
	void keepsTheConfiguration() {
		this.world.withRing();
		int port = Ports.next();
		this.webhooks.start(port, true, CertificateTerms.DEFAULT);
		World.await().untilAsserted(() -> assertThat(this.webhooks.configuration()).isNotNull());
		MutatingWebhookConfiguration applied = this.webhooks.configuration();
		assertThat(applied.getMetadata().getOwnerReferences()).singleElement()
			.satisfies((owner) -> assertThat(owner.getUid()).isEqualTo(this.world.ring().getMetadata().getUid()));
		MutatingWebhook webhook = applied.getWebhooks().get(0);
		assertThat(webhook.getClientConfig().getUrl())
			.isEqualTo("https://127.0.0.1:" + port + "/webhooks/sharder/controllerring/" + RING);
		assertThat(webhook.getClientConfig().getCaBundle()).isNotEmpty();
		assertThat(webhook.getRules()).extracting((rule) -> rule.getResources().get(0))
			.containsExactly("secrets", "configmaps");
		assertThat(webhook.getMatchPolicy()).isEqualTo("Equivalent");

		this.world.client.resource(applied).edit((edited) -> {
			edited.getWebhooks().get(0).setFailurePolicy("Fail");
			edited.getWebhooks().get(0).setMatchPolicy("Exact");
			edited.getWebhooks().get(0).getRules().remove(1);
			return edited;
		});
		World.await().untilAsserted(() -> {
			assertThat(this.webhooks.configuration().getWebhooks().get(0).getFailurePolicy()).isEqualTo("Ignore");
			assertThat(this.webhooks.configuration().getWebhooks().get(0).getRules()).hasSize(2);
		});
		// What the sharder does not set is not its business.
		assertThat(this.webhooks.configuration().getWebhooks().get(0).getMatchPolicy()).isEqualTo("Exact");
		this.world.client.resource(this.webhooks.configuration()).delete();
		World.await().untilAsserted(() -> assertThat(this.webhooks.configuration()).isNotNull());
		this.world.client.resource(this.world.ring()).delete();
		World.await().untilAsserted(() -> assertThat(this.webhooks.configuration()).isNull());
	}

	@Test
	@DisplayName("Scenario 112, 116, 117, 118, 88: objects are assigned by the very request that creates them")
	void assignsWhatIsCreated() {
		this.world.withRing();
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		this.webhooks.startAndAwait();
		Secret secret = this.world.secret("s-1", Map.of("mine", "kept"));
		assertThat(this.world.shardOf(secret)).isEqualTo(this.world.owner("s-1", "shard-a", "shard-b"));
		assertThat(secret.getMetadata().getLabels()).containsEntry("mine", "kept");
		ConfigMap configMap = this.world.configMap("c-1", secret, Map.of());
		assertThat(this.world.shardOf(configMap)).isEqualTo(this.world.shardOf(secret));
		ConfigMap generated = this.world.client
			.resource(new ConfigMapBuilder(configMap).withNewMetadata()
				.withNamespace(this.world.namespace)
				.withGenerateName("c-")
				.withOwnerReferences(configMap.getMetadata().getOwnerReferences())
				.endMetadata()
				.build())
			.create();
		assertThat(this.world.shardOf(generated)).isEqualTo(this.world.shardOf(secret));
		assertThat(this.world.shardOf(this.world.configMap("c-2", null, Map.of()))).isNull();
		double counted = this.world.count("assignments", "secrets");
		Secret dry = this.world.client.resource(this.webhooks.unlabelled("s-2")).dryRun(true).create();
		assertThat(this.world.shardOf(dry)).isEqualTo(this.world.owner("s-2", "shard-a", "shard-b"));
		assertThat(this.world.count("assignments", "secrets")).isEqualTo(counted);
	}

	@Test
	@DisplayName("A shard whose Lease vanished gets objects for as long as the leader counts it as available")
	void keepsAShardWhoseLeaseVanishedAsTheLeaderDoes() {
		this.world.withRing();
		this.world.shard("shard-a");
		this.world.lasting("shard-b", 10);
		this.webhooks.startAndAwait();
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		World.await().untilAsserted(() -> assertThat(assigned(name)).isEqualTo("shard-b"));
		this.world.client.leases().inNamespace(this.world.namespace).withName("shard-b").delete();
		World.await()
			.during(Duration.ofSeconds(4))
			.untilAsserted(() -> assertThat(assigned(name)).isEqualTo("shard-b"));
		World.await().untilAsserted(() -> assertThat(assigned(name)).isEqualTo("shard-a"));
	}

	@Test
	@DisplayName("A shard whose Lease is not believed gets nothing from the webhook either")
	void leavesOutWhatIsNotBelieved() {
		this.world.withRing();
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		this.webhooks.startAndAwait();
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		World.await().untilAsserted(() -> assertThat(assigned(name)).isEqualTo("shard-b"));
		this.world.editLease("shard-b", (lease) -> {
			lease.getSpec().setLeaseDurationSeconds(Integer.MAX_VALUE);
			return lease;
		});
		World.await().untilAsserted(() -> assertThat(assigned(name)).isEqualTo("shard-a"));
	}

	private String assigned(String secret) {
		return this.world.shardOf(this.world.client.resource(this.webhooks.unlabelled(secret)).dryRun(true).create());
	}

	@Test
	@DisplayName("Scenario 114, 115, 119, 120: only who loses the label gets another shard, in mode webhook at once")
	void assignsAgainOnlyWithoutLabel() {
		this.world.withRing();
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		this.webhooks.start(Ports.next(), false, CertificateTerms.DEFAULT);
		this.webhooks.awaitServing();
		String name = this.world.secretOf("shard-a", "shard-a", "shard-b");
		Secret secret = this.world.secret(name);
		ConfigMap configMap = this.world.configMap("c-1", secret, Map.of());
		this.world.release("shard-a");
		World.await()
			.untilAsserted(() -> assertThat(this.world
				.shardOf(this.world.client.resource(this.webhooks.unlabelled("probe")).dryRun(true).create()))
				.isEqualTo("shard-b"));
		this.world.client.resource(secret).edit((edited) -> {
			edited.getMetadata().setAnnotations(Map.of("a", "b"));
			return edited;
		});
		this.world.client.resource(configMap).edit((edited) -> {
			edited.getMetadata().setAnnotations(Map.of("a", "b"));
			return edited;
		});
		assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
		assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		this.world.removeLabels(name);
		assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
		this.world.client.configMaps().inNamespace(this.world.namespace).withName("c-1").edit((edited) -> {
			edited.getMetadata().getLabels().remove(ShardingLabels.shard(RING));
			return edited;
		});
		assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-b");
	}

	@Test
	@DisplayName("Scenario 113: a main object with generateName is not denied, and assigned right after")
	void assignsMainObjectsWithGeneratedNames() {
		this.world.withRing().start(this.world.client, World.AT_ONCE.withMode(AssignmentMode.BOTH));
		this.world.shard("shard-a");
		this.webhooks.startAndAwait();
		Secret created = this.world.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withGenerateName("s-")
				.endMetadata()
				.build())
			.create();
		World.await()
			.untilAsserted(
					() -> assertThat(this.world.secretShard(created.getMetadata().getName())).isEqualTo("shard-a"));
	}

	@Test
	@DisplayName("Mode both: the hand-over goes by the watch, so that controlled objects come first")
	void leavesTheHandOverToTheWatch() {
		this.world.withRing().start(this.world.client, World.AT_ONCE.withMode(AssignmentMode.BOTH));
		this.world.shard("shard-a");
		this.webhooks.startAndAwait();
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		Secret secret = this.world.secret(name);
		this.world.configMap("c-1", secret, Map.of());
		assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(name)).isTrue());
		this.world.removeLabels(name);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-b");
		});
		this.world.assertLabelledBefore("c-1", name);
	}

	@Test
	@DisplayName("Mode webhook: objects change hands without a watch")
	void worksWithoutAWatch() {
		this.world.withRing().start(this.world.client, World.AT_ONCE.withMode(AssignmentMode.WEBHOOK));
		this.world.shard("shard-a");
		this.webhooks.start(Ports.next(), false, CertificateTerms.DEFAULT);
		this.webhooks.awaitServing();
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.configMap("c-1", this.world.secret(name), Map.of());
		assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(name)).isTrue());
		// The webhook learns of the shard by itself.
		String probe = this.world.firstOf("probe-", "shard-b", "shard-a", "shard-b");
		World.await().untilAsserted(() -> assertThat(assigned(probe)).isEqualTo("shard-b"));
		this.world.removeLabels(name);
		assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-b"));
		this.world.release("shard-b");
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		});
	}

	@Test
	void computesTheHashRingOncePerSetOfShards() {
		this.world.withRing();
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		this.webhooks.startAndAwait();
		double computed = calculations();
		assertThat(computed).isPositive();
		for (int i = 0; i < 20; i++) {
			assertThat(this.world
				.shardOf(this.world.client.resource(this.webhooks.unlabelled("s-" + i)).dryRun(true).create()))
				.isNotNull();
		}
		assertThat(calculations()).isEqualTo(computed);
	}

	private double calculations() {
		return this.world.metrics.get("controller.sharding.ring.calculations")
			.tag("controllerring", RING)
			.counter()
			.count();
	}

	@Test
	void theRingSaysThatTheWebhookCannotServe() throws IOException {
		WebhookReports reports = new WebhookReports();
		runWith(reports);
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.webhooks
				.create(this.world.client, this.webhooks.options(taken.getLocalPort(), true, CertificateTerms.DEFAULT),
						true, reports)
				.start();
			World.await().untilAsserted(() -> {
				assertThat(condition("WebhookConfigured").getStatus()).isEqualTo("False");
				assertThat(condition("WebhookConfigured").getMessage()).contains("Failed to listen");
			});
		}
		World.await().untilAsserted(() -> assertThat(condition("WebhookConfigured").getStatus()).isEqualTo("True"));
	}

	@Test
	void theRingSaysThatTheCertificateWasLost() {
		WebhookReports reports = new WebhookReports();
		runWith(reports);
		AtomicReference<String> problem = new AtomicReference<>();
		this.webhooks.create(this.world.client, this.webhooks.provided(Ports.next(), problem::get), true, reports)
			.start();
		World.await().untilAsserted(() -> assertThat(condition("WebhookConfigured").getStatus()).isEqualTo("True"));
		problem.set("the files are gone");
		World.await().untilAsserted(() -> {
			assertThat(condition("WebhookConfigured").getStatus()).isEqualTo("False");
			assertThat(condition("WebhookConfigured").getMessage()).contains("the files are gone");
		});
		this.world.client.resource(this.webhooks.configuration()).delete();
		World.await().untilAsserted(() -> assertThat(this.webhooks.configuration()).isNotNull());
		assertThat(reports.problems()).containsEntry(RING, "the files are gone");
		problem.set(null);
		World.await().untilAsserted(() -> assertThat(condition("WebhookConfigured").getStatus()).isEqualTo("True"));
	}

	private void runWith(WebhookReports reports) {
		this.world.withRing();
		this.world.run(new Sharder(this.world.client, World.AT_ONCE.withMode(AssignmentMode.BOTH),
				new Surroundings("sharding-system", reports, null), this.world.metrics, InstantSource.system(),
				System::nanoTime, RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		this.world.shard("shard-a");
	}

	@Test
	void theRingSaysThatItsConfigurationCannotBeWritten() {
		WebhookReports reports = new WebhookReports();
		runWith(reports);
		Access unable = this.controlPlane.user("webhook-writes-nothing",
				rule("sharding.timebertt.dev", "controllerrings", "get", "list", "watch"),
				rule("coordination.k8s.io", "leases", "get", "list", "watch"),
				rule("", "secrets", "get", "list", "watch", "create", "patch"));
		KubernetesClient client = unable.client();
		Webhook webhook = this.webhooks.create(client,
				this.webhooks.options(Ports.next(), true, CertificateTerms.DEFAULT), true, reports);
		webhook.start();
		World.await().untilAsserted(() -> {
			assertThat(condition("WebhookConfigured").getStatus()).isEqualTo("False");
			assertThat(condition("WebhookConfigured").getMessage()).contains("403");
			assertThat(condition("Ready").getStatus()).isEqualTo("False");
		});
		assertThat(webhook.status().configurations()).containsKey(RING);
		webhook.close();
		this.webhooks
			.create(this.world.client, this.webhooks.options(Ports.next(), true, CertificateTerms.DEFAULT), true,
					reports)
			.start();
		World.await().untilAsserted(() -> {
			assertThat(condition("WebhookConfigured").getStatus()).isEqualTo("True");
			assertThat(condition("Ready").getStatus()).isEqualTo("True");
		});
	}

	private Condition condition(String type) {
		return this.world.status()
			.conditions()
			.stream()
			.filter((condition) -> type.equals(condition.getType()))
			.findFirst()
			.orElseGet(Condition::new);
	}

	private static PolicyRule rule(String group, String resource, String... verbs) {
		return new PolicyRuleBuilder().withApiGroups(group).withResources(resource).withVerbs(verbs).build();
	}

	@Test
	@DisplayName("The webhook is down: the watch assigns what is created and what loses its label")
	void assignsWithoutTheWebhook() {
		this.world.withRing().start(this.world.client, World.AT_ONCE.withMode(AssignmentMode.BOTH));
		this.world.shard("shard-a");
		this.webhooks.startAndAwait().close();
		this.world.secret("s-1");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
		this.world.removeLabels("s-1");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
	}

	@Test
	@DisplayName("Authority and certificate are replaced under load, no request goes past the webhook")
	@Timeout(value = 5, unit = TimeUnit.MINUTES)
	void renewsItsCertificatesUnderLoad() {
		this.world.withRing();
		this.world.renewing("shard-a", 15);
		CertificateTerms terms = new CertificateTerms(Duration.ofSeconds(72), Duration.ofSeconds(60),
				Duration.ofSeconds(10));
		Webhook webhook = this.webhooks.start(Ports.next(), true, terms);
		this.webhooks.awaitServing();
		// Not while one of them gives way to the next.
		String first = World.await().until(this::authorities, (now) -> now.split("BEGIN CERTIFICATE", -1).length == 2);
		List<String> missed = new ArrayList<>();
		int created = 0;
		boolean overlapped = false;
		for (int i = 0; !overlapped || authorities().contains(first) || created < 300; i++) {
			String name = "s-" + i;
			long began = System.nanoTime();
			String shard = assigned(name);
			// What passed as a busy machine did not answer in time says nothing of
			// certificates.
			if (System.nanoTime() - began < WEBHOOK_MAY_TAKE.toNanos()) {
				created++;
				if (shard == null) {
					missed.add(name);
				}
			}
			String now = authorities();
			overlapped |= now.length() > first.length() && now.contains(first);
		}
		assertThat(missed).isEmpty();
		assertThat(webhook.status().problem()).isNull();
	}

	@Test
	@DisplayName("Two replicas share certificates, and each answers like the other")
	void replicasAgree() {
		this.world.withRing();
		this.world.shard("shard-a");
		int port = Ports.next();
		Webhook leader = this.webhooks.start(port, true, CertificateTerms.DEFAULT);
		this.webhooks.awaitServing();
		String authorities = authorities();
		leader.close();
		Webhook follower = this.webhooks.create(port, true, CertificateTerms.DEFAULT, false);
		follower.start();
		World.await().untilAsserted(() -> assertThat(follower.status().isServing()).isTrue());
		assertThat(authorities()).isEqualTo(authorities);
		this.webhooks.awaitServing();
		assertThat(this.world.shardOf(this.world.secret("s-1"))).isEqualTo("shard-a");
		assertThat(follower.status().configurations()).isEmpty();
	}

	@Test
	@DisplayName("A leader that cannot prove its Lease writes no configuration")
	void writesNoConfigurationWithoutProof() {
		this.world.withRing();
		this.world.shard("shard-a");
		AtomicBoolean proves = new AtomicBoolean(true);
		RequestGuard guard = (request) -> {
			if (!proves.get()) {
				throw new UnprovenException();
			}
			return null;
		};
		this.webhooks
			.create(this.world.client, this.webhooks.options(Ports.next(), true, CertificateTerms.DEFAULT), () -> guard,
					new WebhookReports())
			.start();
		this.webhooks.awaitServing();
		proves.set(false);
		this.world.client.resource(this.webhooks.configuration()).delete();
		World.await()
			.during(Duration.ofSeconds(3))
			.untilAsserted(() -> assertThat(this.webhooks.configuration()).isNull());
		proves.set(true);
		World.await().untilAsserted(() -> assertThat(this.webhooks.configuration()).isNotNull());
	}

	private String authorities() {
		String encoded = this.world.client.secrets()
			.inNamespace(this.world.namespace)
			.withName("sharder-webhook")
			.get()
			.getData()
			.get("ca.crt");
		return new String(Base64.getDecoder().decode(encoded), StandardCharsets.US_ASCII);
	}

	private static final class UnprovenException extends NotSentException {

		private static final long serialVersionUID = 1L;

		private UnprovenException() {
			super("Unproven, says the test");
		}

	}

}

package dev.sharding.internal.sharder;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sharding.internal.sharder.assignment.RingAssignment;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rings that change, overlap and go, and what only a resync mends.
 */
@ControlPlaneTest
class RingsIT {

	private static final SharderOptions RESTLESS = World.AT_ONCE.withSyncPeriod(Duration.ofSeconds(1));

	private final World world;

	RingsIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "rings");
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("Scenario 116, 119, 120 in watch mode: a resync labels controlled objects that nobody stamped, and leaves the others")
	void labelsControlledObjectsAtResync() {
		this.world.withRing().impatient().start(this.world.client, RESTLESS);
		this.world.lasting("shard-a", 2);
		this.world.lasting("shard-b", 2);
		this.world.awaitShards(2);
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		Secret secret = this.world.secret(name);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
		this.world.configMap("unlabelled", secret, Map.of());
		this.world.configMap("misplaced", secret, this.world.assignedTo("shard-a"));
		this.world.configMap("of-a-dead-shard", secret, this.world.assignedTo("shard-dead"));
		World.await()
			.untilAsserted(
					() -> assertThat(List.of("unlabelled", "misplaced", "of-a-dead-shard")).allSatisfy((configMap) -> {
						assertThat(this.world.configMapShard(configMap)).isEqualTo("shard-b");
					}));
		this.world.client.configMaps().inNamespace(this.world.namespace).withName("unlabelled").edit((configMap) -> {
			configMap.getMetadata().getLabels().remove(ShardingLabels.shard(this.world.ring));
			return configMap;
		});
		World.await().untilAsserted(() -> assertThat(this.world.configMapShard("unlabelled")).isEqualTo("shard-b"));
	}

	@Test
	@DisplayName("Scenario 21: a resource that is listed both ways is a main resource")
	void takesAResourceListedBothWaysForAMainResource() {
		this.world
			.withRing((spec) -> new ControllerRingSpec(
					List.of(spec.resources().get(0), new MainResource("", "configmaps", List.of())), null))
			.start();
		this.world.shard("shard-a");
		this.world.configMap("c-1", null, Map.of());
		World.await().untilAsserted(() -> assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@DisplayName("Scenarios 74 and 108: objects outside the selected namespaces stay untouched, until their namespace is selected, also where the sharder selects for rings that do not")
	void honoursTheNamespaceSelector(boolean ofTheRing) {
		LabelSelector selector = new LabelSelectorBuilder().addToMatchLabels("sharded", "yes").build();
		this.world.secret("s-1");
		this.world.withRing((spec) -> new ControllerRingSpec(spec.resources(), ofTheRing ? selector : null))
			.start(this.world.client, World.AT_ONCE.withNamespaceSelector(ofTheRing ? null : selector));
		this.world.shard("shard-a");
		World.await().untilAsserted(() -> {
			assertThat(this.world.status().availableShards()).isEqualTo(1);
		});
		World.await()
			.during(Duration.ofSeconds(2))
			.untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isNull());
		this.world.client.namespaces().withName(this.world.namespace).edit((namespace) -> {
			namespace.getMetadata().getLabels().put("sharded", "yes");
			return namespace;
		});
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
		this.world.client.namespaces().withName(this.world.namespace).edit((namespace) -> {
			namespace.getMetadata().getLabels().remove("sharded");
			return namespace;
		});
	}

	@Test
	void servesSeveralRingsWithTheSameObjects() {
		World other = new World(this.world.client, this.world.namespace, "rings-2").withRing();
		this.world.withRing().start();
		this.world.shard("shard-a");
		other.shard("other-shard");
		this.world.secret("s-1");
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
			assertThat(other.secretShard("s-1")).isEqualTo("other-shard");
		});
		this.world.client.resources(ControllerRing.class).withName(other.ring).delete();
	}

	@Test
	@DisplayName("Scenario 56: a new spec counts, an edited status is mended without a new pass")
	void followsItsSpec() {
		this.world.withRing((spec) -> new ControllerRingSpec(List.of(), null)).start();
		this.world.shard("shard-a");
		this.world.secret("s-1");
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(1));
		assertThat(this.world.secretShard("s-1")).isNull();
		this.world
			.retrying(() -> this.world.client.resources(ControllerRing.class).withName(this.world.ring).edit((ring) -> {
				ring.setSpec(new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), null));
				return ring;
			}));
		SharderUser.install(this.world.client);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
			assertThat(this.world.status().observedGeneration()).isEqualTo(2);
		});
		this.world.client.resources(ControllerRing.class)
			.withName(this.world.ring)
			.subresource("status")
			.patch(PatchContext.of(PatchType.JSON_MERGE),
					"{\"status\":{\"observedGeneration\":1,\"shards\":7,\"availableShards\":7,\"conditions\":[]}}");
		World.await().untilAsserted(() -> {
			assertThat(this.world.status().shards()).isEqualTo(1);
			assertThat(this.world.status().conditions()).isNotEmpty();
		});
	}

	@Test
	@DisplayName("A patch of a ring that changes, whose admission hangs, holds up no other ring")
	void waitsForThePatchesOfAChangedRingBesideTheOthers() throws Exception {
		this.world.withRing().start();
		this.world.shard("shard-a");
		this.world.awaitShards(1);
		// The patches are waited for for 5 s, within which a busy machine may not serve
		// the other ring. One that waits with them is late each time.
		boolean beside = false;
		for (int round = 0; round < 5 && !beside; round++) {
			beside = servesAnotherRingWhilePatchesHang(round);
		}
		assertThat(beside).isTrue();
	}

	private boolean servesAnotherRingWhilePatchesHang(int round) throws IOException {
		ListAppender<ILoggingEvent> late = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger(RingAssignment.class);
		late.start();
		logger.addAppender(late);
		String name = "hangs-" + round + "-" + this.world.namespace;
		World other = new World(this.world.client, this.world.namespace, "beside-" + round);
		// Another one than in the round before.
		List<ControlledResource> controlled = (round % 2 == 0) ? null
				: List.of(new ControlledResource("", "configmaps"));
		ControllerRingSpec changed = new ControllerRingSpec(List.of(new MainResource("", "secrets", controlled)), null);
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			this.world.client.resource(hangingAdmission(name, silent.getLocalPort())).create();
			// Patched, and in the hands of the API server.
			World.await().until(() -> {
				this.world.secret("s-" + System.nanoTime());
				silent.setSoTimeout(1_000);
				try {
					silent.accept();
					return true;
				}
				catch (SocketTimeoutException ex) {
					return false;
				}
			});
			World.retrying(
					() -> this.world.client.resources(ControllerRing.class).withName(this.world.ring).edit((ring) -> {
						ring.setSpec(changed);
						return ring;
					}));
			other.withRing();
			World.await().untilAsserted(() -> assertThat(other.status().conditions()).isNotEmpty());
			boolean beside = late.list.stream()
				.noneMatch((event) -> event.getMessage().startsWith("Stopped with patches in flight"));
			// What waits for it meanwhile is served as soon as that is allowed.
			long generation = round + 2;
			World.await()
				.untilAsserted(() -> assertThat(this.world.status().observedGeneration()).isEqualTo(generation));
			return beside;
		}
		finally {
			logger.detachAppender(late);
			this.world.client.admissionRegistration().v1().validatingWebhookConfigurations().withName(name).delete();
			this.world.client.resources(ControllerRing.class).withName(other.ring).delete();
		}
	}

	private ValidatingWebhookConfiguration hangingAdmission(String name, int port) {
		return new ValidatingWebhookConfigurationBuilder().withNewMetadata()
			.withName(name)
			.endMetadata()
			.addNewWebhook()
			.withName("hangs.sharding.dev")
			.withAdmissionReviewVersions("v1")
			.withSideEffects("None")
			.withFailurePolicy("Ignore")
			.withTimeoutSeconds(30)
			.withNewClientConfig()
			.withUrl("https://127.0.0.1:" + port + "/")
			.endClientConfig()
			.withNewNamespaceSelector()
			.addToMatchLabels("kubernetes.io/metadata.name", this.world.namespace)
			.endNamespaceSelector()
			.addNewRule()
			.withApiGroups("")
			.withApiVersions("v1")
			.withResources("secrets")
			.withOperations("UPDATE")
			.endRule()
			.endWebhook()
			.build();
	}

	@Test
	void stopsWithItsRingAndStartsWithANewOneOfThatName() {
		this.world.withRing().start();
		this.world.shard("shard-a");
		this.world.secret("s-1");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
		this.world.client.resources(ControllerRing.class).withName(this.world.ring).delete();
		World.await().until(() -> this.world.ring() == null);
		this.world.secret("s-2");
		World.await()
			.during(Duration.ofSeconds(2))
			.untilAsserted(() -> assertThat(this.world.secretShard("s-2")).isNull());
		this.world.withRing();
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-2")).isEqualTo("shard-a"));
	}

	@Test
	void assignsMainObjectsWhoseControlledResourceCannotBeListed() {
		this.world.secret("s-1");
		this.world.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets",
				List.of(new ControlledResource("authentication.k8s.io", "tokenreviews")))), null))
			.start();
		this.world.shard("shard-a");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
	}

	@Test
	void followsAResourceToAnotherVersion() {
		CustomResourceDefinition definition = this.world.client.resource(gizmos(true)).create();
		ResourceDefinitionContext context = new ResourceDefinitionContext.Builder().withGroup("red.example.com")
			.withVersion("v1")
			.withKind("Gizmo")
			.withPlural("gizmos")
			.withNamespaced(true)
			.build();
		this.world
			.withRing((spec) -> new ControllerRingSpec(
					List.of(new MainResource("red.example.com", "gizmos", List.of())), null))
			.start();
		this.world.shard("shard-a");
		// There are none before the API server serves the definition.
		World.await().ignoreExceptions().untilAsserted(() -> gizmo(context, "g-1"));
		World.await().untilAsserted(() -> assertThat(gizmoShard(context, "g-1")).isEqualTo("shard-a"));
		this.world.client.resource(gizmos(false)).forceConflicts().fieldManager("test").serverSideApply();
		gizmo(context, "g-2");
		World.await().untilAsserted(() -> assertThat(gizmoShard(context, "g-2")).isEqualTo("shard-a"));
		this.world.client.resource(definition).delete();
	}

	private void gizmo(ResourceDefinitionContext context, String name) {
		Resource<GenericKubernetesResource> gizmo = this.world.client.genericKubernetesResources(context)
			.inNamespace(this.world.namespace)
			.resource(new GenericKubernetesResourceBuilder().withApiVersion("red.example.com/v1")
				.withKind("Gizmo")
				.withNewMetadata()
				.withName(name)
				.endMetadata()
				.build());
		gizmo.createOr((existing) -> gizmo.get());
	}

	private String gizmoShard(ResourceDefinitionContext context, String name) {
		GenericKubernetesResource found = this.world.client.genericKubernetesResources(context)
			.inNamespace(this.world.namespace)
			.withName(name)
			.get();
		Map<String, String> labels = found.getMetadata().getLabels();
		return (labels != null) ? labels.get(ShardingLabels.shard(this.world.ring)) : null;
	}

	/* The API server prefers v2 as long as it serves it. */
	private static CustomResourceDefinition gizmos(boolean withV2) {
		JSONSchemaProps anything = new JSONSchemaPropsBuilder().withType("object")
			.withXKubernetesPreserveUnknownFields(true)
			.build();
		return new CustomResourceDefinitionBuilder().withNewMetadata()
			.withName("gizmos.red.example.com")
			.endMetadata()
			.withNewSpec()
			.withGroup("red.example.com")
			.withScope("Namespaced")
			.withNewNames()
			.withKind("Gizmo")
			.withPlural("gizmos")
			.withSingular("gizmo")
			.endNames()
			.addNewVersion()
			.withName("v1")
			.withServed(true)
			.withStorage(true)
			.withNewSchema()
			.withOpenAPIV3Schema(anything)
			.endSchema()
			.endVersion()
			.addNewVersion()
			.withName("v2")
			.withServed(withV2)
			.withStorage(false)
			.withNewSchema()
			.withOpenAPIV3Schema(anything)
			.endSchema()
			.endVersion()
			.endSpec()
			.build();
	}

}

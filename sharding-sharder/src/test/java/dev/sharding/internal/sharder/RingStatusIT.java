package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The ControllerRing as users see it (protocol sections 1.2 and 1.3).
 */
@ControlPlaneTest
class RingStatusIT {

	private final World world;

	RingStatusIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "ringstatus");
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("Scenario 101, 102: observedGeneration is set and the ring is Ready, without any shard")
	void isReadyWithoutShards() {
		this.world.withRing().start();
		World.await().untilAsserted(() -> {
			assertThat(this.world.status().observedGeneration()).isEqualTo(1);
			assertThat(condition("Ready").getStatus()).isEqualTo("True");
			assertThat(condition("Ready").getReason()).isEqualTo("ReconciliationSucceeded");
			assertThat(condition("Ready").getObservedGeneration()).isEqualTo(1);
		});
	}

	@Test
	@DisplayName("Scenario 104: status follows the Leases")
	void followsTheLeases() {
		this.world.withRing().start();
		this.world.shard("shard-a");
		awaitShards(1, 1);
		this.world.shard("shard-b", 60);
		awaitShards(2, 2);
		this.world.release("shard-b");
		awaitShards(1, 2);
		this.world.renew("shard-b");
		awaitShards(2, 2);
		this.world.release("shard-b");
		awaitShards(1, 2);
		this.world.client.leases().inNamespace(this.world.namespace).withName("shard-b").delete();
		awaitShards(1, 1);
	}

	@Test
	@DisplayName("kubectl get controllerrings shows Ready, Available, Shards and Age")
	void printsItsColumns() {
		this.world.withRing().start();
		this.world.shard("shard-a");
		awaitShards(1, 1);
		ApiRequest request = ApiRequest
			.of("GET", "/apis/sharding.timebertt.dev/v1alpha1/controllerrings/" + this.world.ring)
			.accept("application/json;as=Table;v=v1;g=meta.k8s.io");
		Map<?, ?> table = this.world.client.getKubernetesSerialization()
			.unmarshal(new ApiRequests(this.world.client).send(request).join().stream(), Map.class);
		assertThat((List<?>) table.get("columnDefinitions"))
			.extracting((column) -> String.valueOf(((Map<?, ?>) column).get("name")))
			.containsExactly("Name", "Ready", "Available", "Shards", "Age");
		List<?> cells = (List<?>) ((Map<?, ?>) ((List<?>) table.get("rows")).get(0)).get("cells");
		assertThat(cells.subList(0, 4)).extracting(String::valueOf).containsExactly(this.world.ring, "True", "1", "1");
	}

	@Test
	void refusesALongNameAndAResourceListedTwice() {
		World tooLong = new World(this.world.client, this.world.namespace, "r".repeat(64));
		assertThatExceptionOfType(KubernetesClientException.class).isThrownBy(tooLong::withRing)
			.withMessageContaining("63 characters");
		MainResource secrets = new MainResource("", "secrets", List.of());
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.world.withRing((spec) -> new ControllerRingSpec(List.of(secrets, secrets), null)))
			.withMessageContaining("Duplicate value");
		this.world.withRing();
	}

	/* Its webhook would be asked about every write there is. */
	@ParameterizedTest
	@CsvSource({ "'*', '*', group", "'', '*', resource", "'', '*/*', resource", "'', pods/status, resource",
			"'', -pods, resource", "'*.example.com', widgets, group", "apps., deployments, group" })
	void refusesWhatIsNoResource(String group, String resource, String field) {
		for (boolean controlled : List.of(false, true)) {
			ControllerRingSpec asked = new ControllerRingSpec(List
				.of(controlled ? new MainResource("", "secrets", List.of(new ControlledResource(group, resource)))
						: new MainResource(group, resource, List.of())),
					null);
			assertThatExceptionOfType(KubernetesClientException.class)
				.isThrownBy(() -> this.world.withRing((spec) -> asked))
				.withMessageContaining(field + ": Invalid value");
		}
		this.world.withRing((spec) -> new ControllerRingSpec(
				List.of(new MainResource("very-own.example.com", "gizmos-2", List.of())), null));
	}

	@Test
	void namesInvalidAndDuplicateShards() {
		this.world.withRing().start();
		String other = this.world.namespace + "-2";
		this.world.client.resource(new NamespaceBuilder().withNewMetadata().withName(other).endMetadata().build())
			.create();
		this.world.shard("shard-a");
		this.world.shard("shard-" + "x".repeat(70));
		this.world.client.resource(
				new LeaseBuilder(this.world.lease("shard-a"))
					.withMetadata(new ObjectMetaBuilder().withNamespace(other)
						.withName("shard-a")
						.addToLabels(ShardingLabels.LEASE_RING, this.world.ring)
						.build())
					.build())
			.create();
		World.await().untilAsserted(() -> {
			assertThat(condition("ShardsValid").getStatus()).isEqualTo("False");
			assertThat(condition("ShardsValid").getMessage()).contains("at most 63 characters")
				.contains(this.world.namespace + "/shard-a");
			assertThat(condition("Ready").getStatus()).isEqualTo("True");
			assertThat(this.world.status().shards()).isEqualTo(3);
			assertThat(this.world.status().availableShards()).isEqualTo(1);
		});
		this.world.secret("s-1");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
		awaitEvent("InvalidShard", this.world.namespace + "/shard-a");
		this.world.client.leases().inNamespace(other).delete();
	}

	@Test
	void saysThatAMainResourceIsListedAsAControlledOneAndAssignsIt() {
		this.world.withRing((spec) -> new ControllerRingSpec(
				List.of(new MainResource("", "secrets", List.of(new ControlledResource("", "configmaps"))),
						new MainResource("", "configmaps", List.of())),
				null))
			.start();
		this.world.shard("shard-a");
		this.world.secret("s-1");
		World.await().untilAsserted(() -> {
			assertThat(condition("ResourcesDistinct").getStatus()).isEqualTo("False");
			assertThat(condition("ResourcesDistinct").getMessage()).contains("configmaps: listed more than once");
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
		});
		awaitEvent("ListedTwice", "configmaps");
	}

	@Test
	void saysWhichShardsDoNotStampWhatTheyCreate() {
		this.world.withRing().start();
		this.world.shard("shard-a");
		this.world.editLease("shard-a", (lease) -> {
			lease.getMetadata().setAnnotations(Map.of());
			return lease;
		});
		World.await().untilAsserted(() -> {
			assertThat(condition("CreatesStamped").getStatus()).isEqualTo("False");
			assertThat(condition("CreatesStamped").getMessage()).contains("shard-a");
		});
	}

	@Test
	void namesAResourceThatIsNotServedAndServesTheRest() {
		this.world
			.withRing((spec) -> new ControllerRingSpec(
					List.of(spec.resources().get(0), new MainResource("example.com", "widgets", List.of())), null))
			.start();
		this.world.shard("shard-a");
		this.world.secret("s-1");
		World.await().untilAsserted(() -> {
			assertThat(condition("ResourcesAccessible").getStatus()).isEqualTo("False");
			assertThat(condition("ResourcesAccessible").getMessage()).contains("widgets.example.com");
			assertThat(condition("Ready").getStatus()).isEqualTo("False");
			assertThat(condition("Ready").getReason()).isEqualTo("ReconciliationFailed");
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
		});
		awaitEvent("ReconciliationFailed", "widgets.example.com");
	}

	@Test
	void saysThatANamespaceSelectorIsInvalidUntilItIsMended() {
		this.world
			.withRing((spec) -> new ControllerRingSpec(spec.resources(),
					new LabelSelectorBuilder().addNewMatchExpression()
						.withKey("team")
						.withOperator("Near")
						.endMatchExpression()
						.build()))
			.start();
		this.world.shard("shard-a");
		this.world.secret("s-1");
		World.await().untilAsserted(() -> {
			assertThat(condition("Ready").getStatus()).isEqualTo("False");
			assertThat(condition("Ready").getMessage()).contains("'namespaceSelector' has an invalid expression");
		});
		// The resources of a ring in trouble are looked for again meanwhile.
		World.await()
			.during(Duration.ofSeconds(12))
			.untilAsserted(() -> assertThat(condition("Ready").getStatus()).isEqualTo("False"));
		this.world
			.retrying(() -> this.world.client.resources(ControllerRing.class).withName(this.world.ring).edit((ring) -> {
				ring.setSpec(new ControllerRingSpec(ring.getSpec().resources(), null));
				return ring;
			}));
		World.await().untilAsserted(() -> {
			assertThat(condition("Ready").getStatus()).isEqualTo("True");
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
		});
	}

	private void awaitEvent(String reason, String note) {
		World.await()
			.untilAsserted(() -> assertThat(
					this.world.client.events().v1().events().inNamespace("default").list().getItems())
				.anyMatch((event) -> "Warning".equals(event.getType()) && reason.equals(event.getReason())
						&& this.world.ring.equals(event.getRegarding().getName()) && event.getNote().contains(note)));
	}

	private void awaitShards(int available, int shards) {
		World.await().untilAsserted(() -> {
			assertThat(this.world.status().availableShards()).isEqualTo(available);
			assertThat(this.world.status().shards()).isEqualTo(shards);
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

}

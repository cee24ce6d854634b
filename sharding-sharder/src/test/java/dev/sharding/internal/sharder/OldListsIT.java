package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.function.Predicate;

import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the sharder knows is old by the time that it acts, or not all: the main object has
 * a live owner. What it controls stays with that one until it lets go.
 */
@ControlPlaneTest
class OldListsIT {

	private static final Predicate<Request> ALL_SECRETS = (request) -> isList(request, "secrets");

	private static final Predicate<Request> ALL_CONFIG_MAPS = (request) -> isList(request, "configmaps");

	private final World world;

	private final GatedApi api;

	private final String name;

	OldListsIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "old-lists");
		this.name = this.world.secretOf("shard-a", "shard-a", "shard-b");
		this.api = new GatedApi(controlPlane);
	}

	@BeforeEach
	void create() {
		this.world.withRing();
		this.world.shard("shard-b");
	}

	@AfterEach
	void close() {
		this.api.open();
		this.world.close();
		this.api.close();
	}

	@Test
	@DisplayName("A move of the former membership takes effect between the lists of main and of controlled objects")
	void resyncListsBeforeAndAfterAMove() {
		holdTheMoveOfTheMainObject();
		this.api.lists.close(ALL_CONFIG_MAPS);
		this.world.shard("shard-a");
		this.api.lists.awaitHeld();
		this.api.answers.close(this::isMove);
		this.api.requests.open();
		this.api.answers.awaitHeld();
		assertThat(this.world.secretShard(this.name)).isEqualTo("shard-b");
		this.api.lists.open();
		this.world.awaitPasses(1);
		bothAreWith("shard-b");
		this.api.answers.open();
		handsOver();
	}

	@Test
	@DisplayName("The list of main objects is from before a move, and comes when its new owner is asked to let go already")
	void resyncIsToldOfMainObjectsTooLate() {
		holdTheMoveOfTheMainObject();
		this.api.answers.close(ALL_SECRETS);
		this.world.shard("shard-a");
		this.api.answers.awaitHeld();
		this.api.requests.open();
		World.await().untilAsserted(() -> {
			assertThat(this.world.isDraining(this.name)).isTrue();
			assertThat(objectsUnderWay()).isZero();
		});
		this.api.answers.open();
		handsOver();
	}

	@Test
	@DisplayName("A move of the former membership takes effect, but the sharder is told that the API server is not available")
	void doesNotKnowThatItsMoveTookEffect() {
		holdTheMoveOfTheMainObject();
		this.api.answers.close(this::isMove);
		this.api.requests.open();
		this.api.answers.awaitHeld();
		this.api.lists.close(ALL_SECRETS);
		this.world.shard("shard-a");
		this.api.lists.awaitHeld();
		this.api.spoilNext(this::isMove);
		this.api.answers.open();
		staysUntilItIsDrained();
		this.api.lists.open();
		handsOver();
	}

	@Test
	@DisplayName("The main objects cannot be listed, the controlled ones can")
	void resyncDoesNotKnowTheMainObjects() {
		pair("shard-b", "shard-b");
		this.api.start(this.world);
		this.world.awaitPasses(1);
		this.api.spoilNext(ALL_SECRETS);
		this.world.shard("shard-a");
		this.world.awaitPasses(2);
		bothAreWith("shard-b");
		handsOver();
	}

	@Test
	@DisplayName("A controlled object without label gets that of the live owner while the resync labels it")
	void resyncLabelsWhatItsOwnerLabels() {
		Secret secret = this.world.secret(this.name, this.world.assignedTo("shard-b"));
		this.api.start(this.world);
		this.world.awaitPasses(1);
		this.world.configMap(this.name, secret, Map.of());
		this.api.requests.close((request) -> isPatch(request, "configmaps", this.name));
		this.world.shard("shard-a");
		this.api.requests.awaitHeld();
		World.retrying(() -> this.world.client.configMaps()
			.inNamespace(this.world.namespace)
			.withName(this.name)
			.edit((found) -> {
				found.getMetadata().getLabels().put(ShardingLabels.shard(this.world.ring), "shard-b");
				return found;
			}));
		this.api.requests.open();
		this.world.awaitPasses(2);
		bothAreWith("shard-b");
		handsOver();
	}

	@Test
	@DisplayName("A main object is created for its old shard, with what it controls, after the main objects were listed")
	void resyncDoesNotKnowAMainObjectThatIsYounger() {
		this.api.start(this.world);
		this.world.awaitPasses(1);
		this.api.lists.close(ALL_CONFIG_MAPS);
		this.world.shard("shard-a");
		this.api.lists.awaitHeld();
		pair("shard-b", "shard-b");
		this.api.lists.open();
		this.world.awaitPasses(2);
		bothAreWith("shard-b");
		handsOver();
	}

	@Test
	@DisplayName("Main and controlled object are created anew, for another shard, while a move of the controlled one waits")
	void movesNothingOfANamesake() {
		this.world.shard("shard-a");
		pair("shard-a", "shard-b");
		this.api.requests.close((request) -> isPatch(request, "configmaps", this.name));
		this.api.start(this.world);
		this.api.requests.awaitHeld();
		this.world.client.secrets().inNamespace(this.world.namespace).withName(this.name).delete();
		this.world.client.configMaps().inNamespace(this.world.namespace).withName(this.name).delete();
		pair("shard-b", "shard-b");
		this.api.requests.open();
		staysUntilItIsDrained();
		handsOver();
	}

	@Test
	@DisplayName("A shard has its Lease again, cordoned, while what its objects control leaves it")
	void nothingLeavesAShardThatIsBack() {
		this.world.shard("shard-a");
		String kept = this.world.secretOf("shard-b", "shard-a", "shard-b");
		Secret secret = this.world.secret(kept, this.world.assignedTo("shard-b"));
		this.world.configMap(kept, secret, this.world.assignedTo("shard-b"));
		this.api.start(this.world);
		this.world.awaitPasses(1);
		this.api.requests.close((request) -> isPatch(request, "configmaps", kept));
		this.world.release("shard-b");
		this.api.requests.awaitHeld();
		World.retrying(() -> this.world.client.configMaps()
			.inNamespace(this.world.namespace)
			.withName(kept)
			.edit((found) -> new ConfigMapBuilder(found).addToData("changed", "yes").build()));
		this.world.editLease("shard-b", (lease) -> {
			lease.getMetadata().getAnnotations().put(ShardingLabels.CORDONED, "true");
			ZonedDateTime later = ZonedDateTime.now(ZoneOffset.UTC).plusHours(1);
			lease.getSpec().setHolderIdentity("shard-b");
			lease.getSpec().setLeaseDurationSeconds(15);
			lease.getSpec().setRenewTime(later);
			return lease;
		});
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-b")).isEqualTo("ready"));
		this.api.requests.open();
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(kept)).isTrue());
		assertThat(this.world.configMapShard(kept)).isEqualTo("shard-b");
		this.world.removeLabels(kept);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(kept)).isEqualTo("shard-a"));
		assertThat(this.world.configMapShard(kept)).isEqualTo("shard-a");
	}

	/* By a membership in which only one is available. */
	private void holdTheMoveOfTheMainObject() {
		this.world.shard("shard-c");
		this.world.release("shard-c");
		pair("shard-c", "shard-c");
		this.api.requests.close(this::isMove);
		this.api.start(this.world);
		this.api.requests.awaitHeld();
		assertThat(this.world.secretShard(this.name)).isEqualTo("shard-c");
		assertThat(this.world.configMapShard(this.name)).isEqualTo("shard-b");
	}

	private void pair(String shard, String controlledShard) {
		Secret secret = this.world.secret(this.name, this.world.assignedTo(shard));
		this.world.configMap(this.name, secret, this.world.assignedTo(controlledShard));
	}

	private double objectsUnderWay() {
		return this.world.metrics.get("controller.sharding.backlog")
			.tags("controllerring", this.world.ring, "kind", "objects")
			.gauge()
			.value();
	}

	private void handsOver() {
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(this.name)).isTrue());
		staysUntilItIsDrained();
		this.world.removeLabels(this.name);
		World.await().untilAsserted(() -> bothAreWith("shard-a"));
		this.world.assertLabelledBefore(this.name, this.name);
	}

	private void staysUntilItIsDrained() {
		World.await().during(Duration.ofSeconds(2)).untilAsserted(() -> bothAreWith("shard-b"));
	}

	private void bothAreWith(String shard) {
		assertThat(this.world.secretShard(this.name)).isEqualTo(shard);
		assertThat(this.world.configMapShard(this.name)).isEqualTo(shard);
	}

	private boolean isMove(Request request) {
		return isPatch(request, "secrets", this.name);
	}

	private static boolean isPatch(Request request, String resource, String name) {
		return request.method().equals("PATCH") && request.path().endsWith("/" + resource + "/" + name);
	}

	/* Not one by the label of a shard. */
	private static boolean isList(Request request, String resource) {
		return request.method().equals("GET") && request.path().equals("/api/v1/" + resource)
				&& !request.query().contains("labelSelector");
	}

}

package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The ring becomes another one while what a main object controls is on its way. The main
 * object follows only when that is where the new ring wants it.
 */
@ControlPlaneTest
class LateMovesIT {

	private final World world;

	private final GatedApi api;

	private String name = "";

	LateMovesIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "late-moves");
		this.api = new GatedApi(controlPlane);
	}

	@BeforeEach
	void create() {
		this.world.withRing();
		this.world.shard("shard-a");
		this.world.shard("shard-b");
	}

	@AfterEach
	void close() {
		this.api.open();
		this.world.close();
		this.api.close();
	}

	@Test
	@DisplayName("It has moved, but the sharder is told that the API server is not available, and its new shard goes")
	void aMoveThatTookEffectUnknownIsLookedAtByTheNextRing() {
		this.name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		pair("shard-a", "shard-a");
		this.api.answers.close((request) -> isPatch(request, "configmaps"));
		this.api.start(this.world);
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(this.name)).isTrue());
		this.world.removeLabels(this.name);
		this.api.answers.awaitHeld();
		assertThat(this.world.configMapShard(this.name)).isEqualTo("shard-b");
		// Else what the shard leaves would be found there.
		this.api.lists.close((request) -> isListOf(request, "shard-b"));
		this.api.requests.close((request) -> isPatch(request, "secrets"));
		this.world.release("shard-b");
		this.api.lists.awaitHeld();
		this.api.spoilNext((request) -> isPatch(request, "configmaps"));
		this.api.answers.open();
		followsTo("shard-a");
	}

	@Test
	@DisplayName("Its move is on its way for longer than the sharder waits for an answer, and its new shard goes")
	void aMoveThatMayStillArriveIsWaitedForByTheNextRing() {
		this.name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		pair("shard-a", "shard-a");
		this.api.requests.close((request) -> isPatch(request, "configmaps"));
		this.api.start(this.world);
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(this.name)).isTrue());
		this.world.removeLabels(this.name);
		this.api.requests.awaitHeld();
		this.world.release("shard-b");
		World.await()
			.during(Duration.ofSeconds(15))
			.untilAsserted(() -> assertThat(this.world.secretShard(this.name)).isNull());
		this.api.requests.open();
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(this.name)).isEqualTo("shard-a"));
		assertThat(this.world.configMapShard(this.name)).isEqualTo("shard-a");
		this.world.assertLabelledBefore(this.name, this.name);
	}

	@Test
	@DisplayName("The pass after a shard is gone has moved it, and then another one comes that its main object belongs to")
	void whatALostShardHadIsFoundWithItsNextOne() {
		this.world.shard("shard-c");
		this.name = IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> "s-" + i)
			.filter((any) -> "shard-c".equals(this.world.owner(any, "shard-a", "shard-b", "shard-c"))
					&& "shard-d".equals(this.world.owner(any, "shard-a", "shard-b", "shard-c", "shard-d")))
			.findFirst()
			.orElseThrow();
		pair("shard-b", "shard-b");
		AtomicBoolean gone = new AtomicBoolean();
		this.api.lists.close((request) -> isListOf(request, "shard-b") && !gone.get());
		this.api.start(this.world);
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(this.name)).isTrue());
		this.world.removeLabels(this.name);
		World.await()
			.during(Duration.ofSeconds(1))
			.untilAsserted(() -> assertThat(this.world.configMapShard(this.name)).isEqualTo("shard-b"));
		gone.set(true);
		this.world.release("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.configMapShard(this.name)).isEqualTo("shard-c"));
		this.api.requests.close((request) -> isPatch(request, "secrets"));
		this.world.shard("shard-d");
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-d")).isEqualTo("ready"));
		this.api.lists.open();
		followsTo("shard-d");
	}

	@Test
	@DisplayName("A pass of the former ring still moves it to a shard that is gone")
	void aMoveOfTheFormerRingArrivesBeforeTheMainObjectFollows() {
		this.name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		pair("shard-b", "shard-a");
		this.api.requests.close((request) -> isPatch(request, "configmaps"));
		this.api.start(this.world);
		this.api.requests.awaitHeld();
		this.world.release("shard-b");
		World.await()
			.during(Duration.ofSeconds(3))
			.untilAsserted(() -> assertThat(this.world.secretShard(this.name)).isEqualTo("shard-b"));
		this.api.requests.open();
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(this.name)).isEqualTo("shard-a"));
		assertThat(this.world.configMapShard(this.name)).isEqualTo("shard-a");
		this.world.assertLabelledBefore(this.name, this.name);
	}

	private void pair(String shard, String controlledShard) {
		Secret secret = this.world.secret(this.name, this.world.assignedTo(shard));
		this.world.configMap(this.name, secret, this.world.assignedTo(controlledShard));
	}

	/* When the main object is about to move, what it controls has moved. */
	private void followsTo(String shard) {
		this.api.requests.awaitHeld();
		assertThat(this.world.configMapShard(this.name)).isEqualTo(shard);
		this.api.requests.open();
		this.api.lists.open();
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(this.name)).isEqualTo(shard));
		assertThat(this.world.configMapShard(this.name)).isEqualTo(shard);
	}

	private boolean isPatch(Request request, String resource) {
		return request.method().equals("PATCH") && request.path().endsWith("/" + resource + "/" + this.name);
	}

	private static boolean isListOf(Request request, String shard) {
		return request.method().equals("GET") && request.path().endsWith("/configmaps")
				&& request.query().contains(shard);
	}

}

package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.sharding.client.NotSentException;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
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
 * The new owner is lost between the moves of a controlled and of its main object, and its
 * Lease cannot be taken for a while. The main object must not go on alone.
 */
@ControlPlaneTest
class SecondLossIT {

	private final World world;

	private final AtomicBoolean takesShardD = new AtomicBoolean();

	private final CompletableFuture<Void> mainMayFollow = new CompletableFuture<>();

	private final Sharder sharder;

	SecondLossIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "second-loss");
		this.sharder = new Sharder(client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, (request) -> {
					if (request.method().equals("PUT") && request.path().endsWith("/leases/shard-d")
							&& !this.takesShardD.get()) {
						throw new KeptBackException();
					}
					return null;
				}, new WaitsBeforeTheMainObject());
	}

	@BeforeEach
	void create() {
		this.world.withRing();
	}

	@AfterEach
	void close() {
		this.sharder.close();
		this.world.close();
	}

	@Test
	@DisplayName("A second shard is lost while the objects of a first lost one are on their way to it")
	void losesTheNewOwnerOfWhatALostShardHad() {
		shards("shard-a", "shard-b", "shard-c", "shard-d");
		String name = name("shard-a", Map.of("shard-d", "shard-b shard-c shard-d"));
		pair(name, "shard-a", "shard-a");
		this.sharder.start();
		awaitShards(4);
		try (OrderHistory history = new OrderHistory(this.world)) {
			this.world.release("shard-a");
			awaitControlled(name, "shard-d");
			losesShardD(2);
			staysUntilWhatItControlsMayMove(name, "shard-a");
			awaitBoth(name, this.world.owner(name, "shard-b", "shard-c"));
			history.awaitInOrder(name);
		}
	}

	@Test
	@DisplayName("A shard is lost while the objects that another one let go of are on their way to it")
	void losesTheNewOwnerOfWhatWasDrained() {
		shards("shard-a", "shard-b");
		String name = name("shard-a", Map.of("shard-a", "shard-a shard-b", "shard-d", "shard-a shard-b shard-d"));
		pair(name, "shard-a", "shard-a");
		this.sharder.start();
		awaitShards(2);
		try (OrderHistory history = new OrderHistory(this.world)) {
			this.world.shard("shard-d");
			World.await().untilAsserted(() -> assertThat(this.world.isDraining(name)).isTrue());
			this.world.removeLabels(name);
			awaitControlled(name, "shard-d");
			losesShardD(2);
			staysUntilWhatItControlsMayMove(name, null);
			awaitBoth(name, "shard-a");
			history.awaitInOrder(name);
		}
	}

	@Test
	@DisplayName("A sharder begins when both are lost and an earlier one was between the two moves")
	void beginsBetweenTheTwoMoves() {
		this.mainMayFollow.complete(null);
		shards("shard-a", "shard-b", "shard-d");
		this.world.release("shard-a");
		this.world.release("shard-d");
		pair("s-1", "shard-a", "shard-d");
		try (OrderHistory history = new OrderHistory(this.world)) {
			this.sharder.start();
			staysUntilWhatItControlsMayMove("s-1", "shard-a");
			awaitBoth("s-1", "shard-b");
			history.awaitInOrder("s-1");
		}
	}

	@Test
	@DisplayName("The label of a lost shard goes while its Lease cannot be taken: what nobody has waits for nobody")
	void placesWhatBearsTheLabelOfALostShardNoMore() {
		this.mainMayFollow.complete(null);
		shards("shard-a", "shard-d");
		this.world.secret("s-1", this.world.assignedTo("shard-d"));
		this.sharder.start();
		awaitShards(2);
		losesShardD(1);
		World.await()
			.during(Duration.ofSeconds(2))
			.untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-d"));
		this.world.removeLabels("s-1");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
		assertThat(this.takesShardD).isFalse();
	}

	private void shards(String... names) {
		for (String name : names) {
			this.world.shard(name);
		}
	}

	/* A name that has those owners in rings of those shards. */
	private String name(String prefix, Map<String, String> owners) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> prefix + "-" + i)
			.filter((name) -> owners.entrySet()
				.stream()
				.allMatch((owner) -> owner.getKey().equals(this.world.owner(name, owner.getValue().split(" ")))))
			.findFirst()
			.orElseThrow();
	}

	private void pair(String name, String shard, String controlledShard) {
		Secret secret = this.world.secret(name, this.world.assignedTo(shard));
		this.world.configMap(name, secret, this.world.assignedTo(controlledShard));
	}

	private void awaitShards(int available) {
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(available));
	}

	private void awaitControlled(String name, String shard) {
		World.await().untilAsserted(() -> assertThat(this.world.configMapShard(name)).isEqualTo(shard));
	}

	private void losesShardD(int left) {
		this.world.release("shard-d");
		awaitShards(left);
		this.mainMayFollow.complete(null);
	}

	private void staysUntilWhatItControlsMayMove(String name, String shard) {
		World.await().during(Duration.ofSeconds(2)).untilAsserted(() -> {
			assertThat(this.world.configMapShard(name)).isEqualTo("shard-d");
			assertThat(this.world.secretShard(name)).isEqualTo(shard);
		});
		this.takesShardD.set(true);
	}

	private void awaitBoth(String name, String shard) {
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo(shard);
			assertThat(this.world.configMapShard(name)).isEqualTo(shard);
		});
	}

	private final class WaitsBeforeTheMainObject implements HandOverOrder {

		@Override
		public <T> CompletableFuture<T> run(Supplier<CompletableFuture<Boolean>> controlled,
				Function<Boolean, CompletableFuture<T>> main) {
			return controlled.get()
				.thenCompose((moved) -> SecondLossIT.this.mainMayFollow.thenCompose((may) -> main.apply(moved)));
		}

	}

	private static final class KeptBackException extends NotSentException {

		private static final long serialVersionUID = 1L;

		private KeptBackException() {
			super("Kept back by the test");
		}

	}

}

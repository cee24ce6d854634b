package dev.sharding.internal.autoconfigure.settings;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.event.LeaseAcquiredEvent;
import dev.sharding.event.LeaseLostEvent;
import dev.sharding.event.ObjectDrainedEvent;
import dev.sharding.event.ObjectTakenOverEvent;
import dev.sharding.event.ShardPhaseEvent;
import dev.sharding.event.ShardRejoinedEvent;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.OnLoss;
import dev.sharding.internal.kubernetes.reconcile.Move;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.shard.RuntimePhase;

import static org.assertj.core.api.Assertions.assertThat;

class ShardWatchTests {

	private final List<Object> events = new CopyOnWriteArrayList<>();

	private final List<Object> turns = new CopyOnWriteArrayList<>();

	private final List<String> exits = new CopyOnWriteArrayList<>();

	private final ShardWatch rejoining = watch(OnLoss.REJOIN);

	private final ShardWatch exiting = watch(OnLoss.EXIT);

	@AfterEach
	void close() {
		this.rejoining.close();
		this.exiting.close();
	}

	@Test
	void publishesEveryPhaseInOrder() {
		this.rejoining.changed(RuntimePhase.RUNNING, "");
		this.rejoining.changed(RuntimePhase.ACQUIRING, "deadline");
		seen(2);
		assertThat(this.events).containsExactly(new ShardPhaseEvent("ring", "shard", RuntimePhase.RUNNING, ""),
				new ShardPhaseEvent("ring", "shard", RuntimePhase.ACQUIRING, "deadline"));
		assertThat(this.exits).isEmpty();
	}

	@Test
	void endsTheApplicationAfterALossIfToldTo() {
		this.exiting.changed(RuntimePhase.ACQUIRING, "");
		this.exiting.changed(RuntimePhase.RUNNING, "");
		seen(2);
		assertThat(this.exits).isEmpty();
		this.exiting.changed(RuntimePhase.ACQUIRING, "deadline");
		seen(3);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.exits).singleElement().asString().contains("deadline"));
	}

	@Test
	void joiningAgainAfterAnIsolationIsNoLoss() {
		this.exiting.changed(RuntimePhase.RUNNING, "");
		this.exiting.changed(RuntimePhase.ISOLATED, "blind");
		this.exiting.changed(RuntimePhase.ACQUIRING, "");
		this.exiting.changed(RuntimePhase.RUNNING, "");
		seen(4);
		assertThat(this.exits).isEmpty();
	}

	@Test
	void endsTheApplicationWhenTheShardGaveUp() {
		this.rejoining.changed(RuntimePhase.FAILED, "two processes");
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.exits).singleElement().asString().contains("sharding.shard-name"));
	}

	@Test
	void tellsTurnsOfTheLeaseOnce() {
		for (RuntimePhase phase : List.of(RuntimePhase.SYNCING, RuntimePhase.ACQUIRING, RuntimePhase.REFRESHING,
				RuntimePhase.REFRESHING, RuntimePhase.RUNNING, RuntimePhase.ACQUIRING, RuntimePhase.REFRESHING,
				RuntimePhase.RUNNING, RuntimePhase.ISOLATED, RuntimePhase.ACQUIRING, RuntimePhase.REFRESHING,
				RuntimePhase.RUNNING, RuntimePhase.STOPPING, RuntimePhase.STOPPED)) {
			this.rejoining.changed(phase, "reason");
		}
		seen(14);
		LeaseAcquiredEvent acquired = new LeaseAcquiredEvent("ring", "shard");
		LeaseLostEvent lost = new LeaseLostEvent("ring", "shard", "reason");
		ShardRejoinedEvent rejoined = new ShardRejoinedEvent("ring", "shard");
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.turns).containsExactly(acquired, lost, acquired, rejoined, lost,
					acquired, rejoined));
	}

	@Test
	void tellsWhatMoved() {
		GroupResource secrets = new GroupResource("", "secrets");
		ObjectKey key = new ObjectKey("ns", "a");
		this.rejoining.moved(new Move(secrets, key, Move.Kind.DRAINED, Instant.EPOCH, Duration.ofMillis(1)));
		this.rejoining.moved(new Move(secrets, key, Move.Kind.TAKEN_OVER, Instant.EPOCH, Duration.ofMillis(2)));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.turns).containsExactly(
					new ObjectDrainedEvent("ring", "shard", secrets, key, Duration.ofMillis(1)),
					new ObjectTakenOverEvent("ring", "shard", secrets, key, Duration.ofMillis(2))));
	}

	private ShardWatch watch(OnLoss onLoss) {
		return new ShardWatch("ring", () -> "shard", (event) -> {
			((event instanceof ShardPhaseEvent) ? this.events : this.turns).add(event);
		}, new UserCode(new SimpleMeterRegistry(), System::nanoTime), this.exits::add, onLoss);
	}

	private void seen(int number) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.events.size() == number);
	}

}

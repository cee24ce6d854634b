package dev.sharding.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.autoconfigure.ShardingProperties.OnLoss;
import dev.sharding.kubernetes.RuntimePhase;

import static org.assertj.core.api.Assertions.assertThat;

class ShardWatchTests {

	private final List<Object> events = new CopyOnWriteArrayList<>();

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
		Awaitility.await().untilAsserted(() -> assertThat(this.exits).singleElement().asString().contains("deadline"));
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
			.untilAsserted(() -> assertThat(this.exits).singleElement().asString().contains("sharding.shard-name"));
	}

	private ShardWatch watch(OnLoss onLoss) {
		return new ShardWatch("ring", "shard", this.events::add, this.exits::add, onLoss);
	}

	private void seen(int number) {
		Awaitility.await().until(() -> this.events.size() == number);
	}

}

package dev.sharding.demo;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BoardTests {

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private final Board board = new Board();

	@Test
	void callsAnObjectMisplacedUntilItAndItsConfigMapAreWithTheOnlyShard() {
		Set<String> shards = Set.of("a");
		assertThat(this.board.misplaced(shards, 1)).isEqualTo(1);
		this.board.secret("s", "1", "", false, 0);
		assertThat(this.board.misplaced(shards, 1)).isEqualTo(1);
		this.board.secret("s", "2", "a", false, 0);
		assertThat(this.board.misplaced(shards, 1)).isEqualTo(1);
		this.board.configMap("s", "a", "2");
		assertThat(this.board.misplaced(shards, 1)).isZero();
		this.board.secret("s", "3", "a", true, 0);
		assertThat(this.board.misplaced(shards, 1)).isEqualTo(1);
		this.board.secret("s", "4", "b", false, 0);
		assertThat(this.board.misplaced(shards, 1)).isEqualTo(1);
	}

	@Test
	void takesTheTimeOfAssignmentsAndDrains() {
		this.board.times().created("s", 10 * MILLI);
		this.board.secret("s", "1", "", false, 11 * MILLI);
		this.board.secret("s", "2", "a", false, 14 * MILLI);
		this.board.secret("s", "3", "a", true, 20 * MILLI);
		this.board.secret("s", "4", "a", true, 22 * MILLI);
		this.board.secret("s", "5", "", false, 25 * MILLI);
		this.board.secret("s", "6", "b", false, 31 * MILLI);
		assertThat(this.board.times().assignMillis()).containsExactly(4L);
		assertThat(this.board.times().drainMillis()).containsExactly(11L);
		assertThat(this.board.times().millisToLastOwned(20 * MILLI)).isEqualTo(11);
		assertThat(this.board.times().moves()).isEqualTo(1);
	}

	@Test
	void countsWhatThereIsToSee() {
		this.board.shard("a", new Board.Seat("a", "ready", "one", Instant.EPOCH));
		this.board.secret("s", "1", "a", false, 0);
		this.board.secret("t", "2", "", false, 0);
		this.board.secret("u", "3", "gone", true, 0);
		this.board.configMap("s", "a", "1");
		BoardView view = this.board.view();
		assertThat(view.objects()).isEqualTo(3);
		assertThat(view.unowned()).isEqualTo(1);
		assertThat(view.draining()).isEqualTo(1);
		assertThat(view.current()).isEqualTo(1);
		assertThat(view.rows()).containsEntry("a", new BoardView.Row("ready", 1))
			.containsEntry("gone", new BoardView.Row("no Lease", 1));
		assertThat(this.board.behind()).isEqualTo(2);
	}

	@Test
	void callsWhoeverHasASlotByItsPod() {
		Board slots = new Board(List.of("r-000", "r-001"));
		slots.shard("r-000", new Board.Seat("pod-1", "ready", "one", Instant.EPOCH));
		assertThat(slots.shardOf("pod-1")).isEqualTo("r-000");
		assertThat(slots.shardOf("pod-2")).isEqualTo("r-001");
		slots.secret("s", "1", "r-000", false, 0);
		slots.configMap("s", "r-000", "1");
		assertThat(slots.ownerOf("s")).isEqualTo("pod-1");
		assertThat(slots.misplaced(Set.of("pod-1"), 1)).isZero();
		assertThat(slots.held(Set.of("pod-1", "pod-2"))).isFalse();
		slots.shard("r-000", new Board.Seat("pod-1", "taken", "one", Instant.EPOCH));
		slots.shard("r-001", new Board.Seat("pod-1", "held", "one", Instant.EPOCH));
		assertThat(slots.shardOf("pod-1")).isEqualTo("r-001");
		assertThat(slots.misplaced(Set.of("pod-1"), 1)).isEqualTo(1);
		assertThat(slots.held(Set.of("pod-1"))).isTrue();
	}

}

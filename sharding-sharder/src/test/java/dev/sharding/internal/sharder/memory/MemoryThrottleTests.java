package dev.sharding.internal.sharder.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.sharder.memory.MemoryState.Level;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MemoryThrottleTests {

	private final Switch pressure = new Switch();

	private final MemoryThrottle throttle = new MemoryThrottle(this.pressure);

	private final List<CompletableFuture<String>> started = new ArrayList<>();

	@Test
	void letsAllThroughWhileThereIsRoom() {
		begin();
		begin();
		assertThat(this.started).hasSize(2);
		assertThat(this.throttle.atMost(100)).isEqualTo(100);
	}

	@Test
	void letsOneThroughAtATimeWhileMemoryIsShort() {
		CompletableFuture<String> early = begin();
		this.pressure.shortage = true;
		CompletableFuture<String> second = begin();
		CompletableFuture<String> third = begin();
		assertThat(this.started).hasSize(1);
		this.started.get(0).complete("one");
		assertThat(early).isCompletedWithValue("one");
		assertThat(this.started).hasSize(2);
		this.started.get(1).completeExceptionally(new IllegalStateException("refused"));
		assertThat(second).isCompletedExceptionally();
		assertThat(this.started).hasSize(3);
		this.started.get(2).complete("three");
		assertThat(third).isCompletedWithValue("three");
		assertThat(this.throttle.atMost(100)).isEqualTo(12);
		assertThat(this.throttle.atMost(2)).isOne();
	}

	@Test
	void letsAllThroughOnceThereIsRoomAgain() {
		this.pressure.shortage = true;
		begin();
		begin();
		begin();
		this.pressure.shortage = false;
		this.started.get(0).complete("one");
		assertThat(this.started).hasSize(3);
	}

	@Test
	void whatWaitsStartsWhenThereIsRoomThoughWhatIsUnderWayHangs() {
		this.pressure.shortage = true;
		begin();
		begin();
		begin();
		this.throttle.pressureChanged();
		assertThat(this.started).hasSize(1);
		this.pressure.shortage = false;
		this.throttle.pressureChanged();
		assertThat(this.started).hasSize(3);
	}

	@Test
	void goesOnAfterWorkThatDoesNotStart() {
		this.pressure.shortage = true;
		CompletableFuture<String> failed = this.throttle.inTurn(() -> {
			throw new IllegalStateException("for a test");
		});
		assertThat(failed).isCompletedExceptionally();
		begin();
		assertThat(this.started).hasSize(1);
	}

	private CompletableFuture<String> begin() {
		return this.throttle.inTurn(() -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			this.started.add(work);
			return work;
		});
	}

	private static final class Switch implements MemoryPressure {

		private boolean shortage;

		@Override
		public MemoryState state() {
			return new MemoryState(this.shortage ? Level.NEAR : Level.FINE, 0, 0, 0);
		}

		@Override
		public double share() {
			return 0;
		}

		@Override
		public @Nullable String problem() {
			return null;
		}

		@Override
		public void onChange(Runnable changed) {
		}

	}

}

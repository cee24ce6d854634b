package dev.sharding.internal.sharder.memory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HeapWatchTests {

	private static final long MIB = 1 << 20;

	private final ScriptedHeap heap = new ScriptedHeap();

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private Duration delay = Duration.ZERO;

	private long now;

	private int told;

	private final HeapWatch watch = new HeapWatch(this.heap, () -> this.now, (task, after) -> {
		this.tasks.add(task);
		this.delay = after;
	}, () -> {
	});

	@Test
	void doesNothingWhileThereIsRoom() {
		assertThat(this.heap.threshold).isEqualTo(85 * MIB);
		assertThat(this.tasks).isEmpty();
		assertThat(this.watch.problem()).isNull();
	}

	@Test
	void looksUntilThereIsRoomAgain() {
		this.watch.onChange(() -> this.told++);
		tell(90);
		assertThat(this.watch.state().isShort()).isTrue();
		assertThat(this.watch.problem()).contains("from 512 MiB to 768 MiB");
		assertThat(this.watch.share()).isEqualTo(0.9);
		assertThat(this.told).isOne();

		this.heap.live = 60 * MIB;
		runNext(HeapWatch.LOOK_AGAIN);
		assertThat(this.heap.collected).isOne();
		assertThat(this.watch.state().isShort()).isTrue();
		runNext(HeapWatch.LOOK_AGAIN);
		runNext(HeapWatch.LOOK_AGAIN);
		assertThat(this.watch.state().isShort()).isFalse();
		assertThat(this.watch.problem()).isNull();
		assertThat(this.told).isEqualTo(2);
		assertThat(this.tasks).isEmpty();
	}

	@Test
	void looksOnceForAllThatIsToldMeanwhile() {
		tell(90);
		tell(95);
		assertThat(this.tasks).hasSize(1);
	}

	@Test
	void looksBeforeTheHeapIsFull() {
		fill();
		this.heap.live = 90 * MIB;
		runNext(Duration.ZERO);
		assertThat(this.heap.collected).isOne();
		assertThat(this.watch.state().isShort()).isTrue();
	}

	@Test
	void collectsNoMoreOftenThanOnceInAWhile() {
		this.heap.live = 60 * MIB;
		fill();
		runNext(Duration.ZERO);
		assertThat(this.heap.collected).isOne();
		assertThat(this.tasks).isEmpty();
		this.now += Duration.ofSeconds(3).toNanos();
		fill();
		fill();
		assertThat(this.tasks).hasSize(1);
		runNext(Duration.ofSeconds(7));
		assertThat(this.heap.collected).isEqualTo(2);
		assertThat(this.watch.state().isShort()).isFalse();
		this.now += Duration.ofMinutes(1).toNanos();
		fill();
		runNext(Duration.ZERO);
		assertThat(this.heap.collected).isEqualTo(3);
	}

	@Test
	void looksOnceWhereBothAreTold() {
		tell(90);
		fill();
		assertThat(this.tasks).hasSize(1);
		runNext(HeapWatch.LOOK_AGAIN);
		assertThat(this.heap.collected).isOne();
	}

	/* The task of the news runs at once. */
	private void fill() {
		Runnable waiting = this.tasks.poll();
		Duration before = this.delay;
		Objects.requireNonNull(this.heap.filled).run();
		Runnable news = Objects.requireNonNull(this.tasks.poll());
		this.delay = before;
		news.run();
		if (waiting != null) {
			this.tasks.add(waiting);
		}
	}

	@Test
	void thisJvmHasSuchAHeap() {
		try (TenuredHeap jvm = new TenuredHeap()) {
			jvm.collect();
			assertThat(jvm.live()).isPositive().isLessThan(jvm.max());
			assertThat(jvm.max()).isLessThanOrEqualTo(jvm.bound());
			assertThat(jvm.bound()).isLessThanOrEqualTo(jvm.pod());
		}
	}

	private void tell(long live) {
		this.heap.live = live * MIB;
		Runnable waiting = this.tasks.poll();
		Objects.requireNonNull(this.heap.listener).run();
		Objects.requireNonNull(this.tasks.poll()).run();
		if (waiting != null) {
			this.tasks.add(waiting);
		}
	}

	private void runNext(Duration after) {
		assertThat(this.delay).isEqualTo(after);
		this.now += after.toNanos();
		Objects.requireNonNull(this.tasks.poll()).run();
	}

	private static final class ScriptedHeap implements HeapWatch.Heap {

		private long live;

		private long threshold;

		private int collected;

		private @Nullable Runnable listener;

		private @Nullable Runnable filled;

		@Override
		public long live() {
			return this.live;
		}

		@Override
		public long max() {
			return 100 * MIB;
		}

		@Override
		public long bound() {
			return 256 * MIB;
		}

		@Override
		public long pod() {
			return 512 * MIB;
		}

		@Override
		public void collect() {
			this.collected++;
		}

		@Override
		public void onAbove(long bytes, Runnable left, Runnable full) {
			this.threshold = bytes;
			this.listener = left;
			this.filled = full;
		}

	}

}

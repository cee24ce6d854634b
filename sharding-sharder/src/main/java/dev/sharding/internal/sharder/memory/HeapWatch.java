package dev.sharding.internal.sharder.memory;

import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the heap of this process. The JVM tells when it finds too little room; then
 * this has garbage collected and looks again, once in a while, until there is room. It
 * also tells when the heap is that full whatever of it is garbage: this has it collected
 * then, as the JVM would when the heap is full, and nothing can be slowed down any more
 * if all of it is alive. While there is room, it does nothing.
 */
public final class HeapWatch implements MemoryPressure, AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(HeapWatch.class);

	/*
	 * A collection of all garbage on a small heap takes a tenth of a second or two. What
	 * is alive is known only after one, and a quiet process needs none by itself.
	 */
	static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

	/* A large heap takes seconds: nineteen parts of twenty are left for the work. */
	private static final int PARTS = 20;

	private final Heap heap;

	private final LongSupplier nanoTime;

	private final BiConsumer<Runnable, Duration> later;

	private final Runnable end;

	private volatile MemoryState state = MemoryState.UNKNOWN;

	private volatile Runnable listener = () -> {
	};

	/* On the thread of the looks only. */
	private boolean scheduled;

	/* On the thread of the looks only. */
	private Duration pause = LOOK_AGAIN;

	/* When all garbage was collected last; on the thread of the looks only. */
	private @Nullable Long collected;

	/** Begins to watch the heap of this JVM. */
	public HeapWatch() {
		this(new TenuredHeap(), System::nanoTime, new EventLoop("sharder-memory"));
	}

	private HeapWatch(TenuredHeap heap, LongSupplier nanoTime, EventLoop loop) {
		this(heap, nanoTime, loop::schedule, () -> {
			heap.close();
			loop.close();
		});
	}

	HeapWatch(Heap heap, LongSupplier nanoTime, BiConsumer<Runnable, Duration> later, Runnable end) {
		this.heap = heap;
		this.nanoTime = nanoTime;
		this.later = later;
		this.end = end;
		heap.onAbove(MemoryLaw.near(heap.max()), () -> later.accept(this::look, Duration.ZERO),
				() -> later.accept(this::filled, Duration.ZERO));
	}

	@Override
	public MemoryState state() {
		return this.state;
	}

	@Override
	public double share() {
		long max = this.heap.max();
		return (max > 0) ? (double) this.heap.live() / max : 0;
	}

	@Override
	public @Nullable String problem() {
		return this.state.isShort() ? MemoryLaw.advice(this.heap.bound(), this.heap.pod()) : null;
	}

	@Override
	public void onChange(Runnable changed) {
		this.listener = changed;
	}

	/* One at a time, on the thread of the looks. */
	private void look() {
		MemoryState before = this.state;
		MemoryState next = MemoryLaw.next(before, this.heap.live(), this.heap.max(), this.nanoTime.getAsLong());
		this.state = next;
		if (next.isShort() && !this.scheduled) {
			this.scheduled = true;
			this.later.accept(this::lookAgain, this.pause);
		}
		if (next.isShort() != before.isShort()) {
			if (next.isShort()) {
				log.warn("{} live={} max={}", problem(), next.live(), next.max());
			}
			else {
				log.info("There is room on the heap again live={} max={}", next.live(), next.max());
			}
			this.listener.run();
		}
	}

	/* What of it is alive is known only after a collection. */
	private void filled() {
		if (!this.scheduled) {
			this.scheduled = true;
			this.later.accept(this::lookAgain, untilCollected());
		}
	}

	private Duration untilCollected() {
		Long last = this.collected;
		if (last == null) {
			return Duration.ZERO;
		}
		Duration rest = this.pause.minusNanos(this.nanoTime.getAsLong() - last);
		return rest.isNegative() ? Duration.ZERO : rest;
	}

	private void lookAgain() {
		this.scheduled = false;
		long began = this.nanoTime.getAsLong();
		this.heap.collect();
		long ended = this.nanoTime.getAsLong();
		this.collected = ended;
		Duration slow = Duration.ofNanos(ended - began).multipliedBy(PARTS);
		this.pause = (slow.compareTo(LOOK_AGAIN) > 0) ? slow : LOOK_AGAIN;
		look();
	}

	/** Ends the watch. What it said last stays. */
	@Override
	public void close() {
		this.end.run();
	}

	/**
	 * The heap of a JVM.
	 */
	interface Heap {

		/** The bytes in use after the latest collection, of {@link #max()}. */
		long live();

		/** The bytes that may be in use where objects stay; less than the bound. */
		long max();

		/** The bytes that the heap may grow to, as {@code -Xmx} says it. */
		long bound();

		/** The bytes that the pod may have, or the machine. */
		long pod();

		/** Collects all garbage. */
		void collect();

		/**
		 * Says whom to tell when there is as much as that or more.
		 * @param left told when a collection leaves as much
		 * @param filled told when as much is in use, garbage or not
		 */
		void onAbove(long bytes, Runnable left, Runnable filled);

	}

}

package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import dev.sharding.core.assignment.HandOver;
import dev.sharding.core.key.ShardingKey;
import dev.sharding.sharder.assignment.PatchQueue.Priority;
import dev.sharding.sharder.assignment.Placement.Outcome;
import dev.sharding.sharder.loop.EventLoop;

/**
 * Sends drains no faster than the objects get their new owners. Lives on the ring's
 * thread.
 */
final class DrainPacer {

	private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

	private final DrainWindow window = new DrainWindow();

	private final Map<ShardingKey, Waiting> waiting = new LinkedHashMap<>();

	private final Placer placer;

	private final EventLoop loop;

	private final LongSupplier nanoTime;

	private boolean scheduled;

	DrainPacer(Placer placer, EventLoop loop, LongSupplier nanoTime) {
		this.placer = placer;
		this.loop = loop;
		this.nanoTime = nanoTime;
	}

	/**
	 * Asks the owner of an object to let go of it, when its turn has come.
	 * @return what became of the request; never fails
	 */
	CompletableFuture<Placement> drain(ShardedObject object, ShardingKey key) {
		Waiting begun = new Waiting(object, new CompletableFuture<>());
		this.waiting.put(key, begun);
		sendNext();
		return begun.result;
	}

	/** The object has no owner any more, whether asked or not. */
	void letGo(ShardingKey key) {
		this.window.letGo(key, this.nanoTime.getAsLong());
	}

	/** The object has an owner. */
	void owned(ShardingKey key) {
		this.window.owned(key, this.nanoTime.getAsLong());
		sendNext();
	}

	/** The object is not on its way any more. */
	void forget(ShardingKey key) {
		this.window.forget(key);
		sendNext();
	}

	/** Gives up a drain that was not sent yet, as something happened to the object. */
	void drop(ShardingKey key) {
		Waiting dropped = this.waiting.remove(key);
		if (dropped != null) {
			dropped.drop();
		}
	}

	/** Gives up all drains that were not sent yet. */
	void dropAll() {
		this.waiting.values().forEach(Waiting::drop);
		this.waiting.clear();
	}

	private void sendNext() {
		Iterator<Map.Entry<ShardingKey, Waiting>> next = this.waiting.entrySet().iterator();
		while (next.hasNext() && this.window.isOpen(this.nanoTime.getAsLong())) {
			Map.Entry<ShardingKey, Waiting> entry = next.next();
			next.remove();
			this.window.sent(entry.getKey(), this.nanoTime.getAsLong());
			this.placer.place(entry.getValue().object, HandOver.NONE, Priority.NORMAL, null)
				.thenAccept(entry.getValue().result::complete);
		}
		if (!this.waiting.isEmpty() && !this.scheduled) {
			this.scheduled = true;
			this.loop.schedule(() -> {
				this.scheduled = false;
				sendNext();
			}, LOOK_AGAIN);
		}
	}

	private record Waiting(ShardedObject object, CompletableFuture<Placement> result) {

		private void drop() {
			this.result.complete(Placement.of(Outcome.DROPPED, this.object));
		}

	}

}

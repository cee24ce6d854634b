package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.Sources;
import dev.sharding.internal.sharder.assignment.placement.DrainBudget;
import dev.sharding.internal.sharder.assignment.placement.DrainMeter;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.watch.EventLoop;

/**
 * Sends drains no faster than the objects get their new owners, and to no shard before it
 * is known what that has made. Lives on the ring's thread.
 */
final class DrainLimiter {

	private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

	private static final int MOST_OF_STUCK = 20;

	private final DrainWindow window = new DrainWindow();

	private final DrainMeter meter;

	/* By owner, so that nobody waits behind an owner that does not let go. */
	private final Map<String, Map<ShardingKey, Waiting>> waiting = new LinkedHashMap<>();

	private final Sources sources;

	private final Placer placer;

	private final EventLoop loop;

	private final LongSupplier nanoTime;

	private final Runnable putBack;

	private boolean scheduled;

	/**
	 * @param putBack called when an object was given up that is still to be drained
	 */
	DrainLimiter(Sources sources, Placer placer, DrainBudget budget, EventLoop loop, LongSupplier nanoTime,
			Runnable putBack) {
		this.meter = new DrainMeter(budget);
		this.sources = sources;
		this.placer = placer;
		this.loop = loop;
		this.nanoTime = nanoTime;
		this.putBack = putBack;
	}

	/**
	 * Asks the owner of an object to let go of it, when its turn has come.
	 * @return what became of the request; never fails
	 */
	CompletableFuture<Placement> drain(ShardedObject object, ShardingKey key, String owner) {
		Waiting begun = new Waiting(object, new CompletableFuture<>());
		this.waiting.computeIfAbsent(owner, (same) -> new LinkedHashMap<>()).put(key, begun);
		sendNext();
		return begun.result;
	}

	/** A shard has let go of something. */
	void acknowledged(String owner) {
		this.window.acknowledged(owner);
		this.sources.answered(owner);
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

	/** How many drains were not sent yet. */
	int waiting() {
		return this.waiting.values().stream().mapToInt(Map::size).sum();
	}

	/** How many objects were let go of long ago and still have no owner. */
	int stuck() {
		return this.window.stuck(this.nanoTime.getAsLong());
	}

	/** Whether every object that was let go of has its owner. */
	boolean isIdle() {
		return this.window.isIdle();
	}

	/** Gives up a drain that was not sent yet, as something happened to the object. */
	void drop(ShardingKey key) {
		for (Map<ShardingKey, Waiting> ofOne : this.waiting.values()) {
			Waiting dropped = ofOne.remove(key);
			if (dropped != null) {
				dropped.drop();
			}
		}
	}

	/** Gives up all drains that were not sent yet, as membership is another. */
	void dropAll() {
		this.waiting.values().forEach((ofOne) -> ofOne.values().forEach(Waiting::drop));
		this.waiting.clear();
		this.window.begin();
	}

	/* Its owner does not answer, or it is not known what has to go before it. */
	private boolean isStuck(String owner) {
		return this.window.isStuck(owner, this.nanoTime.getAsLong()) || this.sources.isLate(owner);
	}

	/* A later pass finds it again; until then others do not wait behind it. */
	private void putBack(Waiting one) {
		one.drop();
		this.putBack.run();
	}

	private void putBackOfStuck() {
		this.waiting.forEach((owner, ofOne) -> {
			if (ofOne.size() > MOST_OF_STUCK && isStuck(owner)) {
				List<ShardingKey> keys = new ArrayList<>(ofOne.keySet()).subList(MOST_OF_STUCK, ofOne.size());
				keys.forEach((key) -> {
					Waiting one = ofOne.remove(key);
					if (one != null) {
						putBack(one);
					}
				});
			}
		});
	}

	/* One of each owner in turn, so that they let go side by side. */
	private void sendNext() {
		List<String> owners = new ArrayList<>(this.waiting.keySet());
		while (!owners.isEmpty()) {
			owners.removeIf((owner) -> !sendNext(owner));
		}
		putBackOfStuck();
		this.waiting.values().removeIf(Map::isEmpty);
		if (!this.waiting.isEmpty() && !this.scheduled) {
			this.scheduled = true;
			this.loop.schedule(() -> {
				this.scheduled = false;
				sendNext();
			}, LOOK_AGAIN);
		}
	}

	private boolean sendNext(String owner) {
		Iterator<Map.Entry<ShardingKey, Waiting>> next = this.waiting.getOrDefault(owner, Map.of())
			.entrySet()
			.iterator();
		if (!next.hasNext() || !this.window.isOpen(owner, this.nanoTime.getAsLong())) {
			return false;
		}
		Map.Entry<ShardingKey, Waiting> entry = next.next();
		if (!this.sources.isReady(entry.getValue().object) || !this.meter.take(this.nanoTime.getAsLong())) {
			return false;
		}
		next.remove();
		// Behind the others, whose turn it is where the budget ends before theirs.
		this.waiting.put(owner, Objects.requireNonNull(this.waiting.remove(owner)));
		this.window.sent(entry.getKey(), owner, this.nanoTime.getAsLong());
		this.sources.asked(owner);
		this.placer.place(entry.getValue().object, HandOver.NONE, Priority.NORMAL, null)
			.thenAccept(entry.getValue().result::complete);
		return true;
	}

	private record Waiting(ShardedObject object, CompletableFuture<Placement> result) {

		private void drop() {
			this.result.complete(Placement.of(Outcome.DROPPED, this.object));
		}

	}

}

package dev.sharding.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The processes that play, and waiting for what they are to bring about. An actor that
 * ends without having been asked to ends the play.
 */
final class Cast implements AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(4);

	private static final Duration SETTLE_TIMEOUT = Duration.ofMinutes(2);

	/** How long all must stay in its place before we believe that it is quiet. */
	private static final Duration QUIET = Duration.ofMillis(500);

	private final Stage stage;

	private final Supplier<Board> board;

	private final Map<String, Actor> sharders = new LinkedHashMap<>();

	private final Map<String, Actor> shards = new LinkedHashMap<>();

	/**
	 * @param board gives the board that shows what happens now
	 */
	Cast(Stage stage, Supplier<Board> board) {
		this.stage = stage;
		this.board = board;
	}

	Actor enterSharder(Role role) throws IOException {
		Actor actor = this.stage.startSharder(role);
		this.sharders.put(role.name(), actor);
		return actor;
	}

	Actor enterShard(Role role) throws IOException {
		Actor actor = this.stage.startShard(role);
		this.shards.put(role.name(), actor);
		return actor;
	}

	/** From now on a shard that has been standing by is to have objects. */
	void enter(Actor shard) {
		this.shards.put(shard.name(), shard);
	}

	Actor actor(String name) {
		Actor actor = this.shards.getOrDefault(name, this.sharders.get(name));
		if (actor == null) {
			throw new IllegalStateException(name + " does not run");
		}
		return actor;
	}

	/** From now on the actor may end, and its objects are expected elsewhere. */
	Actor dismiss(String name) {
		Actor actor = actor(name);
		this.shards.remove(name);
		this.sharders.remove(name);
		return actor;
	}

	boolean plays(String name) {
		return this.shards.containsKey(name) || this.sharders.containsKey(name);
	}

	/** The shards that should be there. */
	Set<String> shards() {
		return new TreeSet<>(this.shards.keySet());
	}

	void awaitHeld() {
		Waiting.until("the Leases of " + shards(), START_TIMEOUT, () -> {
			checkAlive();
			return this.board.get().held(shards());
		});
	}

	/** Waits until the sharder says that it sees all shards and no others. */
	void awaitAvailable() {
		Waiting.until("the sharder to see the shards " + shards(), START_TIMEOUT, () -> {
			checkAlive();
			return this.stage.availableShards() == shards().size();
		});
	}

	/**
	 * Waits until all objects are where the shards that should be there have them.
	 * @param objects gives how many there are
	 * @return whether they were in time
	 */
	boolean settle(Supplier<Integer> objects) {
		Duration limit = SETTLE_TIMEOUT.plusMillis(20L * objects.get());
		long[] quietSince = { 0 };
		return Waiting.holds(limit, () -> {
			checkAlive();
			if (misplaced(objects.get()) > 0) {
				quietSince[0] = 0;
				return false;
			}
			if (quietSince[0] == 0) {
				quietSince[0] = System.nanoTime();
			}
			return System.nanoTime() - quietSince[0] > QUIET.toNanos();
		});
	}

	int misplaced(int objects) {
		return this.board.get().misplaced(shards(), objects);
	}

	void checkAlive() {
		this.stage.checkAlive();
		checkAlive(this.sharders);
		checkAlive(this.shards);
	}

	private static void checkAlive(Map<String, Actor> actors) {
		for (Actor actor : new ArrayList<>(actors.values())) {
			if (!actor.isAlive()) {
				throw new IllegalStateException(actor.died());
			}
		}
	}

	/** Ends all processes at once. */
	@Override
	public void close() {
		this.shards.values().forEach(Actor::kill);
		this.shards.clear();
		this.sharders.values().forEach(Actor::kill);
		this.sharders.clear();
	}

}

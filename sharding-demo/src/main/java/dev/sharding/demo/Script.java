package dev.sharding.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The play: three shards start, objects come, a fourth shard comes, one leaves, one dies.
 */
final class Script implements AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

	/** How long all must stay in its place before we believe that it is quiet. */
	private static final Duration QUIET = Duration.ofMillis(500);

	private final Stage stage;

	private final Board board;

	private final Writer writer;

	private final Marks marks;

	private final Screen screen;

	private final DemoOptions options;

	private final Map<String, Actor> actors = new LinkedHashMap<>();

	private final Figures figures;

	Script(Stage stage, Board board, Writer writer, Marks marks, Screen screen, DemoOptions options) {
		this.stage = stage;
		this.board = board;
		this.writer = writer;
		this.marks = marks;
		this.screen = screen;
		this.options = options;
		this.figures = new Figures(options.objects(), board.times());
	}

	/** Plays it all. */
	Figures play() throws Exception {
		step("start", "A sharder and three shards start", this::start);
		step("create", Text.count(this.options.objects()) + " Secrets are created", this::create);
		step("join", "A fourth shard joins", this::join);
		step("stop", "shard-2 stops gracefully", this::stop);
		step("kill", "shard-3 is killed with SIGKILL", this::kill);
		step("end", "The writer ends, the last checksums follow", this::end);
		return this.figures;
	}

	private void step(String id, String title, Action action) throws Exception {
		this.screen.begin(title);
		this.marks.begin(id);
		long start = System.nanoTime();
		String note = action.play();
		boolean settled = settle(expected());
		long millis = millisSince(start);
		this.marks.quiescent(id);
		this.screen.done(new StepResult(title, millis, settled ? note : missing(), settled));
	}

	private String start() throws IOException {
		this.actors.put("sharder", this.stage.startSharder());
		for (String shard : List.of("shard-1", "shard-2", "shard-3")) {
			startShard(shard);
		}
		awaitHeld();
		Waiting.until("the sharder to see three shards", START_TIMEOUT, () -> {
			checkAlive();
			return this.stage.availableShards() == expected().size();
		});
		return "three Leases held, the sharder sees three shards";
	}

	private String create() throws Exception {
		this.writer.startUpdates();
		this.writer.create();
		settle(expected());
		List<Long> millis = this.board.times().assignMillis();
		return "owned after p50 %d ms, p99 %d ms".formatted(Times.percentile(millis, 0.5),
				Times.percentile(millis, 0.99));
	}

	private String join() throws IOException {
		Map<String, BoardView.Row> before = this.board.view().rows();
		startShard("shard-4");
		awaitHeld();
		long held = System.nanoTime();
		settle(expected());
		this.figures.rebalance(this.board.times().millisToLastOwned(held));
		int drains = this.board.times().drainMillis().size();
		int total = before.values().stream().mapToInt(BoardView.Row::owned).sum();
		return "%d of %d moved in %s, each p99 %d ms".formatted(drains, total,
				Text.seconds(this.board.times().millisToLastOwned(held)), this.figures.drainMillisP99());
	}

	private String stop() {
		int owned = owned("shard-2");
		long start = System.nanoTime();
		Actor shard = dismiss("shard-2");
		shard.terminate();
		settle(expected());
		shard.awaitEnd(START_TIMEOUT);
		return "%d objects moved, the last after %s".formatted(owned,
				Text.seconds(this.board.times().millisToLastOwned(start)));
	}

	private String kill() {
		int owned = owned("shard-3");
		long start = System.nanoTime();
		dismiss("shard-3").kill();
		settle(expected());
		long millis = this.board.times().millisToLastOwned(start);
		this.figures.failover(millis);
		return "%d objects moved, the last after %s".formatted(owned, Text.seconds(millis));
	}

	private String end() throws InterruptedException {
		this.writer.close();
		boolean current = Waiting.holds(Duration.ofSeconds(10), () -> this.board.behind() == 0);
		return "%s updates, %d refused; %s".formatted(Text.count(this.writer.updates()), this.writer.failures(),
				current ? "all checksums up to date" : this.board.behind() + " ConfigMaps behind");
	}

	private int owned(String shard) {
		BoardView.Row row = this.board.view().rows().get(shard);
		return (row != null) ? row.owned() : 0;
	}

	private void startShard(String name) throws IOException {
		this.actors.put(name, this.stage.startShard(name, this.options.breakAcknowledgement()));
	}

	private Actor dismiss(String name) {
		Actor actor = this.actors.remove(name);
		if (actor == null) {
			throw new IllegalStateException(name + " does not run");
		}
		return actor;
	}

	/** The shards that should be there. */
	private Set<String> expected() {
		Set<String> shards = new TreeSet<>(this.actors.keySet());
		shards.remove("sharder");
		return shards;
	}

	private void awaitHeld() {
		Waiting.until("the Leases of " + expected(), START_TIMEOUT, () -> {
			checkAlive();
			return this.board.held(expected());
		});
	}

	private boolean settle(Set<String> shards) {
		int objects = this.board.view().objects();
		Duration limit = START_TIMEOUT.plusMillis(20L * this.options.objects());
		long[] quietSince = { 0 };
		return Waiting.holds(limit, () -> {
			checkAlive();
			if (this.board.misplaced(shards, Math.max(objects, this.writer.created())) > 0) {
				quietSince[0] = 0;
				return false;
			}
			if (quietSince[0] == 0) {
				quietSince[0] = System.nanoTime();
			}
			return System.nanoTime() - quietSince[0] > QUIET.toNanos();
		});
	}

	private String missing() {
		return "%d objects are not in their place".formatted(this.board.misplaced(expected(), this.writer.created()));
	}

	void checkAlive() {
		this.stage.checkAlive();
		for (Actor actor : new ArrayList<>(this.actors.values())) {
			if (!actor.isAlive()) {
				throw new IllegalStateException(actor.died());
			}
		}
	}

	/** Ends all processes at once. */
	@Override
	public void close() {
		this.actors.values().forEach(Actor::kill);
	}

	private static long millisSince(long start) {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
	}

	/** What happens in a step; the answer is what to say about it. */
	private interface Action {

		String play() throws Exception;

	}

}

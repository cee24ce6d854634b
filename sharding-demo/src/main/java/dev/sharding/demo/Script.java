package dev.sharding.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.sharding.test.Ports;
import dev.sharding.test.TcpProxy;

/**
 * The play: three shards start, objects come, a fourth shard comes, four accidents
 * happen, two of them at once, one shard leaves, one dies; then replicas with slots take
 * over and are rolled out.
 */
final class Script implements AutoCloseable {

	private static final Duration END_TIMEOUT = Duration.ofMinutes(2);

	private final Stage stage;

	private final Board board;

	private final Writer writer;

	private final Marks marks;

	private final Screen screen;

	private final DemoOptions options;

	private final Cast cast;

	private final Holds holds;

	private final Accidents accidents;

	private final Figures figures;

	private final TcpProxy leaseLink;

	private final TcpProxy readLink;

	Script(Stage stage, Board board, Writer writer, Screen screen, DemoOptions options) {
		this.stage = stage;
		this.board = board;
		this.writer = writer;
		this.marks = stage.marks();
		this.screen = screen;
		this.options = options;
		this.cast = new Cast(stage, () -> board);
		this.holds = new Holds(stage.logs().resolve("holds"), this.marks);
		this.accidents = new Accidents(this.cast, this.holds, this.marks, writer, () -> board, this::objects);
		this.figures = new Figures(options.objects(), board.times());
		this.leaseLink = stage.link();
		this.readLink = stage.link();
	}

	/** Plays it all. */
	Figures play() throws Exception {
		step("start", "A sharder and three shards start", this::start);
		step("create", Text.count(this.options.objects()) + " Secrets are created", this::create);
		step("join", "A fourth shard joins", this::join);
		if (this.options.fault() != Fault.ACK) {
			step("pause", "shard-1 is paused, shard-2 reconciles long", this::pause);
			step("hang", "Renewals of shard-4 hang", this::hang);
			step("restart", "shard-4 is killed and restarted", this::restart);
		}
		if (this.options.fault() == Fault.REJOIN) {
			step("rejoin", "shard-4 re-joins before its watches do", this::rejoin);
		}
		step("stop", "shard-2 stops gracefully", this::stop);
		step("kill", "shard-3 is killed with SIGKILL", this::kill);
		if (this.options.fault() == Fault.NONE) {
			RollOut rollOut = new RollOut(this.stage, this.cast, this.board, this::holdable, this::settle);
			step("slots", "Three replicas with slots take over", rollOut::begin);
			step("roll-out", "All three are rolled out", rollOut::play);
		}
		step("end", "The writer ends, the last checksums follow", this::end);
		return this.figures;
	}

	private void step(String id, String title, Action action) throws Exception {
		this.screen.begin(title);
		this.marks.begin(id);
		long start = System.nanoTime();
		String note = action.play();
		boolean settled = settle();
		long millis = millisSince(start);
		this.marks.quiescent();
		this.screen.done(new StepResult(title, millis, settled ? note : missing(), settled));
	}

	private String start() throws IOException {
		int port = Ports.next();
		this.cast.enterSharder(this.options.fault().sharder(Page.on(port, Role.of("sharder"))));
		this.screen.say("The page of the sharder: " + Page.url(port));
		enter(Role.of("shard-1"));
		enter(Role.of("shard-2"));
		enter(Role.of("shard-3"));
		this.cast.awaitHeld();
		this.cast.awaitAvailable();
		return "three Leases held, the sharder sees three shards";
	}

	private void enter(Role role) throws IOException {
		this.cast.enterShard(holdable(role));
	}

	/** With places where it can be held, and the fault if there is one. */
	private Role holdable(Role role) {
		return this.options.shard().shard(this.holds.holdable(role), this.options.fault());
	}

	/** A shard whose renewals and watches can be disturbed. */
	private Role linked(String name) {
		return Links.of(Role.of(name), this.leaseLink, this.readLink, this.stage.apiServer());
	}

	private String create() throws Exception {
		this.writer.startUpdates();
		this.writer.create();
		settle();
		List<Long> millis = this.board.times().assignMillis();
		return "owned after p50 %d ms, p99 %d ms".formatted(Times.percentile(millis, 0.5),
				Times.percentile(millis, 0.99));
	}

	private String join() throws Exception {
		Map<String, BoardView.Row> before = this.board.view().rows();
		if (this.options.fault() == Fault.ACK) {
			this.writer.stopUpdates();
			this.accidents.reconcileBeyondHandOver("shard-4", () -> enter(linked("shard-4")));
			this.writer.startUpdates();
		}
		else {
			enter(linked("shard-4"));
		}
		this.cast.awaitHeld();
		long held = System.nanoTime();
		settle();
		this.figures.rebalance(this.board.times().millisToLastOwned(held));
		int drains = this.board.times().drainMillis().size();
		int total = before.values().stream().mapToInt(BoardView.Row::owned).sum();
		return "%d of %d moved in %s, each p99 %d ms".formatted(drains, total,
				Text.seconds(this.board.times().millisToLastOwned(held)), this.figures.drainMillisP99());
	}

	/** The reconcile of shard-2 outlasts its Lease, which is renewed meanwhile. */
	private String pause() throws IOException {
		int owned = owned("shard-1");
		this.accidents.holdReconcile("shard-2");
		this.accidents.pauseInReconcile("shard-1");
		return "beyond their leases: %d objects went to others and came back".formatted(owned);
	}

	private String hang() throws IOException {
		int owned = owned("shard-4");
		this.accidents.hangRenewal("shard-4", this.leaseLink);
		return "%d objects went to others and came back".formatted(owned);
	}

	private String restart() throws IOException {
		this.marks.disturb("shard-4", () -> {
			this.readLink.delay(Duration.ofMillis(300));
			this.accidents.killAndRestart(holdable(linked("shard-4")));
			settle();
			this.readLink.heal();
		});
		return "under its old name, with watches that lag by 0.3 s";
	}

	private String rejoin() throws IOException {
		int owned = owned("shard-4");
		this.accidents.rejoinBlind("shard-4", this.leaseLink, this.readLink, true);
		return "%d objects went to others and came back".formatted(owned);
	}

	private String stop() {
		int owned = owned("shard-2");
		long start = System.nanoTime();
		Actor shard = this.cast.dismiss("shard-2");
		shard.terminate();
		settle();
		shard.awaitEnd(END_TIMEOUT);
		return "%d objects moved, the last after %s".formatted(owned,
				Text.seconds(this.board.times().millisToLastOwned(start)));
	}

	private String kill() {
		int owned = owned("shard-3");
		long start = System.nanoTime();
		this.cast.dismiss("shard-3").kill();
		settle();
		long millis = this.board.times().millisToLastOwned(start);
		this.figures.failover(millis);
		return "%d objects moved, the last after %s".formatted(owned, Text.seconds(millis));
	}

	private String end() throws Exception {
		this.writer.close();
		boolean current = Waiting.holds(Duration.ofSeconds(10), () -> this.board.behind() == 0);
		return "%s updates, %d refused; %s".formatted(Text.count(this.writer.updates()), this.writer.failures(),
				current ? "all checksums up to date" : this.board.behind() + " ConfigMaps behind");
	}

	private int owned(String shard) {
		BoardView.Row row = this.board.view().rows().get(shard);
		return (row != null) ? row.owned() : 0;
	}

	private int objects() {
		return Math.max(this.board.view().objects(), this.writer.created());
	}

	private boolean settle() {
		return this.cast.settle(this::objects);
	}

	private String missing() {
		return "%d objects are not in their place".formatted(this.cast.misplaced(objects()));
	}

	void checkAlive() {
		this.cast.checkAlive();
	}

	/** Ends all processes at once. */
	@Override
	public void close() {
		this.cast.close();
		this.leaseLink.close();
		this.readLink.close();
	}

	private static long millisSince(long start) {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
	}

	/** What happens in a step; the answer is what to say about it. */
	private interface Action {

		String play() throws Exception;

	}

}

package dev.sharding.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import dev.sharding.core.key.ShardingKey;
import dev.sharding.core.ring.HashRing;
import dev.sharding.judge.Counter;
import dev.sharding.judge.JudgeMain;
import dev.sharding.test.TcpProxy;
import io.fabric8.kubernetes.client.KubernetesClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real processes on a real API server: a sharder, two shards, a few Secrets and a writer.
 * Each scenario begins with all of them well, has its accident, and is judged from the
 * audit log once all is quiet again.
 */
final class World implements AutoCloseable {

	static final String HELD_SHARD = "dev.sharding.demo.held.HeldShard";

	static final List<String> SHARDS = List.of("s1", "s2");

	/*
	 * The machine that tests run on can be slow: how soon is measured by the benchmark.
	 */
	private static final Duration GRACE = Duration.ofSeconds(8);

	private static final Duration CURRENT_WITHIN = Duration.ofSeconds(30);

	private final Stage stage;

	private final Marks marks;

	private final Holds holds;

	private final Cast cast;

	private final Writer writer;

	private final int objects;

	private final Accidents accidents;

	private final TcpProxy leaseLink;

	private final TcpProxy readLink;

	private Fault fault = Fault.NONE;

	private String heldShard = HELD_SHARD;

	private Board board;

	private Observer observer;

	private World(Stage stage, int objects) throws IOException {
		this.stage = stage;
		this.objects = objects;
		stage.furnish();
		this.marks = new Marks(stage.user("conductor", Permissions.conductor()).client());
		this.holds = new Holds(stage.logs().resolve("holds"));
		this.cast = new Cast(stage, this::board);
		this.leaseLink = stage.link();
		this.readLink = stage.link();
		this.board = new Board();
		this.observer = new Observer(stage.admin(), this.board);
		this.writer = new Writer(stage.user("writer", Permissions.writer()).client(), new Times(), objects);
		this.accidents = new Accidents(this.cast, this.holds, this.writer, this::board, () -> objects);
	}

	/**
	 * Starts the API server and creates the Secrets.
	 * @param name of the folder for the logs
	 */
	static World open(String name, int objects) throws Exception {
		Path logs = Path.of("target", "proof", name).toAbsolutePath();
		if (Files.exists(logs)) {
			try (Stream<Path> files = Files.walk(logs)) {
				files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach((file) -> file.delete());
			}
		}
		Files.createDirectories(logs);
		Path root = Path.of(System.getProperty("demo.root", "..")).toAbsolutePath().normalize();
		Programs programs = Programs.in(root).unpacked(logs.resolve("programs"));
		World world = new World(Stage.open(programs, logs), objects);
		world.writer.create();
		return world;
	}

	/** Has other programs play from the next scenario on. */
	void cast(Fault fault, String heldShard) {
		this.fault = fault;
		this.heldShard = heldShard;
		this.cast.close();
	}

	/**
	 * Plays a scenario and says what the judge found.
	 * @param accident returns when the worst is over
	 */
	Map<Counter, List<String>> play(String name, Action accident) throws Exception {
		return play(name, GRACE, accident);
	}

	/**
	 * Plays a scenario and says what the judge found.
	 * @param grace how long an object may be without an owner
	 * @param accident returns when the worst is over
	 */
	Map<Counter, List<String>> play(String name, Duration grace, Action accident) throws Exception {
		makeWell();
		Instant since = Instant.now();
		this.marks.begin(name);
		this.writer.startUpdates();
		try {
			accident.run(this);
			settle();
		}
		finally {
			this.writer.stopUpdates();
		}
		assertThat(Waiting.holds(CURRENT_WITHIN, () -> this.board.behind() == 0)).as("all checksums are up to date")
			.isTrue();
		settle();
		this.marks.quiescent(name);
		return JudgeMain.judge(this.stage.admin(), Names.RING, this.stage.auditLog(), since, grace);
	}

	/** The shards and the sharder run, hold their Leases, and have all objects. */
	private void makeWell() throws IOException {
		this.holds.releaseAll();
		this.leaseLink.heal();
		this.readLink.heal();
		Set<String> wanted = new HashSet<>(SHARDS);
		for (String name : this.cast.shards()) {
			if (wanted.contains(name)) {
				this.cast.actor(name).resume();
			}
			else {
				this.cast.dismiss(name).kill();
			}
		}
		if (this.cast.plays("standby")) {
			this.cast.dismiss("standby").kill();
		}
		if (this.cast.plays("sharder")) {
			this.cast.actor("sharder").resume();
		}
		else {
			this.cast.enterSharder(sharder("sharder"));
		}
		for (String name : SHARDS) {
			if (!this.cast.plays(name)) {
				this.cast.enterShard(shard(name));
			}
		}
		this.cast.awaitHeld();
		this.cast.awaitAvailable();
		settle();
	}

	/** A shard that can be held; s1 has links that can be disturbed. */
	Role shard(String name) {
		Role role = light(this.holds.holdable(Role.of(name), this.heldShard));
		if (name.equals("s1")) {
			role = Links.of(role, this.leaseLink, this.readLink, this.stage.apiServer());
		}
		return this.fault.shard(role);
	}

	Role sharder(String name) {
		return this.fault.sharder(light(this.holds.holdable(Role.of(name), "dev.sharding.demo.held.HeldSharder")));
	}

	/** Nobody asks them for their health, and a web server takes its time to start. */
	private static Role light(Role role) {
		return role.with("SPRING_MAIN_WEBAPPLICATIONTYPE", "none").with("SPRING_MAIN_KEEPALIVE", "true");
	}

	/** An object that goes from s2 to s3 when that joins. */
	String movesToThird() {
		return movesToThird("s2");
	}

	/** An object that goes from a shard to s3 when that joins. */
	String movesToThird(String from) {
		HashRing two = HashRing.of(SHARDS);
		Set<String> more = new HashSet<>(SHARDS);
		more.add("s3");
		HashRing three = HashRing.of(more);
		for (int i = 0; i < this.objects; i++) {
			ShardingKey key = new ShardingKey("", "Secret", Names.NAMESPACE, Names.secret(i));
			if ("s3".equals(three.shardFor(key)) && from.equals(two.shardFor(key))) {
				return Names.secret(i);
			}
		}
		throw new IllegalStateException("No object moves to s3");
	}

	void settle() {
		assertThat(this.cast.settle(() -> this.objects)).as("all objects are in their places").isTrue();
	}

	/** Looks at the world through new eyes. */
	void lookAnew() {
		this.observer.close();
		this.board = new Board();
		this.observer = new Observer(this.stage.admin(), this.board);
	}

	/** What an actor, and those of its name before, have logged. */
	String log(String actor) {
		try {
			return Files.readString(this.stage.logs().resolve(actor + ".log"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Board board() {
		return this.board;
	}

	Cast cast() {
		return this.cast;
	}

	Stage stage() {
		return this.stage;
	}

	Holds holds() {
		return this.holds;
	}

	Writer writer() {
		return this.writer;
	}

	Accidents accidents() {
		return this.accidents;
	}

	TcpProxy leaseLink() {
		return this.leaseLink;
	}

	TcpProxy readLink() {
		return this.readLink;
	}

	KubernetesClient admin() {
		return this.stage.admin();
	}

	@Override
	public void close() throws Exception {
		this.writer.close();
		this.observer.close();
		this.cast.close();
		this.leaseLink.close();
		this.readLink.close();
		this.stage.close();
	}

	/** What happens in a scenario. */
	interface Action {

		void run(World world) throws Exception;

	}

}

package dev.sharding.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sharding.judge.Counter;
import dev.sharding.judge.Exposure;
import dev.sharding.judge.Judge;
import dev.sharding.test.TcpProxy;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real processes on a real API server: a sharder, two shards, a few Secrets and a writer.
 * Each scenario begins with all of them well, has its accident, and is judged from the
 * audit log once all is quiet again.
 */
final class World implements AutoCloseable {

	static final String HELD_SHARD = "dev.sharding.demo.held.HeldShard";

	static final List<String> SHARDS = List.of("s1", "s2");

	/** Where the programs of all builds are laid out. */
	static final Path LAUNCHES = Path.of("target", "launches").toAbsolutePath();

	/** A version of what the last writes were must be served by then: twice as long. */
	private static final Duration CURRENT_WITHIN = Duration.ofSeconds(30);

	/** For how long a slot that is given back waits for its next holder. */
	static final Duration GRACE = Duration.ofSeconds(3);

	/** One that was vacated is taken soon. */
	private static final Map<String, String> SLOTS = Map.of("SHARDING_SHARD_NAME", "", "SHARDING_SLOT_PREFIX", "slot",
			"SHARDING_SLOT_WAIT", "1s", "SHARDING_LEASE_GRACE", GRACE.toSeconds() + "s");

	private final Stage stage;

	/** How many there are at most, 0 for shards that have the names of processes. */
	private final int slots;

	private final Builds builds;

	private final Marks marks;

	private final Judge judge;

	private final Probe probe;

	private final Holds holds;

	private final Cast cast;

	private final Writer writer;

	private final Accidents accidents;

	private final TcpProxy leaseLink;

	private final TcpProxy readLink;

	private final @Nullable WebhookService webhook;

	private Fault fault = Fault.NONE;

	/** How all started is not judged: nothing runs yet that could be slow. */
	private Instant judgedUntil = Instant.MAX;

	private Instant judgedSince = Instant.MAX;

	private String heldShard = HELD_SHARD;

	private Board board;

	private Observer observer;

	private World(Stage stage, int objects, int slots, Builds builds, @Nullable WebhookService webhook)
			throws IOException {
		this.stage = stage;
		this.webhook = webhook;
		this.slots = slots;
		this.builds = builds;
		stage.furnish();
		if (webhook != null) {
			stage.admitWebhook();
		}
		this.marks = stage.marks();
		this.judge = new Judge(stage.admin(), List.of(Names.RING), stage.auditLog(), stage.serverLog());
		this.probe = new Probe(stage.user("probe", Permissions.probe()).client());
		this.holds = new Holds(stage.logs().resolve("holds"), this.marks);
		this.cast = new Cast(stage, this::board);
		this.leaseLink = stage.link();
		this.readLink = stage.link();
		this.board = newBoard();
		this.observer = new Observer(stage.admin(), this.board);
		this.writer = new Writer(stage.user("writer", Permissions.writer()).client(), new Times(), objects);
		this.accidents = new Accidents(this.cast, this.holds, this.marks, this.writer, this::board,
				this.writer::created);
	}

	/**
	 * Starts the API server and creates the Secrets.
	 * @param name of the folder for the logs
	 */
	static World open(String name, int objects) throws Exception {
		return open(name, objects, 0, Builds.one());
	}

	/**
	 * The same, where shards can have slots instead of the names of their processes, and
	 * be of another build.
	 * @param slots how many there are, 0 for none
	 */
	static World open(String name, int objects, int slots, Builds builds) throws Exception {
		return open(name, objects, slots, builds, null);
	}

	/**
	 * The same, where the sharder serves the webhook: shards that are not ours need it.
	 */
	static World openWithWebhook(String name, int objects) throws Exception {
		return open(name, objects, 0, Builds.one(), new WebhookService());
	}

	private static World open(String name, int objects, int slots, Builds builds, @Nullable WebhookService webhook)
			throws Exception {
		Path logs = logs(name);
		Path root = Path.of(System.getProperty("demo.root", "..")).toAbsolutePath().normalize();
		Launches launches = Launches.of(Programs.in(root), LAUNCHES);
		World world = new World(Stage.open(launches.programs(), logs), objects, slots, builds, webhook);
		world.writer.create();
		launches.train(world);
		return world;
	}

	private Board newBoard() {
		return new Board(IntStream.range(0, this.slots).mapToObj("slot-%03d"::formatted).toList());
	}

	/** An empty folder for logs. */
	static Path logs(String name) throws IOException {
		Path logs = Path.of("target", "proof", name).toAbsolutePath();
		if (Files.exists(logs)) {
			try (Stream<Path> files = Files.walk(logs)) {
				files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach((file) -> file.delete());
			}
		}
		return Files.createDirectories(logs);
	}

	/**
	 * Has other programs play from the next scenario on, once they are well. A sharder
	 * that would be the same goes on.
	 */
	void cast(Fault fault, String heldShard) {
		this.judgedUntil = Instant.MAX;
		if (fault.breaksSharder() || this.fault.breaksSharder()) {
			this.cast.close();
		}
		this.cast.shards().forEach((shard) -> this.cast.dismiss(shard).kill());
		this.fault = fault;
		this.heldShard = heldShard;
	}

	/**
	 * Plays a scenario and says what the judge found: in it, and in the time since the
	 * one before, in which all recovered.
	 * @param accident returns when the worst is over
	 */
	Map<Counter, List<String>> play(String name, Action accident) throws Exception {
		try {
			return playAndJudge(name, accident);
		}
		catch (Exception | AssertionError ex) {
			throw new AssertionError("Failed to play '" + name + "', see " + keep(name), ex);
		}
	}

	/**
	 * Plays a scenario in which the judge must find nothing. Where it finds something,
	 * what it judged is kept, in a folder that the failure names.
	 */
	void playWithoutFinding(String name, Action accident) throws Exception {
		playWithoutFinding(name, (counter, sentence) -> false, accident);
	}

	/**
	 * The same, where the judge may find what is known of a former build.
	 * @param known whether a sentence of the judge is about that
	 */
	void playWithoutFinding(String name, BiPredicate<Counter, String> known, Action accident) throws Exception {
		Map<Counter, List<String>> found = new EnumMap<>(Counter.class);
		play(name, accident).forEach((counter, sentences) -> {
			List<String> others = sentences.stream().filter((sentence) -> !known.test(counter, sentence)).toList();
			if (!others.isEmpty()) {
				found.put(counter, others);
			}
		});
		if (!found.isEmpty()) {
			throw new AssertionError("The judge found " + found + " in '" + name + "', see " + keep(name));
		}
	}

	/** Keeps the logs of all processes, as those of the API server go with it. */
	private Path keep(String name) throws IOException {
		Path folder = Path
			.of("target", "failed-plays",
					this.stage.logs().getFileName() + "-" + name + "-" + System.currentTimeMillis())
			.toAbsolutePath();
		Files.createDirectories(folder);
		Files.copy(this.stage.auditLog(), folder.resolve("audit.jsonl"));
		for (Path logs : List.of(this.stage.logs(), this.stage.auditLog().getParent())) {
			try (DirectoryStream<Path> files = Files.newDirectoryStream(logs, "*.log")) {
				for (Path file : files) {
					if (!file.equals(this.stage.auditLog())) {
						Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
					}
				}
			}
		}
		return folder;
	}

	private Map<Counter, List<String>> playAndJudge(String name, Action accident) throws Exception {
		makeWell();
		this.judgedSince = this.judgedUntil.equals(Instant.MAX) ? Instant.now() : this.judgedUntil;
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
		this.marks.quiescent();
		this.judgedUntil = Instant.now();
		return found();
	}

	/** What the judge finds by now in the scenario that is being played. */
	Map<Counter, List<String>> found() {
		try {
			return this.judge.judge(this.judgedSince);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** How much could have gone wrong in the scenario that was played last. */
	Exposure exposure() throws IOException {
		return this.judge.judged(this.judgedSince, Duration.ofMinutes(1)).exposure();
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
		Map<String, String> before = new HashMap<>();
		String leader = leader();
		boolean anew = !this.cast.plays("sharder");
		if (anew) {
			this.cast.enterSharder(sharder("sharder"));
		}
		else {
			this.cast.actor("sharder").resume();
		}
		for (String name : SHARDS) {
			if (!this.cast.plays(name)) {
				before.put(name, this.board.instanceOf(name));
				this.cast.enterShard(shard(name));
			}
		}
		// What is to be seen until then is what those before them have left.
		Waiting.until("who enters to hold their Leases", Duration.ofMinutes(4), () -> {
			this.cast.checkAlive();
			return (!anew || !leader().equals(leader)) && before.entrySet()
				.stream()
				.noneMatch((shard) -> this.board.instanceOf(shard.getKey()).equals(shard.getValue()));
		});
		this.cast.awaitHeld();
		this.cast.awaitAvailable();
		if (this.webhook != null) {
			this.webhook.ready("sharder");
		}
		settle();
	}

	/** Which sharder leads, empty if none ever did. */
	String leader() {
		Lease lease = election();
		return (lease != null) ? Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "") : "";
	}

	/** The Lease by which the sharders elect their leader, null if there is none yet. */
	Lease election() {
		return admin().leases().inNamespace(Names.SYSTEM_NAMESPACE).withName("sharder").get();
	}

	/** Returns when a sharder has said, after that moment, that it leads. */
	void awaitLeader(Instant since) {
		Waiting.until("a sharder to lead", Duration.ofMinutes(4), () -> {
			this.cast.checkAlive();
			Lease lease = election();
			return lease != null && lease.getSpec().getRenewTime().toInstant().isAfter(since);
		});
	}

	/** A shard that can be held; s1 has links that can be disturbed. */
	Role shard(String name) {
		Role role = light(this.holds.holdable(Role.of(name), this.heldShard));
		if (name.equals("s1")) {
			role = Links.of(role, this.leaseLink, this.readLink, this.stage.apiServer());
		}
		if (this.slots > 0) {
			role = role.with("HOSTNAME", name).with("SHARDING_SLOTS", String.valueOf(this.slots));
			for (Map.Entry<String, String> setting : SLOTS.entrySet()) {
				role = role.with(setting.getKey(), setting.getValue());
			}
		}
		return this.builds.cast(this.fault.shard(role));
	}

	Role sharder(String name) {
		Role role = this.builds
			.cast(this.fault.sharder(light(this.holds.holdable(Role.of(name), "dev.sharding.demo.held.HeldSharder"))));
		return (this.webhook != null) ? this.webhook.serving(role) : role;
	}

	/** Nobody asks them for their health, and a web server takes its time to start. */
	private static Role light(Role role) {
		return role.with("SPRING_MAIN_WEBAPPLICATIONTYPE", "none").with("SPRING_MAIN_KEEPALIVE", "true");
	}

	/** The Lease that a process holds, or held last. */
	Resource<Lease> lease(String name) {
		return admin().leases().inNamespace(Names.NAMESPACE).withName(this.board.shardOf(name));
	}

	/** An object that goes from s2 to s3 when that joins. */
	String movesToThird() {
		return movesToThird("s2");
	}

	/** An object that goes from a shard to s3 when that joins. */
	String movesToThird(String from) {
		return this.accidents.moverTo("s3", from);
	}

	void settle() {
		assertThat(this.cast.settle(this.writer::created)).as("all objects are in their places").isTrue();
	}

	/** Looks at the world through new eyes. */
	void lookAnew() {
		this.observer.close();
		this.board = newBoard();
		this.observer = new Observer(this.stage.admin(), this.board);
	}

	/** What an actor, and those of its name before, have logged. */
	String log(String actor) {
		try {
			Path log = this.stage.logs().resolve(actor + ".log");
			return Files.exists(log) ? Files.readString(log) : "";
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Board board() {
		return this.board;
	}

	Builds builds() {
		return this.builds;
	}

	Cast cast() {
		return this.cast;
	}

	Stage stage() {
		return this.stage;
	}

	Marks marks() {
		return this.marks;
	}

	Probe probe() {
		return this.probe;
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
		this.probe.close();
		this.observer.close();
		this.cast.close();
		this.leaseLink.close();
		this.readLink.close();
		if (this.webhook != null) {
			this.webhook.close();
		}
		this.stage.close();
	}

	/** What happens in a scenario. */
	interface Action {

		void run(World world) throws Exception;

	}

}

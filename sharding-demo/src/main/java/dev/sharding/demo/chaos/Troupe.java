package dev.sharding.demo.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import dev.sharding.demo.Actor;
import dev.sharding.demo.Fault;
import dev.sharding.demo.RingSite;
import dev.sharding.demo.Role;
import dev.sharding.demo.ShardProgram;
import dev.sharding.demo.Stage;
import dev.sharding.demo.Waiting;
import dev.sharding.demo.WebhookService;
import dev.sharding.test.TcpProxy;
import org.jspecify.annotations.Nullable;

/** The processes of a run: the sharders, and the shards of each ring. */
final class Troupe implements AutoCloseable {

	static final Duration STARTED_WITHIN = Duration.ofMinutes(5);

	private static final Duration ENDED_WITHIN = Duration.ofSeconds(60);

	private static final int SHARDERS = -1;

	/** For how long a slot that was given back waits for somebody: nobody waits long. */
	private static final String GRACE = "5s";

	private final Stage stage;

	private final List<RingSite> rings;

	private final AuditTail tail;

	private final Scribe scribe;

	private final Path holds;

	private final ShardProgram program;

	private final Fault fault;

	/** How many slots a ring has, 0 where shards have names of their own. */
	private final int slots;

	private final WebhookService webhook = new WebhookService();

	private int sharders;

	private final Map<String, Member> members = new ConcurrentHashMap<>();

	private final AtomicInteger names = new AtomicInteger();

	/**
	 * @param holds the folder by which reconciles are held
	 * @param slots how many slots a ring has, 0 where shards have names of their own
	 * @param program what the shards are
	 * @param fault what is wrong with the programs
	 */
	Troupe(Stage stage, List<RingSite> rings, AuditTail tail, Scribe scribe, Path holds, int slots,
			ShardProgram program, Fault fault) {
		this.slots = slots;
		this.stage = stage;
		this.rings = rings;
		this.tail = tail;
		this.scribe = scribe;
		this.holds = holds;
		this.program = program;
		this.fault = fault;
	}

	/** A name that no process had before. */
	String freshName(int ring) {
		return (ring == SHARDERS) ? "sharder-" + this.names.incrementAndGet()
				: Extent.shardName(ring, this.names.incrementAndGet());
	}

	Member startSharder() throws IOException {
		return start(freshName(SHARDERS), SHARDERS);
	}

	Member startShard(int ring, String name) throws IOException {
		return start(name, ring);
	}

	/** Starts a shard that is to be another than usual. */
	Member startShard(int ring, String name, UnaryOperator<Role> change) throws IOException {
		return start(name, ring, change);
	}

	private Member start(String name, int ring) throws IOException {
		return start(name, ring, UnaryOperator.identity());
	}

	private Member start(String name, int ring, UnaryOperator<Role> change) throws IOException {
		TcpProxy link = this.stage.link();
		Network network = new Network(link, (ring == SHARDERS) ? link : this.stage.link());
		Role role = Role.of(name)
			.through(link)
			.with("DEMO_HOLDS", this.holds.toString())
			.with("SPRING_MAIN_WEBAPPLICATIONTYPE", "none")
			.with("SPRING_MAIN_KEEPALIVE", "true");
		role = change.apply(
				(ring == SHARDERS) ? this.webhook.serving(sharder(role.running("dev.sharding.demo.held.HeldSharder")))
						: shard(role, network));
		Actor actor = (ring == SHARDERS) ? this.stage.startSharder(role)
				: this.stage.startShard(role, this.rings.get(ring));
		Member member = new Member(ring, actor, network);
		this.members.put(name, member);
		this.scribe.started(name);
		return member;
	}

	/** Where one sharder ignores who leads, there is one that does not. */
	private Role sharder(Role role) {
		boolean lawful = this.fault == Fault.LEADER && this.sharders++ % 2 == 0;
		return lawful ? role : this.fault.sharder(role);
	}

	private Role shard(Role role, Network network) {
		Role shard = this.program.shardOfMore(role, this.fault);
		if (!this.program.hasMore()) {
			shard = shard.with("DEMO_READ_PORT", String.valueOf(network.reads().port()))
				.with("DEMO_READS", this.holds.toString())
				.with("DEMO_CLEANS", "true");
		}
		return (this.slots == 0) ? shard
				: shard.without("SHARDING_SHARD_NAME")
					.with("SHARDING_SLOTS", String.valueOf(this.slots))
					.with("SHARDING_LEASE_GRACE", GRACE);
	}

	/** Returns when it has its Lease, or, as a sharder, when it is up. */
	void awaitStarted(Member member) {
		Waiting.until(member.name() + " to start", STARTED_WITHIN, () -> {
			checkAlive(member);
			// A Service leads to what is ready alone.
			return (member.ring() == SHARDERS) ? member.says(this.stage.logs(), "Webhook listens ")
					: this.tail.hasLease(member.actor().user());
		});
		this.webhook.ready(member.name());
	}

	/** Returns when a shard has its Lease, or stands by for one. */
	void awaitReady(Member shard) {
		Waiting.until(shard.name() + " to be ready", STARTED_WITHIN, () -> {
			checkAlive(shard);
			return this.tail.hasLease(shard.actor().user()) || shard.says(this.stage.logs(), "phase=STANDBY");
		});
	}

	/** The network between the API server and the webhook of all sharders. */
	TcpProxy webhook() {
		return this.webhook.network();
	}

	/** From now on it may end. If it has already, nobody had asked it to. */
	Member dismiss(Member member) {
		if (!member.actor().isAlive()) {
			this.scribe.trouble(Violation.PROCESS, member.name() + " ended by itself");
		}
		return forget(member);
	}

	/** It may end, or may have. */
	Member forget(Member member) {
		this.members.remove(member.name(), member);
		this.webhook.gone(member.name());
		return member;
	}

	/** Asks it to end, and sees to it that it does. */
	void terminate(Member member) {
		member.actor().terminate();
		if (!member.actor().awaitEnd(ENDED_WITHIN)) {
			this.scribe.trouble(Violation.PROCESS,
					member.name() + " did not end within " + ENDED_WITHIN.toSeconds() + " s");
		}
		gone(member);
	}

	/** It has ended, or is to be ended now. */
	void gone(Member member) {
		member.actor().kill();
		member.link().close();
		this.scribe.ended(member.name());
	}

	@Nullable Member byUser(String user) {
		return this.members.values()
			.stream()
			.filter((member) -> member.actor().user().equals(user))
			.findFirst()
			.orElse(null);
	}

	/**
	 * The process that is that shard now.
	 * @param name empty for that of an object that nobody has
	 */
	@Nullable Member shard(String name) {
		if (name.isEmpty()) {
			// So is the name of a sharder, and of whoever has no slot.
			return null;
		}
		return (this.slots == 0) ? this.members.get(name)
				: all().stream().filter((member) -> shardName(member).equals(name)).findFirst().orElse(null);
	}

	/** What shard a process is, empty as long as it has no slot. */
	String shardName(Member member) {
		return (this.slots == 0) ? member.name() : this.tail.leaseOf(member.actor().user());
	}

	List<Member> shards(int ring) {
		return this.members.values()
			.stream()
			.filter((member) -> member.ring() == ring)
			.sorted(Comparator.comparing(Member::name))
			.collect(Collectors.toCollection(ArrayList::new));
	}

	List<Member> sharders() {
		return shards(SHARDERS);
	}

	List<Member> all() {
		return List.copyOf(this.members.values());
	}

	Set<String> names(int ring) {
		return shards(ring).stream()
			.map(this::shardName)
			.filter((name) -> !name.isEmpty())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static void checkAlive(Member member) {
		if (!member.actor().isAlive()) {
			throw new IllegalStateException(member.actor().died());
		}
	}

	/** Those that have ended and had not been asked to; they are no members any more. */
	List<Member> deserters() {
		List<Member> deserters = all().stream().filter((member) -> !member.actor().isAlive()).toList();
		deserters.forEach((member) -> gone(dismiss(member)));
		return deserters;
	}

	@Override
	public void close() {
		all().forEach((member) -> gone(forget(member)));
		this.webhook.close();
	}

	/**
	 * A process.
	 *
	 * @param ring which ring it is a shard of, negative for a sharder
	 */
	record Member(int ring, Actor actor, Network link) {

		String name() {
			return this.actor.name();
		}

		boolean says(Path logs, String text) {
			try {
				return Files.readString(logs.resolve(name() + ".log")).contains(text);
			}
			catch (IOException ex) {
				return false;
			}
		}

	}

}

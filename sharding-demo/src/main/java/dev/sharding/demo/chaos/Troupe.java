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
import java.util.stream.Collectors;

import dev.sharding.demo.Actor;
import dev.sharding.demo.Fault;
import dev.sharding.demo.RingSite;
import dev.sharding.demo.Role;
import dev.sharding.demo.ShardProgram;
import dev.sharding.demo.Stage;
import dev.sharding.demo.Waiting;
import dev.sharding.test.TcpProxy;
import org.jspecify.annotations.Nullable;

/** The processes of a run: the sharders, and the shards of each ring. */
final class Troupe implements AutoCloseable {

	static final Duration STARTED_WITHIN = Duration.ofMinutes(3);

	private static final int SHARDERS = -1;

	private final Stage stage;

	private final List<RingSite> rings;

	private final AuditTail tail;

	private final Scribe scribe;

	private final Path holds;

	private final ShardProgram program;

	private final Fault fault;

	private final Map<String, Member> members = new ConcurrentHashMap<>();

	private final AtomicInteger names = new AtomicInteger();

	/**
	 * @param holds the folder by which reconciles are held
	 * @param program what the shards are
	 * @param fault what is wrong with the programs
	 */
	Troupe(Stage stage, List<RingSite> rings, AuditTail tail, Scribe scribe, Path holds, ShardProgram program,
			Fault fault) {
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

	private Member start(String name, int ring) throws IOException {
		TcpProxy link = this.stage.link();
		Role role = Role.of(name)
			.through(link)
			.with("DEMO_HOLDS", this.holds.toString())
			.with("SPRING_MAIN_WEBAPPLICATIONTYPE", "none")
			.with("SPRING_MAIN_KEEPALIVE", "true");
		role = (ring == SHARDERS) ? this.fault.sharder(role.running("dev.sharding.demo.held.HeldSharder"))
				: this.program.shardOfMore(role, this.fault);
		Actor actor = (ring == SHARDERS) ? this.stage.startSharder(role)
				: this.stage.startShard(role, this.rings.get(ring));
		Member member = new Member(ring, actor, link);
		this.members.put(name, member);
		this.scribe.started(name);
		return member;
	}

	/** Returns when it has its Lease, or, as a sharder, when it is up. */
	void awaitStarted(Member member) {
		Waiting.until(member.name() + " to start", STARTED_WITHIN, () -> {
			checkAlive(member);
			return (member.ring() == SHARDERS) ? member.saysStarted(this.stage.logs())
					: this.tail.hasLease(member.actor().user());
		});
	}

	/** From now on it may end. */
	Member dismiss(Member member) {
		this.members.remove(member.name(), member);
		return member;
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

	@Nullable Member shard(String name) {
		return this.members.get(name);
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
		return shards(ring).stream().map(Member::name).collect(Collectors.toCollection(TreeSet::new));
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
		all().forEach((member) -> gone(dismiss(member)));
	}

	/**
	 * A process.
	 *
	 * @param ring which ring it is a shard of, negative for a sharder
	 */
	record Member(int ring, Actor actor, TcpProxy link) {

		String name() {
			return this.actor.name();
		}

		boolean saysStarted(Path logs) {
			try {
				return Files.readString(logs.resolve(name() + ".log")).contains("Started ");
			}
			catch (IOException ex) {
				return false;
			}
		}

	}

}

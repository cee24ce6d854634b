package dev.sharding.demo.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import dev.sharding.demo.Actor;
import dev.sharding.demo.Marks;
import dev.sharding.demo.Names;
import dev.sharding.demo.Waiting;
import dev.sharding.demo.chaos.Troupe.Member;
import dev.sharding.test.Etcd;
import dev.sharding.test.ManagedProcess;

/** What happens to the API server, to its store, and to everybody at a time. */
final class ServerStrikes {

	private static final Duration BACK_WITHIN = Duration.ofSeconds(60);

	private final Scene scene;

	private final Marks marks;

	ServerStrikes(Scene scene) {
		this.scene = scene;
		this.marks = scene.stage().marks();
	}

	/** What to do for a fault. */
	Strike of(Planned fault) {
		Duration lasts = Duration.ofMillis(fault.lasts());
		ManagedProcess server = this.scene.stage().apiServer().process();
		return switch (fault.kind()) {
			case KILL_API_SERVER -> () -> outage(() -> {
				server.kill();
				Waiting.pause(lasts);
				server.start();
				this.marks.cut();
			});
			case RESTART_API_SERVER -> () -> outage(() -> {
				server.restart();
				this.marks.cut();
			});
			case PAUSE_API_SERVER -> () -> outage(() -> paused(server, lasts));
			case PAUSE_ETCD -> () -> outage(() -> paused(this.scene.stage().etcd().process(), lasts));
			case FULL_ETCD -> () -> outage(() -> full(lasts));
			case RESTORE_ETCD -> () -> {
				List<Member> anew = new ArrayList<>();
				outage(() -> anew.addAll(restore(lasts)));
				// Who is not back by then is asked for all the same.
				anew.forEach(this.scene.troupe()::awaitStarted);
			};
			case COMPACT -> () -> this.scene.stage().etcd().compact();
			case PAUSE_ALL -> () -> outage(() -> pauseAll(lasts));
			default -> throw new IllegalArgumentException(fault.kind() + " strikes no server");
		};
	}

	/**
	 * Nothing can be expected until all have found the API server, and each other, again.
	 */
	private void outage(Strike strike) throws Exception {
		this.scene.probe().pause();
		this.marks.disturbed(Marks.ALL);
		try {
			strike.run();
			long since = System.nanoTime();
			boolean unused = Waiting.holds(BACK_WITHIN, () -> back(since));
		}
		finally {
			this.marks.calm(Marks.ALL);
			this.scene.probe().resume();
		}
	}

	/** What was on its way is answered when it wakes, however late that is. */
	private void paused(ManagedProcess process, Duration lasts) {
		this.marks.stopped(Marks.ALL, onTheirWay());
		process.pause();
		try {
			Waiting.pause(lasts);
		}
		finally {
			process.resume();
			this.marks.resumed(Marks.ALL);
		}
	}

	private void full(Duration lasts) {
		this.scene.stage().etcd().full(true);
		try {
			Waiting.pause(lasts);
		}
		finally {
			this.scene.stage().etcd().full(false);
		}
	}

	/**
	 * As an administrator does it: nobody who knows what is lost goes on.
	 * @return who begins in their places
	 */
	private List<Member> restore(Duration lasts) throws IOException {
		Path copy = this.scene.logs().resolve("store-" + System.nanoTime());
		Etcd etcd = this.scene.stage().etcd();
		ManagedProcess server = this.scene.stage().apiServer().process();
		this.marks.snapshot();
		etcd.copyTo(copy);
		Waiting.pause(lasts);
		Troupe troupe = this.scene.troupe();
		List<Member> members = troupe.all();
		members.forEach((member) -> troupe.gone(troupe.dismiss(member)));
		server.stop();
		// Users come back before the mark is there.
		Instant stopped = Instant.now();
		long version = etcd.restore(copy);
		server.start();
		this.marks.restored(version, stopped);
		List<Member> anew = new ArrayList<>();
		for (Member member : members) {
			anew.add((member.ring() < 0) ? troupe.startSharder() : troupe.startShard(member.ring(), member.name()));
		}
		try (Stream<Path> files = Files.walk(copy)) {
			files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach((file) -> file.delete());
		}
		return anew;
	}

	private int onTheirWay() {
		return this.scene.extent().rings() * this.scene.extent().shards() * Names.WORKERS + Names.MOVES;
	}

	private void pauseAll(Duration lasts) {
		List<Actor> actors = this.scene.troupe().all().stream().map(Member::actor).toList();
		actors.forEach(Actor::pause);
		try {
			Waiting.pause(lasts);
		}
		finally {
			actors.forEach(Actor::resume);
		}
	}

	/**
	 * Somebody leads, all have renewed their Leases, and all objects have owners again.
	 */
	private boolean back(long since) {
		AuditTail tail = this.scene.tail();
		return tail.renewedSince(tail.leader(), since)
				&& this.scene.troupe()
					.all()
					.stream()
					.allMatch((member) -> member.ring() < 0 || tail.renewedSince(member.actor().user(), since))
				&& this.scene.places().owned();
	}

}

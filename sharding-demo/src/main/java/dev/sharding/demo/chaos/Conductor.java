package dev.sharding.demo.chaos;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.sharding.demo.Names;
import dev.sharding.demo.Waiting;
import dev.sharding.demo.Writer;
import dev.sharding.demo.chaos.Troupe.Member;
import org.jspecify.annotations.Nullable;

/**
 * Plays a schedule, minute by minute, while users write. At the end of each minute all is
 * quiet and everything must be in its place.
 */
final class Conductor {

	private static final Duration OVER_WITHIN = Duration.ofMinutes(12);

	private static final Duration STAYS = Duration.ofMillis(500);

	private static final Duration OWNED_WITHIN = Duration.ofSeconds(3);

	private final Scene scene;

	private final Writer writer;

	private final Pages pages;

	private final ShardStrikes shards;

	private final SharderStrikes sharders;

	private final ServerStrikes servers;

	private final Turns turns;

	private final Vitals vitals;

	private final Duration quietWithin;

	private final int leaders;

	/**
	 * @param sharders how many sharders there are
	 * @param quietWithin how long it may take until all is in its place when nothing is
	 * wrong any more
	 */
	Conductor(Scene scene, Writer writer, Pages pages, int sharders, Duration quietWithin) {
		this.pages = pages;
		this.leaders = sharders;
		this.quietWithin = quietWithin;
		this.scene = scene;
		this.writer = writer;
		this.shards = new ShardStrikes(scene);
		this.sharders = new SharderStrikes(scene);
		this.servers = new ServerStrikes(scene);
		this.vitals = new Vitals(scene.logs());
		this.turns = new Turns(scene.extent().rings());
	}

	/** Starts all, and returns when everything is in its place for the first time. */
	void open() throws Exception {
		Extent extent = this.scene.extent();
		Troupe troupe = this.scene.troupe();
		this.writer.create();
		this.pages.create();
		List<Member> entering = new ArrayList<>();
		for (int sharder = 0; sharder < this.leaders; sharder++) {
			entering.add(troupe.startSharder());
		}
		for (int ring = 0; ring < extent.rings(); ring++) {
			for (int shard = 0; shard < extent.shards(); shard++) {
				entering.add(troupe.startShard(ring, troupe.freshName(ring)));
			}
		}
		entering.forEach(troupe::awaitStarted);
		Waiting.until("everything to be in its place", Duration.ofMinutes(5),
				() -> this.scene.places().wrong().isEmpty());
		this.scene.stage().marks().quiescent();
		this.scene.scribe()
			.say("%d sharders, %d shards and %d objects are in their places".formatted(troupe.sharders().size(),
					extent.rings() * extent.shards(), extent.objects()));
	}

	void play(Schedule schedule) throws Exception {
		ExecutorService hands = Executors.newCachedThreadPool();
		try {
			for (int minute = 1; minute <= schedule.extent().minutes(); minute++) {
				this.scene.stage().marks().begin("minute-" + minute);
				this.writer.startUpdates();
				this.pages.startUpdates();
				long begin = System.nanoTime();
				List<Future<?>> playing = new ArrayList<>();
				for (Planned fault : schedule.of(minute)) {
					playing.add(hands.submit(() -> play(fault, begin)));
				}
				for (Future<?> fault : playing) {
					fault.get(OVER_WITHIN.toMillis() + schedule.extent().windowMillis(), TimeUnit.MILLISECONDS);
				}
				quiet(minute);
			}
		}
		finally {
			hands.shutdownNow();
		}
	}

	/** What the processes needed at each quiet point. */
	Vitals vitals() {
		return this.vitals;
	}

	private void play(Planned fault, long begin) {
		this.scene.scribe().watch(fault, () -> {
			boolean seen = await(fault, begin);
			this.turns.take(fault);
			try {
				strike(fault, seen);
			}
			finally {
				this.turns.giveBack(fault);
			}
		});
	}

	/** Tells whether what the fault waits for was seen in time; it comes in any case. */
	private boolean await(Planned fault, long begin) {
		Waiting.pause(left(fault.at(), begin));
		Sight when = fault.when();
		long from = System.nanoTime();
		String ring = Extent.ringName(fault.ring());
		return when != null
				&& Waiting.holds(left(fault.by(), begin), () -> this.scene.tail().seenSince(when, ring, from));
	}

	private static Duration left(long millis, long begin) {
		Duration left = Duration.ofMillis(millis).minusNanos(System.nanoTime() - begin);
		return left.isNegative() ? Duration.ZERO : left;
	}

	private void strike(Planned fault, boolean seen) throws Exception {
		Instant from = Instant.now();
		String who = fault.role();
		Strike strike = null;
		switch (fault.kind().whom()) {
			case RING -> strike = this.shards.of(fault);
			case API_SERVER, ETCD, ALL -> strike = this.servers.of(fault);
			case LEADER -> {
				Member leader = leader();
				who = (leader != null) ? leader.name() : who;
				strike = (leader != null) ? this.sharders.of(fault, leader) : null;
			}
			case SHARD, OBJECT -> {
				Member owner = owner(fault);
				who = (owner != null) ? owner.name() : who;
				strike = (owner != null) ? this.shards.of(fault, owner) : null;
			}
		}
		if (strike == null) {
			this.scene.scribe().left(fault, "nobody has that role");
			return;
		}
		this.scene.scribe()
			.say("        " + fault.kind().text() + moment(fault, seen) + ": " + fault.role()
					+ (who.equals(fault.role()) ? "" : " is " + who));
		strike.run();
		this.scene.scribe().played(fault, who, from, seen);
	}

	private static String moment(Planned fault, boolean seen) {
		Sight when = fault.when();
		return (when == null) ? "" : seen ? " at a " + when.text() : " (no " + when.text() + " came)";
	}

	private @Nullable Member leader() {
		boolean unused = Waiting.holds(OWNED_WITHIN,
				() -> this.scene.troupe().byUser(this.scene.tail().leader()) != null);
		return this.scene.troupe().byUser(this.scene.tail().leader());
	}

	private @Nullable Member owner(Planned fault) {
		boolean unused = Waiting.holds(OWNED_WITHIN, () -> ownerNow(fault) != null);
		return ownerNow(fault);
	}

	private @Nullable Member ownerNow(Planned fault) {
		String secret = Names.secret(fault.secret());
		return this.scene.troupe()
			.shard(this.scene.places()
				.ownerOf(this.scene.extent().namespaceOf(secret), secret, this.scene.rings().get(fault.ring())));
	}

	/** Nothing is wrong any more, and nobody writes: all must come to its place. */
	private void quiet(int minute) throws Exception {
		for (Member member : this.scene.troupe().all()) {
			this.vitals.note(minute, member.name(), member.actor().pid());
		}
		this.pages.stopUpdates();
		this.writer.pauseUpdates();
		long begin = System.nanoTime();
		if (!Waiting.holds(this.quietWithin, () -> this.writer.gone().isEmpty())) {
			this.scene.scribe()
				.trouble(Violation.PLACE, "minute " + minute + ": " + this.writer.gone() + " do not come back");
		}
		this.scene.stage().checkAlive();
		restartDeserters();
		long[] since = { System.nanoTime() };
		boolean quiet = Waiting.holds(this.quietWithin, () -> {
			if (!this.scene.places().wrong().isEmpty()) {
				since[0] = System.nanoTime();
			}
			return System.nanoTime() - since[0] > STAYS.toNanos();
		});
		if (!quiet) {
			this.scene.scribe().trouble(Violation.PLACE, "minute " + minute + ": " + this.scene.places().wrong());
		}
		this.scene.stage().marks().quiescent();
		this.scene.scribe()
			.say("minute " + minute + ": " + (quiet ? "all is in its place" : "all is NOT in its place") + " after "
					+ Duration.ofNanos(System.nanoTime() - begin).toMillis() + " ms, " + this.writer.updates()
					+ " updates so far");
		// It may be now that one ends.
		restartDeserters();
	}

	private void restartDeserters() throws IOException {
		Troupe troupe = this.scene.troupe();
		for (Member deserter : troupe.deserters()) {
			troupe.awaitStarted((deserter.ring() < 0) ? troupe.startSharder()
					: troupe.startShard(deserter.ring(), deserter.name()));
		}
	}

}

package dev.sharding.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.sharding.judge.JudgeRing;
import dev.sharding.test.TcpProxy;

/**
 * What can happen to a shard in the middle of its work. Each method returns when the
 * worst is over; that all is well again is for the caller to see.
 */
final class Accidents {

	private static final Duration TAKEN_WITHIN = Duration.ofSeconds(90);

	private static final Duration RESTARTED_WITHIN = Duration.ofMinutes(4);

	private final Cast cast;

	private final Holds holds;

	private final Marks marks;

	private final Writer writer;

	private final Supplier<Board> board;

	private final IntSupplier objects;

	/**
	 * @param objects gives how many objects there are
	 */
	Accidents(Cast cast, Holds holds, Marks marks, Writer writer, Supplier<Board> board, IntSupplier objects) {
		this.cast = cast;
		this.holds = holds;
		this.marks = marks;
		this.writer = writer;
		this.board = board;
		this.objects = objects;
	}

	/**
	 * Stops a shard in the middle of a reconcile, and wakes it when others have its
	 * objects: the first thing that it does is to go on with that reconcile.
	 */
	void pauseInReconcile(String shard) throws IOException {
		holdReconcile(shard);
		Actor actor = this.cast.actor(shard);
		actor.pause();
		try {
			awaitTakenFrom(shard);
			this.holds.releaseAll();
		}
		finally {
			actor.resume();
		}
	}

	/** Has a reconcile last longer than the Lease, which is renewed meanwhile. */
	void sleepInReconcile(String shard) throws IOException {
		holdReconcile(shard);
		Waiting.pause(Names.LEASE.plusMillis(1500));
		this.holds.releaseAll();
	}

	/**
	 * Lets no answer to a renewal through, while all other requests pass, and lets a
	 * reconcile go on when others have the objects.
	 * @param leaseLink what the shard renews its Lease over
	 */
	void hangRenewal(String shard, TcpProxy leaseLink) throws IOException {
		holdReconcile(shard);
		leaseLink.pause();
		try {
			awaitTakenFrom(shard);
			this.holds.releaseAll();
			Waiting.pause(Duration.ofMillis(500));
		}
		finally {
			leaseLink.heal();
		}
	}

	/**
	 * Cuts a shard off from all but its writes, and gives it its Lease back before its
	 * watches: what these have shown is not true any more. The other shard keeps the
	 * object that was held until then.
	 * @param leaseLink what the shard renews its Lease over
	 * @param readLink what it lists and watches over
	 * @param writes whether the shard can be expected to write for that object meanwhile
	 */
	void rejoinBlind(String shard, TcpProxy leaseLink, TcpProxy readLink, boolean writes) throws IOException {
		String secret = holdReconcile(shard);
		String process = this.cast.actor(shard).user();
		this.marks.disturbed(process);
		readLink.pause();
		leaseLink.pause();
		try {
			awaitTakenFrom(shard);
			this.holds.releaseAll();
			this.holds.hold("acknowledge", secret);
			this.holds.hold("written", secret);
			leaseLink.heal();
			this.cast.awaitHeld();
			if (writes) {
				this.holds.awaitReached("written", secret, shard);
			}
			else {
				Waiting.pause(Duration.ofSeconds(1));
			}
		}
		finally {
			leaseLink.heal();
			readLink.heal();
			this.holds.releaseAll();
			this.marks.calm(process);
		}
		this.writer.change(secret);
	}

	/**
	 * Has a shard, which acknowledges too early, go on with a reconcile when another one
	 * has its object; returns when it has written.
	 * @param joining the shard that the object goes to
	 * @param join has that shard join
	 */
	void reconcileBeyondHandOver(String joining, Join join) throws IOException {
		String secret = moverTo(joining, "");
		String owner = this.board.get().ownerOf(secret);
		this.holds.hold("reconcile", secret);
		this.writer.change(secret);
		this.holds.awaitReached("reconcile", secret, owner);
		this.holds.hold("written", secret);
		join.run();
		Waiting.until(secret + " to be with " + joining, TAKEN_WITHIN, () -> {
			this.cast.checkAlive();
			return this.board.get().ownerOf(secret).equals(joining);
		});
		this.holds.release("reconcile", secret);
		this.holds.awaitReached("written", secret, owner);
		this.holds.releaseAll();
		// What it has written is not right, and not theirs who wrote it.
		this.writer.change(secret);
	}

	/**
	 * An object, in its place now, that goes to a shard when that joins.
	 * @param from whose it is, empty if that does not matter
	 */
	String moverTo(String joining, String from) {
		Board board = this.board.get();
		JudgeRing now = board.ring(this.cast.shards());
		Set<String> more = this.cast.shards();
		more.add(joining);
		JudgeRing then = board.ring(more);
		return IntStream.range(0, this.objects.getAsInt())
			.filter((number) -> !Names.comesAndGoes(number))
			.mapToObj(Names::secret)
			.filter((secret) -> board.shardOf(joining).equals(then.owner(Names.key(secret))))
			.filter((secret) -> from.isEmpty() || board.shardOf(from).equals(now.owner(Names.key(secret))))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No object of " + from + " moves to " + joining));
	}

	/**
	 * Kills a shard in the middle of a reconcile and starts it again at once; returns
	 * when the new process holds the Lease.
	 */
	void killAndRestart(Role role) throws IOException {
		holdReconcile(role.name());
		this.cast.dismiss(role.name()).kill();
		String before = this.board.get().instanceOf(role.name());
		this.holds.releaseAll();
		this.cast.enterShard(role);
		Waiting.until("the new " + role.name() + " to hold the Lease", RESTARTED_WITHIN, () -> {
			this.cast.checkAlive();
			return !this.board.get().instanceOf(role.name()).equals(before);
		});
		this.cast.awaitHeld();
	}

	/** Returns when the shard is in the middle of a reconcile. */
	String holdReconcile(String shard) throws IOException {
		String secret = this.board.get().anyOf(shard);
		this.holds.hold("reconcile", secret);
		this.writer.change(secret);
		this.holds.awaitReached("reconcile", secret);
		return secret;
	}

	/** Returns when others have the objects of the shard. */
	void awaitTakenFrom(String shard) {
		Set<String> others = this.cast.shards();
		others.remove(shard);
		Waiting.until("others to have the objects of " + shard, TAKEN_WITHIN, () -> {
			this.cast.checkAlive();
			return this.board.get().misplaced(others, this.objects.getAsInt()) == 0;
		});
	}

	/** Has a shard join. */
	interface Join {

		void run() throws IOException;

	}

}
